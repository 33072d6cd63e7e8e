"""The state of a training on disk: what is loaded is what was saved."""

from collections.abc import Callable

import pytest
import torch
from torch import nn

from viz_core.training.loop import LoopState
from viz_core.training.muon import Muon
from viz_core.training.state import (
    TrainerState,
    load_state,
    load_trainer_state,
    random_state,
    save_state,
    set_random_state,
)

CPU = torch.device("cpu")


def muon(groups: list[dict], fused: bool) -> Muon:
    (weight, bias), rest = groups[0]["params"], groups[1:]
    return Muon([{"params": [weight], "lr": 0.1, "orthogonal": True}, {"params": [bias], "lr": 0.1}, *rest], 0.01)


def after_a_step(kind: Callable[..., torch.optim.Optimizer], seed: int) -> tuple[nn.Module, torch.optim.Optimizer]:
    """A module and its optimiser after a step; half of the parameters never had a gradient."""
    torch.manual_seed(seed)
    module = nn.ModuleList([nn.Linear(3, 2), nn.Linear(2, 2)])
    optimiser = kind(
        [{"params": module[0].parameters(), "lr": 0.1}, {"params": module[1].parameters(), "lr": 0.2}], fused=True
    )
    module[0](torch.rand(4, 3)).sum().backward()
    optimiser.step()
    optimiser.zero_grad()
    return module, optimiser


@pytest.mark.parametrize("kind", [torch.optim.Adam, torch.optim.AdamW, muon])
def test_weights_and_optimiser_come_back(tmp_path, kind):
    module, optimiser = after_a_step(kind, 0)
    save_state(tmp_path, TrainerState(), module, optimiser, {"cpu": torch.get_rng_state()[None]})
    other, other_optimiser = after_a_step(kind, 1)
    load_state(tmp_path, other, other_optimiser, CPU, 0)
    assert all(map(torch.equal, module.parameters(), other.parameters()))
    saved, loaded = optimiser.state_dict(), other_optimiser.state_dict()
    assert loaded["param_groups"] == saved["param_groups"]
    for number, values in saved["state"].items():
        assert all(torch.equal(value, loaded["state"][number][name]) for name, value in values.items())
    for layers, adam in ((module, optimiser), (other, other_optimiser)):
        layers[0](torch.ones(1, 3)).sum().backward()
        adam.step()
    assert torch.equal(module[0].weight, other[0].weight)


@pytest.mark.parametrize("process", [0, 1, 2])
def test_every_process_gets_its_own_random_state_back(tmp_path, process):
    states, expected = [], []
    for seed in range(3):
        torch.manual_seed(seed)
        states.append(random_state(CPU)["cpu"])
        expected.append(torch.rand(5))
    module, optimiser = after_a_step(torch.optim.Adam, 0)
    save_state(tmp_path, TrainerState(), module, optimiser, {"cpu": torch.stack(states)})
    load_state(tmp_path, module, optimiser, CPU, process)
    assert torch.equal(torch.rand(5), expected[process])


def test_a_process_without_a_saved_state_keeps_its_random_state(tmp_path):
    module, optimiser = after_a_step(torch.optim.Adam, 0)
    save_state(tmp_path, TrainerState(), module, optimiser, {"cpu": torch.get_rng_state()[None]})
    torch.manual_seed(7)
    expected = torch.rand(5)
    torch.manual_seed(7)
    load_state(tmp_path, module, optimiser, CPU, 1)
    assert torch.equal(torch.rand(5), expected)


def test_the_random_state_of_another_kind_of_device_is_ignored():
    set_random_state({"cuda": torch.zeros(16, dtype=torch.uint8)}, CPU)


def test_the_trainer_state_is_loaded_to_the_last_digit(tmp_path):
    state = TrainerState(
        "train", LoopState(3, 2, True, [1 / 3, 2.0, 1.0, 2.0]), 7, {"auc": 2 / 3, "step": 12}, 14, 0.1, "abc"
    )
    module, optimiser = after_a_step(torch.optim.Adam, 0)
    save_state(tmp_path, state, module, optimiser, {})
    assert load_trainer_state(tmp_path) == state
