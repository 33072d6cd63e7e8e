import math

import pytest
import torch
from torch import nn

from viz_core.models.kinds import KINDS
from viz_core.recipes import Recipe
from viz_core.training.building import optimiser_for, parameter_groups
from viz_core.training.muon import Muon, orthogonalise

SIZES = dict(vocabulary=9, max_tokens=8, layers=2, heads=2, width=4, feedforward=6)
CONFIGS = {"encoder": SIZES | {"classes": 2}, "decoder": SIZES}


@pytest.mark.parametrize("shape", [(6, 6), (3, 12), (12, 3)])
def test_singular_values_come_near_one_and_singular_vectors_stay(shape):
    torch.manual_seed(0)
    left, _, right = torch.linalg.svd(torch.randn(shape), full_matrices=False)
    strengths = torch.linspace(0.3, 2, min(shape))
    values = torch.diag(left.T @ orthogonalise(left @ torch.diag(strengths) @ right) @ right.T)
    assert values.min() > 0.6 and values.max() < 1.3
    rest = left @ torch.diag(values) @ right - orthogonalise(left @ torch.diag(strengths) @ right)
    assert rest.abs().max() < 1e-4


def test_a_step_moves_all_directions_of_a_gradient_alike_and_has_the_size_of_adamws():
    weight = nn.Parameter(torch.zeros(4, 4))
    weight.grad = torch.diag(torch.tensor([8.0, 4.0, 2.0, 1.0]))
    Muon([{"params": [weight], "lr": 0.1, "orthogonal": True}], weight_decay=0.0).step()
    moved = -weight.detach() / (0.1 * 0.2 * math.sqrt(4))
    torch.testing.assert_close(moved, torch.diag(moved.diag()))
    assert moved.diag().min() > 0.6 and moved.diag().max() < 1.3


def test_momentum_keeps_the_direction_of_earlier_gradients():
    weight = nn.Parameter(torch.zeros(2, 2))
    muon = Muon([{"params": [weight], "lr": 0.1, "orthogonal": True}], weight_decay=0.0)
    weight.grad = torch.eye(2)
    muon.step()
    weight.grad = torch.zeros(2, 2)
    muon.step()
    # 0.05, then 0.95 · 0.05: both orthogonalised to the same multiple of the identity
    torch.testing.assert_close(muon.state[weight]["momentum"], 0.95 * 0.05 * torch.eye(2))
    assert (weight.diag() < -0.02).all()


def test_weights_decay_by_learning_rate_times_decay():
    weight = nn.Parameter(torch.ones(2, 3))
    weight.grad = torch.zeros(2, 3)
    Muon([{"params": [weight], "lr": 0.1, "orthogonal": True}], weight_decay=0.5).step()
    torch.testing.assert_close(weight.detach(), torch.full((2, 3), 0.95))


@pytest.mark.parametrize("kind", ["encoder", "decoder"])
def test_embeddings_biases_and_norms_take_the_step_of_adamw(kind):
    models = [KINDS[kind].build(KINDS[kind].config(CONFIGS[kind])) for _ in "ab"]
    models[1].load_state_dict(models[0].state_dict())
    for model, name in zip(models, ["muon", "adamw"], strict=True):
        recipe = Recipe(optimiser=name, token_lr=0.5)
        for parameter in model.parameters():
            parameter.grad = torch.linspace(-1, 1, parameter.numel()).view_as(parameter)
        optimiser_for(parameter_groups(model, recipe), recipe).step()
    for (name, ours), other in zip(models[0].named_parameters(), models[1].parameters(), strict=True):
        assert torch.equal(ours, other) == (not ("layers." in name and ours.ndim == 2)), name
