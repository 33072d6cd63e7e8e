"""The optimiser of a recipe, and groups of parameters with their own learning rates."""

from collections.abc import Iterable

import torch
from torch import nn

from viz_core.models.protocol import Network
from viz_core.recipes import Recipe
from viz_core.training.muon import Muon


def parameter_groups(model: Network, recipe: Recipe) -> list[dict]:
    """Group the parameters by learning rate: the token embeddings, then all others."""
    tokens = model.token_embedding.weight
    rest = [(name, parameter) for name, parameter in model.named_parameters() if parameter is not tokens]
    return [{"params": [tokens], "lr": recipe.lr * recipe.token_lr}, *layers_apart(rest, recipe.lr, recipe)]


def layers_apart(parameters: Iterable[tuple[str, nn.Parameter]], lr: float, recipe: Recipe) -> list[dict]:
    """Group named parameters: all of them, or the matrices of the layers apart, if Muon orthogonalises these."""
    parameters = list(parameters)
    if recipe.optimiser != "muon":
        return [{"params": [parameter for _, parameter in parameters], "lr": lr}]
    groups: dict[bool, list[nn.Parameter]] = {True: [], False: []}
    for name, parameter in parameters:
        groups["layers." in name and parameter.ndim == 2].append(parameter)
    return [{"params": group, "lr": lr, "orthogonal": orthogonal} for orthogonal, group in groups.items() if group]


def optimiser_for(groups: list[dict], recipe: Recipe) -> torch.optim.Optimizer:
    """Build the fused optimiser of a recipe: a single kernel updates all parameters."""
    if recipe.optimiser == "muon":
        return Muon(groups, weight_decay=recipe.weight_decay)
    kind = torch.optim.Adam if recipe.optimiser == "adam" else torch.optim.AdamW
    return kind(groups, weight_decay=recipe.weight_decay, fused=True)
