"""The state of a training on disk: what is put back is what was there."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from viz_core.training.loop import LoopState
from viz_core.training.state import (
    TrainerState,
    load_state,
    load_trainer_state,
    random_state,
    save_state,
    set_random_state,
)

CPU = torch.device("cpu")


def trained(kind: type, seed: int) -> tuple[nn.Module, torch.optim.Optimizer]:
    """A module after a step, one of its parameters never having had a gradient."""
    torch.manual_seed(seed)
    module = nn.ModuleList([nn.Linear(3, 2), nn.Linear(2, 2)])
    optimiser = kind(
        [{"params": module[0].parameters(), "lr": 0.1}, {"params": module[1].parameters(), "lr": 0.2}], fused=True
    )
    module[0](torch.rand(4, 3)).sum().backward()
    optimiser.step()
    optimiser.zero_grad()
    return module, optimiser


@pytest.mark.parametrize("kind", [torch.optim.Adam, torch.optim.AdamW])
def test_weights_and_optimiser_come_back(tmp_path, kind):
    module, optimiser = trained(kind, 0)
    save_state(tmp_path, TrainerState(), module, optimiser, {"cpu": torch.get_rng_state()[None]})
    other, its = trained(kind, 1)
    load_state(tmp_path, other, its, CPU, 0)
    assert all(torch.equal(one, two) for one, two in zip(module.parameters(), other.parameters(), strict=True))
    assert its.state_dict()["param_groups"] == optimiser.state_dict()["param_groups"]
    for number, values in optimiser.state_dict()["state"].items():
        assert all(torch.equal(value, its.state_dict()["state"][number][name]) for name, value in values.items())
    for one, step in ((module, optimiser), (other, its)):
        one[0](torch.ones(1, 3)).sum().backward()
        step.step()
    assert torch.equal(module[0].weight, other[0].weight)


@pytest.mark.parametrize("process", [0, 1, 2])
def test_every_process_gets_its_own_random_numbers_back(tmp_path, process):
    states, drawn = [], []
    for seed in range(3):
        torch.manual_seed(seed)
        states.append(random_state(CPU)["cpu"])
        drawn.append(torch.rand(5))
    module, optimiser = trained(torch.optim.Adam, 0)
    save_state(tmp_path, TrainerState(), module, optimiser, {"cpu": torch.stack(states)})
    load_state(tmp_path, module, optimiser, CPU, process)
    assert torch.equal(torch.rand(5), drawn[process])


def test_a_process_that_was_not_there_keeps_its_own_random_numbers(tmp_path):
    module, optimiser = trained(torch.optim.Adam, 0)
    save_state(tmp_path, TrainerState(), module, optimiser, {"cpu": torch.get_rng_state()[None]})
    torch.manual_seed(7)
    expected = torch.rand(5)
    torch.manual_seed(7)
    load_state(tmp_path, module, optimiser, CPU, 1)
    assert torch.equal(torch.rand(5), expected)


def test_random_numbers_of_a_device_that_is_gone_are_left_out():
    set_random_state({"cuda": torch.zeros(16, dtype=torch.uint8)}, CPU)


def test_where_it_stands_comes_back_to_the_last_digit(tmp_path):
    state = TrainerState(
        "train", LoopState(3, 2, True, [1 / 3, 2.0, 1.0, 2.0]), 7, {"auc": 2 / 3, "step": 12}, 14, 0.1, "abc"
    )
    module, optimiser = trained(torch.optim.Adam, 0)
    save_state(tmp_path, state, module, optimiser, {})
    assert load_trainer_state(tmp_path) == state
