"""What a training does according to the kind of its task: objective, validation, pinned inputs; and its optimiser."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import nn

from viz_core.analysis.explain import explain
from viz_core.analysis.translation.explain_translation import explain_translation
from viz_core.analysis.translation.live import translate_stepwise
from viz_core.checkpoints import Checkpoint
from viz_core.recipes import Recipe
from viz_core.records import Explanation
from viz_core.records import Translation as TranslationRecord
from viz_core.tasks import TRANSLATION, Task
from viz_core.training.objectives import Classification, balanced_weights
from viz_core.training.prepare import Prepared, validation_rows
from viz_core.training.translation import Translation, TranslationValidation
from viz_core.training.validation import ClassificationValidation, Validation


def objective_for(task: Task, model: nn.Module, recipe: Recipe, labels: np.ndarray) -> nn.Module:
    """The objective of a recipe. labels: of the train set, for the class weights of a classification."""
    if task.kind is TRANSLATION:
        return Translation(model, recipe.label_smoothing)
    return classification(model, recipe, labels)


def classification(model: nn.Module, recipe: Recipe, labels: np.ndarray) -> Classification:
    weights = balanced_weights(labels, model.config.classes) if recipe.class_weights else None
    return Classification(model, recipe.word_dropout, recipe.label_smoothing, weights, recipe.r_drop)


def validation_for(task: Task, data: str, recipe: Recipe, prepared: Prepared) -> Validation:
    """prepared: the subset of the corpus, or of the sample, that the recipe uses."""
    if task.kind is TRANSLATION:
        references = task.read("validation", data)["text_b"]
        rows = validation_rows(len(references), recipe)
        return TranslationValidation(prepared.validation, tuple(references.iloc[rows]), prepared.text)
    return ClassificationValidation(prepared.validation, recipe.fit_threshold)


def explain_pinned(checkpoint: Checkpoint, texts: Sequence[str]) -> Explanation | TranslationRecord:
    """Prediction and attention for a pinned input, or its greedy translation with all attention. Raises Failure if it
    cannot be encoded."""
    if checkpoint.task.kind is not TRANSLATION:
        return explain(checkpoint, *texts)
    source = checkpoint.text_encoder.encode(*texts)
    outputs = [step.output.id for step in translate_stepwise(checkpoint, source)]
    return explain_translation(checkpoint, source, outputs)


def parameter_groups(model: nn.Module, recipe: Recipe) -> list[dict]:
    """The token embeddings have their own learning rate; the group of all other parameters comes last."""
    tokens = model.token_embedding.weight
    rest = [parameter for parameter in model.parameters() if parameter is not tokens]
    return [{"params": [tokens], "lr": recipe.lr * recipe.token_lr}, {"params": rest, "lr": recipe.lr}]


def optimiser_for(groups: list[dict], recipe: Recipe) -> torch.optim.Optimizer:
    """Fused: a single kernel for all parameters."""
    kind = torch.optim.Adam if recipe.optimiser == "adam" else torch.optim.AdamW
    return kind(groups, weight_decay=recipe.weight_decay, fused=True)
