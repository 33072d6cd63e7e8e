"""The optimiser of a recipe, and groups of parameters with their own learning rates."""

import torch

from viz_core.models.protocol import Network
from viz_core.recipes import Recipe


def parameter_groups(model: Network, recipe: Recipe) -> list[dict]:
    """Group the parameters by learning rate: the token embeddings, then all others."""
    tokens = model.token_embedding.weight
    rest = [parameter for parameter in model.parameters() if parameter is not tokens]
    return [{"params": [tokens], "lr": recipe.lr * recipe.token_lr}, {"params": rest, "lr": recipe.lr}]


def optimiser_for(groups: list[dict], recipe: Recipe) -> torch.optim.Optimizer:
    """Build the fused optimiser of a recipe: a single kernel updates all parameters."""
    kind = torch.optim.Adam if recipe.optimiser == "adam" else torch.optim.AdamW
    return kind(groups, weight_decay=recipe.weight_decay, fused=True)
