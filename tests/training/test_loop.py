"""The loop on losses whose course is known."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from viz_core.training.loop import Diverged, fit, learning_rate_factor


@pytest.mark.parametrize("step, warmup, schedule, factor", [
    (0, 0.2, "cosine", 0.05), (9, 0.2, "cosine", 0.5), (19, 0.2, "cosine", 1.0),  # 20 of 100 steps rise
    (20, 0.2, "cosine", 1.0), (60, 0.2, "cosine", 0.5), (100, 0.2, "cosine", 0.0), (150, 0.2, "cosine", 0.0),
    (40, 0.2, "cosine", (1 + 0.5 ** 0.5) / 2),                                    # a quarter of the way: cos 45°
    (0, 0.0, "constant", 1.0), (99, 0.0, "constant", 1.0), (4, 0.1, "constant", 0.5), (50, 0.1, "constant", 1.0),
])
def test_learning_rate_by_hand(step, warmup, schedule, factor):
    assert learning_rate_factor(step, 100, warmup, schedule) == pytest.approx(factor)


def run(module, loss, epochs=3, batches=4, after_epoch=lambda epoch, loss: None, lr=0.1, clip=1.0):
    groups = [{"params": list(module.parameters()), "lr": lr}]
    fit(module, groups, epochs, lambda epoch: range(batches), batches, loss, weight_decay=0.0, warmup=0.0,
        schedule="constant", clip=clip, after_epoch=after_epoch)


def test_loss_comes_down_and_every_epoch_is_told():
    module, told = nn.Linear(1, 1), []
    run(module, lambda batch: (module(torch.ones(1, 1)) - 3).square().sum(), epochs=30,
        after_epoch=lambda epoch, loss: told.append((epoch, loss)))
    assert [epoch for epoch, _ in told] == list(range(30))
    assert told[-1][1] < 0.01 * told[0][1]


def test_mean_loss_of_an_epoch_is_that_of_its_batches():
    module, told = nn.Linear(1, 1), []
    run(module, lambda batch: module.weight.sum() * 0 + batch, epochs=1, after_epoch=lambda *said: told.append(said))
    assert told == [(0, 1.5)]  # batches 0, 1, 2, 3


def test_first_step_moves_every_weight_by_the_learning_rate():
    """Adam's first step is the sign of the gradient times the rate, however large the gradient."""
    module = nn.Linear(2, 1, bias=False)
    before = module.weight.detach().clone()
    run(module, lambda batch: (module.weight * torch.tensor([[100.0, -3.0]])).sum(), epochs=1, batches=1, lr=0.01)
    torch.testing.assert_close(module.weight - before, torch.tensor([[-0.01, 0.01]]), atol=1e-6, rtol=0)


def test_loss_that_is_no_number_is_named_with_its_place():
    module, seen = nn.Linear(1, 1), []
    def loss(batch):
        seen.append(batch)
        return module.weight.sum() * (float("nan") if len(seen) == 6 else 1.0)
    with pytest.raises(Diverged, match="the loss is nan in epoch 2, step 2"):
        run(module, loss)


def test_training_stops_where_the_evaluation_says_so():
    told = []
    def after_epoch(epoch, loss):
        told.append(epoch)
        return epoch == 1
    module = nn.Linear(1, 1)
    run(module, lambda batch: module.weight.sum(), epochs=9, after_epoch=after_epoch)
    assert told == [0, 1]


def test_every_epoch_trains_although_an_evaluation_switched_to_eval():
    module, modes = nn.Linear(1, 1), []
    def loss(batch):
        modes.append(module.training)
        return module.weight.sum()
    run(module, loss, epochs=2, batches=1, after_epoch=lambda *_: module.eval() and None)
    assert modes == [True, True]


def test_groups_of_parameters_learn_at_their_own_rates():
    """Adam's first step is as long as the rate, whatever the gradient: a tenth of the rate goes a tenth as far."""
    fast, slow = torch.nn.Parameter(torch.zeros(1)), torch.nn.Parameter(torch.zeros(1))
    module = torch.nn.ParameterList([fast, slow])
    fit(module, [{"params": [fast], "lr": 0.1}, {"params": [slow], "lr": 0.01}], 1, lambda epoch: range(1), 1,
        lambda batch: (3 * fast + 5 * slow).sum(), weight_decay=0.0, warmup=0.0, schedule="constant", clip=100.0,
        after_epoch=lambda epoch, loss: None)
    assert fast.item() == pytest.approx(-0.1, rel=1e-4) and slow.item() == pytest.approx(-0.01, rel=1e-4)
