"""How a training treats each kind of task: objective, validation, pinned inputs, decoding time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from torch import nn

from viz_core.analysis.decoding import Decoding
from viz_core.analysis.explain import explain
from viz_core.analysis.generation import continue_text
from viz_core.analysis.translation.explain_translation import explain_translation
from viz_core.analysis.translation.live import translate_stepwise
from viz_core.checkpoints import Checkpoint
from viz_core.models.protocol import Network
from viz_core.recipes import Recipe
from viz_core.records import Examples, Generation
from viz_core.records import Translation as TranslationRecord
from viz_core.tasks import CLASSIFICATION, LANGUAGE_MODEL, TRANSLATION, OfKind, Task
from viz_core.training.decoding_time import CONTINUED, continuing_seconds, decoding_seconds
from viz_core.training.language import LanguageValidation, NextToken
from viz_core.training.objectives import classification
from viz_core.training.prepare import Prepared, validation_rows
from viz_core.training.snapshots import Snapshot
from viz_core.training.translation import Translation, TranslationValidation
from viz_core.training.validation import ClassificationValidation, Validation


@dataclass(frozen=True)
class TrainingKind:
    """How the tasks of a kind are trained.

    Attributes:
        objective: Builds the loss of a batch (`loop.fit`) from the model, the recipe and the labels
            of the train set.
        validation: Builds the validation from the task, its data (`full` or `sample`), the recipe
            and the rows that it uses.
        explain: Computes what is shown of a pinned input at every evaluation; raises Failure if the
            input cannot be encoded.
        decoding_seconds: Estimates the time of what a model writes at an evaluation, from the model and
            the validation rows; None if it writes nothing.
    """

    objective: Callable[[Network, Recipe, np.ndarray], nn.Module]
    validation: Callable[[Task, str, Recipe, Prepared], Validation]
    explain: Callable[[Checkpoint, Sequence[str]], Snapshot]
    decoding_seconds: Callable[[Network, Examples], float] | None = None


_KINDS: OfKind[TrainingKind] = OfKind()
training_kind, register_training_kind = _KINDS.of, _KINDS.register


def _translation_validation(task: Task, data: str, recipe: Recipe, prepared: Prepared) -> TranslationValidation:
    references = task.read("validation", data)["text_b"]
    rows = validation_rows(len(references), recipe)
    return TranslationValidation(prepared.validation, tuple(references.iloc[rows]), prepared.text)


def _greedy_translation(checkpoint: Checkpoint, texts: Sequence[str]) -> TranslationRecord:
    """Translate a source greedily and explain the translation, with all attention."""
    source = checkpoint.text_encoder.encode(*texts)
    outputs = [step.output.id for step in translate_stepwise(checkpoint, source)]
    return explain_translation(checkpoint, source, outputs)


def _continuation(checkpoint: Checkpoint, texts: Sequence[str]) -> Generation:
    """Continue a text greedily: what differs between two evaluations is the model, not chance."""
    *_, generation = continue_text(checkpoint, texts[0], Decoding(), CONTINUED)
    return cast(Generation, generation)


register_training_kind(
    CLASSIFICATION,
    TrainingKind(
        classification,
        lambda task, data, recipe, prepared: ClassificationValidation(prepared.validation, recipe.fit_threshold),
        lambda checkpoint, texts: explain(checkpoint, *texts),
    ),
)
register_training_kind(
    TRANSLATION,
    TrainingKind(
        lambda model, recipe, labels: Translation(model, recipe.label_smoothing),
        _translation_validation,
        _greedy_translation,
        decoding_seconds,
    ),
)
register_training_kind(
    LANGUAGE_MODEL,
    TrainingKind(
        lambda model, recipe, labels: NextToken(model, recipe.label_smoothing),
        lambda task, data, recipe, prepared: LanguageValidation(prepared.validation, prepared.text),
        _continuation,
        continuing_seconds,
    ),
)
