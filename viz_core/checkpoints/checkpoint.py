"""A model ready to be used, and one as it is found on disk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from viz_core.checkpoints.settings import Settings
from viz_core.models.batch import batched_logits
from viz_core.models.protocol import Hook, Model
from viz_core.records import Examples, Failure, Metrics
from viz_core.tasks import Task
from viz_core.text.tokenizer import TextEncoder


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """A model ready to be used: it is in eval mode and must not be changed. text: makes of texts what the model reads."""

    name: str
    task: Task
    settings: Settings
    model: Model
    text: TextEncoder
    metrics: Metrics

    def logits(
        self,
        examples: Examples,
        batch: int = 64,
        hook: Hook | None = None,
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> np.ndarray:
        """`(N, C)` in the order of the examples; as `models.batch.batched_logits`."""
        return batched_logits(self.model, examples.ids, examples.segments, batch, hook, progress)

    def probabilities(
        self,
        examples: Examples,
        batch: int = 64,
        hook: Hook | None = None,
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> np.ndarray:
        """Calibrated, `(N, C)` in the order of the examples."""
        return self.settings.probabilities(self.logits(examples, batch, hook, progress))

    def require_attention(self) -> None:
        """Raises Failure, in words, for a model without attention."""
        if not self.model.attention_kinds:
            raise Failure("checkpoints.no_attention", name=f"{self.task.name}/{self.name}")


@dataclass(frozen=True)
class CheckpointInfo:
    """One checkpoint folder as found on disk, not loaded: its task, name, settings and figures."""

    task: str
    name: str
    path: Path
    settings: Settings
    metrics: Metrics
