"""A loaded model with everything needed to use it, and the description of a checkpoint folder not loaded."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
from torch import nn

from viz_core.checkpoints.settings import Settings
from viz_core.models.batch import batched_logits
from viz_core.models.protocol import Hook, LanguageModel, Model, SequenceToSequence, reads_source
from viz_core.records import Examples, Failure, Message, Metrics
from viz_core.tasks import Task
from viz_core.text.chat import ChatFrame
from viz_core.text.tokenizer import TextEncoder


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """A model ready for inference, in eval mode; shared by all visitors, so it must not be changed.

    Attributes:
        weights_sha256: Hash of the file that the weights were read from; empty if from none.
        chat: What its chat template puts around messages, or why that cannot be used; None without one.
    """

    name: str
    task: Task
    settings: Settings
    model: Model
    text_encoder: TextEncoder
    metrics: Metrics
    weights_sha256: str = ""
    chat: ChatFrame | Message | None = None

    @property
    def generator(self) -> SequenceToSequence:
        """The model of a checkpoint that translates.

        Raises:
            TypeError: If it does not translate.
        """
        model: object = self.model
        if not reads_source(model):
            raise TypeError(f"{self.task.name}/{self.name} does not translate: use a model that does")
        return model

    @property
    def language_model(self) -> LanguageModel:
        """The model of a checkpoint that continues texts.

        Raises:
            Failure: If it continues none.
        """
        model: object = self.model
        if not isinstance(model, LanguageModel):
            raise Failure("generation.no_language_model", name=self.name)
        return model

    def logits(
        self,
        examples: Examples,
        batch: int = 64,
        hook: Hook | None = None,
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> np.ndarray:
        """Compute logits `(N, C)` in the order of the examples; arguments as in `models.batch.batched_logits`."""
        return batched_logits(cast(nn.Module, self.model), examples.ids, examples.segments, batch, hook, progress)

    def probabilities(
        self,
        examples: Examples,
        batch: int = 64,
        hook: Hook | None = None,
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> np.ndarray:
        """Compute calibrated probabilities `(N, C)` in the order of the examples."""
        return self.settings.probabilities(self.logits(examples, batch, hook, progress))

    def require_attention(self) -> None:
        """Check that the model has attention.

        Raises:
            Failure: If it has none.
        """
        if not self.model.attention_kinds:
            raise Failure("checkpoints.no_attention", name=f"{self.task.name}/{self.name}")


@dataclass(frozen=True)
class CheckpointInfo:
    """A checkpoint folder whose weights are not loaded."""

    task: str
    name: str
    path: Path
    settings: Settings
    metrics: Metrics

    @property
    def units(self) -> str:
        """What a token is, from the recipe (`recipes.Units`); `default` for a model of an earlier version."""
        recipe = self.metrics.entries.get("recipe")
        units = recipe.get("units") if isinstance(recipe, dict) else None
        return units if isinstance(units, str) else "default"

    @property
    def origin(self) -> str:
        """Name of the external pre-trained encoder that training started from; empty without one.

        It is also empty for a model that was trained further from a model of this project.
        """
        match self.metrics.entries:
            case {"pretrained": {"name": str(name)}, "recipe": {"encoder": str(encoder)}} if name == encoder:
                return ""
            case {"pretrained": {"name": str(name)}}:
                return name
        return ""
