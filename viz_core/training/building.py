"""What a training is built from: the objective and the optimiser."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from viz_core.recipes import Recipe
from viz_core.training.objectives import Classification, balanced_weights


def classification(model: nn.Module, recipe: Recipe, labels: np.ndarray) -> Classification:
    """labels: those that are learned from; classes are weighted by how often they occur there, if the recipe wants it."""
    weights = balanced_weights(labels, model.config.classes) if recipe.class_weights else None
    return Classification(model, recipe.word_dropout, recipe.label_smoothing, weights, recipe.r_drop)


def parameter_groups(model: nn.Module, recipe: Recipe) -> list[dict]:
    """The token embeddings learn at a rate of their own; the rate of the rest comes last."""
    tokens = model.token_embedding.weight
    rest = [parameter for parameter in model.parameters() if parameter is not tokens]
    return [{"params": [tokens], "lr": recipe.lr * recipe.token_lr}, {"params": rest, "lr": recipe.lr}]


def optimiser_for(groups: list[dict], recipe: Recipe) -> torch.optim.Optimizer:
    """Fused: one kernel for all parameters, on every device that we know."""
    kind = torch.optim.Adam if recipe.optimiser == "adam" else torch.optim.AdamW
    return kind(groups, weight_decay=recipe.weight_decay, fused=True)
