"""The training loop: knows neither the model nor the task, only a loss to bring down; on as many processes as there are."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

import torch
from torch import Tensor, nn

if TYPE_CHECKING:
    from lightning_fabric import Fabric


class Diverged(RuntimeError):
    """The loss is no longer a number."""


class Sums(NamedTuple):
    """What an objective makes of a batch: the summed loss and what to divide it by, the right guesses and all guesses."""

    loss: Tensor
    weight: Tensor
    right: Tensor
    guesses: Tensor


class Wish(IntEnum):
    """What whoever watches wants after a step; the greater one includes the smaller one."""

    GO_ON = 0
    SAVE = 1
    STOP = 2


@dataclass
class Place:
    """How far a fit has come: with weights, optimiser and random state all that it needs to go on as if never interrupted.

    epoch: its number, from 0. step: how many of its steps are done. sums: those of all batches since the last evaluation.
    due: whether an evaluation comes next. done: nothing is left.
    """

    epoch: int = 0
    step: int = 0
    due: bool = False
    sums: list[float] = field(default_factory=lambda: [0.0] * len(Sums._fields))
    done: bool = False


@dataclass(frozen=True)
class Plan:
    """epochs of `steps` steps each; warmup: share of all steps; clip: largest norm of the gradient, 0 for none;
    evaluations: in each epoch, evenly spread, the last at its end."""

    epochs: int
    steps: int
    warmup: float
    schedule: str
    clip: float
    evaluations: int = 1

    @cached_property
    def evaluated(self) -> set[int]:
        """The steps of an epoch, from 1, after which there is an evaluation."""
        return {math.ceil(self.steps * part / self.evaluations) for part in range(1, self.evaluations + 1)}

    def done(self, place: Place) -> int:
        """How many of all steps are done."""
        return place.epoch * self.steps + place.step

    def factor(self, step: int) -> float:
        """Share of the peak rate at a step of all steps, from 0."""
        return learning_rate_factor(step, self.epochs * self.steps, self.warmup, self.schedule)


class Watcher(Protocol):
    """Who evaluates and saves. Asked on all processes, except `wish`."""

    def wish(self, place: Place) -> Wish:
        """Asked on the first process in every step."""

    def evaluate(self, place: Place, factor: float) -> bool | None:
        """True ends the training; None says that it was asked to stop before it was through. factor: share of the
        peak rates in the last step."""

    def save(self, place: Place) -> None:
        """Keeps what is needed to go on from here."""


def learning_rate_factor(step: int, total: int, warmup: float, schedule: str) -> float:
    """Share of the peak rate at a step: a linear rise over the warm-up, then half a cosine to zero, or constant."""
    rise = max(1, round(warmup * total))
    if warmup > 0 and step < rise:
        return (step + 1) / rise
    if schedule == "constant":
        return 1.0
    return 0.5 * (1 + math.cos(math.pi * min(1.0, (step - rise) / max(1, total - rise))))


def fit(
    fabric: Fabric,
    objective: nn.Module,
    optimiser: torch.optim.Optimizer,
    plan: Plan,
    batches: Callable[[int, int], Iterable],
    place: Place,
    watcher: Watcher,
) -> bool:
    """Brings the objective's loss down from `place` on, which it moves; False where the watcher stopped it.

    objective: batch -> Sums. optimiser: its rates are the peak rates. batches: epoch and step to start at -> this process's
    part of each batch. The gradient is that of the mean over all examples of the batch, on however many processes they
    lie. Saved after every evaluation, and where the watcher wishes it. Raises Diverged at a loss that is not finite.
    """
    peaks = [group["lr"] for group in optimiser.param_groups]
    module, optimiser = fabric.setup(objective, optimiser)
    while not place.done:
        if place.due:
            on = _evaluate(plan, place, watcher)
        else:
            on = _train(fabric, module, optimiser, plan, peaks, batches(place.epoch, place.step), place, watcher)
        if not on:
            return False
    return True


def _train(
    fabric: Fabric,
    module: nn.Module,
    optimiser: torch.optim.Optimizer,
    plan: Plan,
    peaks: list[float],
    batches: Iterable,
    place: Place,
    watcher: Watcher,
) -> bool:
    """Steps until the next evaluation is due; False where the watcher stopped it."""
    module.train()
    for batch in batches:
        factor = plan.factor(plan.done(place))
        for group, peak in zip(optimiser.param_groups, peaks, strict=True):
            group["lr"] = peak * factor
        wish = _step(fabric, module, optimiser, batch, plan.clip, place, watcher)
        place.due = place.step in plan.evaluated
        if wish >= Wish.STOP or (wish >= Wish.SAVE and not place.due):
            watcher.save(place)
        if wish >= Wish.STOP:
            return False
        if place.due:
            return True
    raise ValueError(f"epoch {place.epoch + 1} has {place.step} batches instead of {plan.steps}")


def _evaluate(plan: Plan, place: Place, watcher: Watcher) -> bool:
    """Evaluates, moves on to the next epoch if this one is over, and saves; False where the watcher stopped it."""
    enough = watcher.evaluate(place, plan.factor(plan.done(place) - 1))
    if enough is not None:
        if place.step == plan.steps:
            place.epoch, place.step = place.epoch + 1, 0
        place.sums, place.due = [0.0] * len(Sums._fields), False
        place.done = enough or place.epoch == plan.epochs
    watcher.save(place)
    return enough is not None


def _step(
    fabric: Fabric,
    module: nn.Module,
    optimiser: torch.optim.Optimizer,
    batch: object,
    clip: float,
    place: Place,
    watcher: Watcher,
) -> Wish:
    """One step of the optimiser; what the watcher on the first process wishes, known to all."""
    sums = module(batch)
    wish = float(watcher.wish(place)) if fabric.is_global_zero else 0.0
    told = torch.stack([*(one.detach() for one in sums), torch.tensor(wish, device=fabric.device)])
    *totals, wish = fabric.all_reduce(told, reduce_op="sum").tolist()  # the one wait for the device in a step
    mean = totals[0] / totals[1]
    if not math.isfinite(mean):
        raise Diverged(f"the loss is {mean} in epoch {place.epoch + 1}, step {place.step + 1}")
    # DDP takes the mean of the processes' gradients: theirs must add up to the mean over all examples.
    fabric.backward(sums.loss * (fabric.world_size / totals[1]))
    if clip:
        fabric.clip_gradients(module, optimiser, max_norm=clip, error_if_nonfinite=False)
    optimiser.step()
    optimiser.zero_grad()
    place.step += 1
    place.sums = [before + now for before, now in zip(place.sums, totals, strict=True)]
    return Wish(round(wish))
