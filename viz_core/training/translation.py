"""Learning to translate: the next token of the target after the true ones (teacher forcing), and how well it goes."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from viz_core.analysis.translation.translating import decoding_scores, translate
from viz_core.checkpoints import Settings
from viz_core.models.batch import PAD, length_batches, pad
from viz_core.models.decoding import greedy
from viz_core.models.protocol import Network
from viz_core.records import Examples
from viz_core.text.building import CLS
from viz_core.text.tokenizer import TextEncoder
from viz_core.training.batches import Batch
from viz_core.training.loop import BatchSums
from viz_core.training.validation import Measured, stop_check

_VALIDATION_BATCH = 64  # rows


class Translation(nn.Module):
    """Cross-entropy of every token of the target, its end included, all at once."""

    def __init__(self, model: Network, label_smoothing: float = 0.0) -> None:
        super().__init__()
        self.model, self.label_smoothing = model, label_smoothing

    def forward(self, batch: Batch) -> BatchSums:
        source, source_mask, target = split_pairs(batch.ids, batch.segments, batch.mask)
        logits = self.model(source, source_mask, target[:, :-1]).logits.float()  # (B, T, C)
        labels = target[:, 1:]  # (B, T)
        counts = (labels != PAD) * batch.counts[:, None]
        per_class, smoothing = logits.transpose(1, 2), self.label_smoothing
        losses = F.cross_entropy(per_class, labels, reduction="none", label_smoothing=smoothing)  # (B, T)
        correct = (logits.argmax(-1) == labels) * counts
        return BatchSums((losses * counts).sum(), counts.sum(), correct.sum(), counts.sum())


def split_pairs(ids: Tensor, segments: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Rows `[CLS] source [SEP] target [SEP]` -> `[CLS] source [SEP]` `(B, S)`, its mask, `[CLS] target [SEP]` `(B, T)`.

    ids, segments, mask: `(B, S + T)`; the target is segment 1. Padding is PAD.
    """
    source_mask, target_mask = mask & (segments == 0), mask & (segments == 1)
    source_lengths, target_lengths = source_mask.sum(1), target_mask.sum(1)  # (B,) each
    S = int(source_lengths.max())
    positions = torch.arange(int(target_lengths.max()), device=ids.device)
    indices = (source_lengths[:, None] + positions).clamp(max=ids.shape[1] - 1)
    target = ids.gather(1, indices).masked_fill(positions >= target_lengths[:, None], PAD)
    begin = target.new_full((len(target), 1), CLS)
    return ids[:, :S].masked_fill(~source_mask[:, :S], PAD), source_mask[:, :S], torch.cat([begin, target], dim=1)


@dataclass(frozen=True, eq=False)
class TranslationValidation:
    """Loss and token accuracy by teacher forcing, BLEU and chrF of greedy translations. references: the target texts of
    the examples, with the words that are not in the vocabulary."""

    examples: Examples
    references: tuple[str, ...]
    text: TextEncoder

    def __len__(self) -> int:
        return len(self.examples)

    def measure(self, model: Network, settings: Settings, should_stop: Callable[[], bool]) -> Measured:
        check = stop_check(should_stop)
        check(0, len(self))
        loss, accuracy = self._teacher_forcing(model, check)
        if not np.isfinite(loss):
            raise FloatingPointError(f"the validation loss is {loss}")
        rows = zip(self.examples.ids, self.examples.segments, strict=True)
        hypotheses = translate(model, [ids[segments == 0] for ids, segments in rows], greedy, progress=check)
        figures = {
            "validation_loss": loss,
            "token_accuracy": accuracy,
            **decoding_scores(self.text, hypotheses, self.references),
            "n": len(self),
        }
        return Measured(figures, settings, {"split": "validation", "decoding": "greedy", **figures})

    def _teacher_forcing(self, model: Network, check: Callable[[int, int], None]) -> tuple[float, float]:
        """Mean loss per token without label smoothing, and the share of tokens predicted correctly."""
        objective, device = Translation(model).eval(), next(model.parameters()).device
        sums, done = np.zeros(len(BatchSums._fields)), 0
        with torch.inference_mode():
            for rows in length_batches(self.examples.lengths, _VALIDATION_BATCH):
                examples = self.examples.at(rows)
                ids, segments, mask = pad(examples.ids, examples.segments, device)
                labels, counts = (torch.full((len(rows),), value, device=device) for value in (-1, 1.0))
                sums += [float(part) for part in objective(Batch(ids, segments, mask, labels, counts))]
                done += len(rows)
                check(done, len(self) + 1)  # the translations are still to come
        loss, weight, correct, count = sums
        return loss / weight, correct / count
