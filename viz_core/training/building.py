"""Builds the objective and the optimiser of a training."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from viz_core.recipes import Recipe
from viz_core.training.objectives import Classification, balanced_weights


def classification(model: nn.Module, recipe: Recipe, labels: np.ndarray) -> Classification:
    """The objective of a recipe. labels: of the train set, for the class weights."""
    weights = balanced_weights(labels, model.config.classes) if recipe.class_weights else None
    return Classification(model, recipe.word_dropout, recipe.label_smoothing, weights, recipe.r_drop)


def parameter_groups(model: nn.Module, recipe: Recipe) -> list[dict]:
    """The token embeddings have their own learning rate; the group of all other parameters comes last."""
    tokens = model.token_embedding.weight
    rest = [parameter for parameter in model.parameters() if parameter is not tokens]
    return [{"params": [tokens], "lr": recipe.lr * recipe.token_lr}, {"params": rest, "lr": recipe.lr}]


def optimiser_for(groups: list[dict], recipe: Recipe) -> torch.optim.Optimizer:
    """Fused: a single kernel for all parameters."""
    kind = torch.optim.Adam if recipe.optimiser == "adam" else torch.optim.AdamW
    return kind(groups, weight_decay=recipe.weight_decay, fused=True)
