"""Builds the objective, the validation and the optimiser of a training, according to the kind of its task."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from viz_core.recipes import Recipe
from viz_core.tasks import TextTask, TranslationTask
from viz_core.training.objectives import Classification, balanced_weights
from viz_core.training.prepare import Prepared, validation_rows
from viz_core.training.translation import Translation, TranslationValidation
from viz_core.training.validation import ClassificationValidation, Validation


def objective_for(task: TextTask, model: nn.Module, recipe: Recipe, labels: np.ndarray) -> nn.Module:
    """The objective of a recipe. labels: of the train set, for the class weights of a classification."""
    if isinstance(task, TranslationTask):
        return Translation(model, recipe.label_smoothing)
    return classification(model, recipe, labels)


def classification(model: nn.Module, recipe: Recipe, labels: np.ndarray) -> Classification:
    weights = balanced_weights(labels, model.config.classes) if recipe.class_weights else None
    return Classification(model, recipe.word_dropout, recipe.label_smoothing, weights, recipe.r_drop)


def validation_for(task: TextTask, data: str, recipe: Recipe, prepared: Prepared) -> Validation:
    """prepared: the subset of the corpus, or of the sample, that the recipe uses."""
    if isinstance(task, TranslationTask):
        references = task.read("validation", data)["text_b"]
        rows = validation_rows(len(references), recipe)
        return TranslationValidation(prepared.validation, tuple(references.iloc[rows]), prepared.text)
    return ClassificationValidation(prepared.validation, recipe.fit_threshold)


def parameter_groups(model: nn.Module, recipe: Recipe) -> list[dict]:
    """The token embeddings have their own learning rate; the group of all other parameters comes last."""
    tokens = model.token_embedding.weight
    rest = [parameter for parameter in model.parameters() if parameter is not tokens]
    return [{"params": [tokens], "lr": recipe.lr * recipe.token_lr}, {"params": rest, "lr": recipe.lr}]


def optimiser_for(groups: list[dict], recipe: Recipe) -> torch.optim.Optimizer:
    """Fused: a single kernel for all parameters."""
    kind = torch.optim.Adam if recipe.optimiser == "adam" else torch.optim.AdamW
    return kind(groups, weight_decay=recipe.weight_decay, fused=True)
