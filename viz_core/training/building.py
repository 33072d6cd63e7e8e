"""The optimiser of a recipe, and the groups of parameters that it changes at their own rates."""

import torch

from viz_core.models.protocol import Network
from viz_core.recipes import Recipe


def parameter_groups(model: Network, recipe: Recipe) -> list[dict]:
    """The token embeddings have their own learning rate; the group of all other parameters comes last."""
    tokens = model.token_embedding.weight
    rest = [parameter for parameter in model.parameters() if parameter is not tokens]
    return [{"params": [tokens], "lr": recipe.lr * recipe.token_lr}, {"params": rest, "lr": recipe.lr}]


def optimiser_for(groups: list[dict], recipe: Recipe) -> torch.optim.Optimizer:
    """Fused: a single kernel for all parameters."""
    kind = torch.optim.Adam if recipe.optimiser == "adam" else torch.optim.AdamW
    return kind(groups, weight_decay=recipe.weight_decay, fused=True)
