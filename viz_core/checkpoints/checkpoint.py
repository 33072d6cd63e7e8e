"""A loaded model with everything needed to use it, and what is known of a checkpoint folder without loading it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
from torch import nn

from viz_core.checkpoints.settings import Settings
from viz_core.models.batch import batched_logits
from viz_core.models.protocol import Hook, Model, SequenceToSequence
from viz_core.records import Examples, Failure, Metrics
from viz_core.tasks import Task
from viz_core.text.tokenizer import TextEncoder


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """A model ready for inference, in eval mode; shared by all visitors, so it must not be changed."""

    name: str
    task: Task
    settings: Settings
    model: Model
    text_encoder: TextEncoder
    metrics: Metrics

    @property
    def generator(self) -> SequenceToSequence:
        """The model of a checkpoint that translates.

        Raises:
            TypeError: For any other.
        """
        model: object = self.model
        if not isinstance(model, SequenceToSequence):
            raise TypeError(f"{self.task.name}/{self.name} does not translate")
        return model

    def logits(
        self,
        examples: Examples,
        batch: int = 64,
        hook: Hook | None = None,
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> np.ndarray:
        """`(N, C)`, in the order of the examples; arguments as in `models.batch.batched_logits`."""
        return batched_logits(cast(nn.Module, self.model), examples.ids, examples.segments, batch, hook, progress)

    def probabilities(
        self,
        examples: Examples,
        batch: int = 64,
        hook: Hook | None = None,
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> np.ndarray:
        """Calibrated probabilities `(N, C)`, in the order of the examples."""
        return self.settings.probabilities(self.logits(examples, batch, hook, progress))

    def require_attention(self) -> None:
        """Raises Failure for a model without attention."""
        if not self.model.attention_kinds:
            raise Failure("checkpoints.no_attention", name=f"{self.task.name}/{self.name}")


@dataclass(frozen=True)
class CheckpointInfo:
    """A checkpoint folder, its weights not loaded."""

    task: str
    name: str
    path: Path
    settings: Settings
    metrics: Metrics

    @property
    def units(self) -> str:
        """What a token is, as its recipe has it (`recipes.Units`); `default` for a model of an earlier version."""
        recipe = self.metrics.entries.get("recipe")
        units = recipe.get("units") if isinstance(recipe, dict) else None
        return units if isinstance(units, str) else "default"

    @property
    def origin(self) -> str:
        """The name of the pre-trained encoder from elsewhere whose weights its training started from; empty if there is none, also for a model that was trained further from one of this project."""
        match self.metrics.entries:
            case {"pretrained": {"name": str(name)}, "recipe": {"encoder": str(encoder)}} if name == encoder:
                return ""
            case {"pretrained": {"name": str(name)}}:
                return name
        return ""
