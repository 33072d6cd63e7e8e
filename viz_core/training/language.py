"""Training of language models: the next token at every position of a window, and its validation."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from torch import nn

from viz_core.analysis.evaluation.next_tokens import measure_windows
from viz_core.checkpoints import Settings
from viz_core.models.protocol import Network
from viz_core.records import Examples
from viz_core.text.tokenizer import TextEncoder
from viz_core.training.batches import Batch
from viz_core.training.chunked_loss import ChunkedLoss
from viz_core.training.loop import BatchSums
from viz_core.training.validation import Measured, stop_check


class NextToken(nn.Module):
    """Cross-entropy of every token of a window after the first."""

    def __init__(self, model: Network, label_smoothing: float = 0.0) -> None:
        super().__init__()
        self.model, self.label_smoothing = model, label_smoothing

    def forward(self, batch: Batch) -> BatchSums:
        """The sums of a batch."""
        labels = batch.ids[:, 1:].flatten()
        counts = (batch.mask[:, 1:] * batch.counts[:, None]).flatten()  # (B · (T - 1),)
        x = self.model.vectors(batch.ids[:, :-1]).flatten(0, 1)
        loss, correct = ChunkedLoss.apply(x, self.model.token_embedding.weight, labels, counts, self.label_smoothing)
        return BatchSums(loss, counts.sum(), correct, counts.sum())


@dataclass(frozen=True, eq=False)
class LanguageValidation:
    """Perplexity per word, bits per character and more, of windows.

    Attributes:
        examples: The windows.
        text: The tokenizer.
    """

    examples: Examples
    text: TextEncoder

    def __len__(self) -> int:
        return len(self.examples)

    def measure(self, model: Network, settings: Settings, should_stop: Callable[[], bool]) -> Measured:
        """Measure a model on the windows."""
        check = stop_check(should_stop)
        check(0, len(self))
        measured = measure_windows(model, self.text, self.examples.ids, check)
        if not np.isfinite(measured.token_loss):
            raise FloatingPointError(f"the validation loss is {measured.token_loss}")
        figures = {"validation_loss": measured.token_loss, **measured.to_dict()}
        return Measured(figures, settings, {"split": "validation", **figures})
