"""The training loop: minimises a loss on any number of processes; knows neither model nor task."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

import torch
from torch import Tensor, nn

from viz_core.training.gradients import Gradients, build_gradients

if TYPE_CHECKING:
    from lightning_fabric import Fabric

# Reading a result waits for the device. On a GPU the sums are read after at most this many steps, or seconds.
_STEPS_PER_READ, _SECONDS_PER_READ = 20, 0.25


class Diverged(RuntimeError):
    """The loss or its gradient is no longer finite."""


class BatchSums(NamedTuple):
    """What an objective computes from a batch.

    Attributes:
        loss: Summed loss.
        weight: Sum of the weights, by which the loss is divided.
        correct: Number of correct predictions.
        predictions: Number of all predictions.
    """

    loss: Tensor
    weight: Tensor
    correct: Tensor
    predictions: Tensor


class Action(IntEnum):
    """What the callback wants after a step; a greater action includes the smaller ones."""

    CONTINUE = 0
    SAVE = 1
    STOP = 2


@dataclass
class LoopState:
    """The progress of a loop.

    With weights, optimiser and random state it is everything needed to resume exactly.

    Attributes:
        epoch: Number of the epoch, from 0.
        step: Steps done in this epoch.
        due: Whether an evaluation comes next.
        sums: BatchSums of all batches since the last evaluation.
        done: Whether nothing is left to do.
    """

    epoch: int = 0
    step: int = 0
    due: bool = False
    sums: list[float] = field(default_factory=lambda: [0.0] * len(BatchSums._fields))
    done: bool = False


@dataclass(frozen=True)
class Plan:
    """The number of steps and their learning rates.

    Attributes:
        epochs: Number of epochs.
        steps: Steps per epoch.
        warmup: Share of all steps over which the learning rate rises.
        schedule: `cosine` or `constant`, after the warm-up.
        clip: Largest norm of the gradient, 0 for none.
        evaluations: Per epoch, evenly spaced, the last at its end.
    """

    epochs: int
    steps: int
    warmup: float
    schedule: str
    clip: float
    evaluations: int = 1

    @cached_property
    def evaluation_steps(self) -> set[int]:
        """The steps of an epoch, from 1, after which there is an evaluation."""
        return {math.ceil(self.steps * part / self.evaluations) for part in range(1, self.evaluations + 1)}

    def steps_done(self, state: LoopState) -> int:
        """Number of steps done in all epochs."""
        return state.epoch * self.steps + state.step

    def lr_factor(self, step: int) -> float:
        """Share of the peak learning rate at a step, counted from 0 over all epochs."""
        return learning_rate_factor(step, self.epochs * self.steps, self.warmup, self.schedule)


class LoopCallback(Protocol):
    """Evaluates and saves. Called on all processes, except `after_step`."""

    def after_step(self, state: LoopState) -> Action:
        """Called on the first process: after every step on a CPU, at least once a second on a GPU."""

    def evaluate(self, state: LoopState, lr_factor: float) -> bool | None:
        """Evaluate the model.

        Args:
            state: The progress.
            lr_factor: Share of the peak rates in the last step.

        Returns:
            Whether to end the training; None if the evaluation was interrupted.
        """

    def save(self, state: LoopState) -> None:
        """Save what is needed to resume from here."""


def learning_rate_factor(step: int, total: int, warmup: float, schedule: str) -> float:
    """Share of the peak learning rate at a step.

    It rises linearly over the warm-up, then falls along half a cosine to zero, or stays constant.
    """
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
    state: LoopState,
    callback: LoopCallback,
) -> bool:
    """Minimise the objective from `state` on, which is updated.

    The gradient is that of the mean over all examples of a batch, on any number of processes. The
    loop saves after every evaluation, and when the callback asks for it.

    Args:
        fabric: Where the training runs.
        objective: Batch -> BatchSums.
        optimiser: Its learning rates are the peak rates.
        plan: Steps and schedule.
        batches: Epoch and first step -> this process's share of each batch.
        state: Where to start.
        callback: Evaluates and saves.

    Returns:
        False if the callback stopped it.

    Raises:
        Diverged: If the loss or its gradient is not finite, naming the first such step.
    """
    peak_rates = [group["lr"] for group in optimiser.param_groups]
    module, optimiser = fabric.setup(objective, optimiser)
    gradients = build_gradients(fabric, module, optimiser, plan.clip)
    while not state.done:
        if state.due:
            completed = _evaluate(plan, state, callback)
        else:
            remaining = batches(state.epoch, state.step)
            completed = _train(fabric, module, optimiser, gradients, plan, peak_rates, remaining, state, callback)
        if not completed:
            return False
    return True


def _train(
    fabric: Fabric,
    module: nn.Module,
    optimiser: torch.optim.Optimizer,
    gradients: Gradients,
    plan: Plan,
    peak_rates: list[float],
    batches: Iterable,
    state: LoopState,
    callback: LoopCallback,
) -> bool:
    """Train until the next evaluation is due; returns False if the callback stopped it."""
    module.train()
    sums = _RunningSums(fabric, state)
    for batch in batches:
        factor = plan.lr_factor(plan.steps_done(state))
        for group, peak in zip(optimiser.param_groups, peak_rates, strict=True):
            group["lr"] = peak * factor
        sums.add(*gradients.compute(batch))
        optimiser.step()
        state.step += 1
        due = state.step in plan.evaluation_steps
        if not (due or sums.is_read_due):
            continue
        action = sums.read(state, callback)
        state.due = due
        if action >= Action.STOP or (action >= Action.SAVE and not due):
            callback.save(state)
        if action >= Action.STOP:
            return False
        if due:
            return True
    raise ValueError(f"epoch {state.epoch + 1} has {state.step} batches instead of {plan.steps}: train from the start")


def _evaluate(plan: Plan, state: LoopState, callback: LoopCallback) -> bool:
    """Evaluate, advance to the next epoch if this one is over, and save.

    Returns:
        False if the evaluation was interrupted.
    """
    enough = callback.evaluate(state, plan.lr_factor(plan.steps_done(state) - 1))
    if enough is not None:
        if state.step == plan.steps:
            state.epoch, state.step = state.epoch + 1, 0
        state.sums, state.due = [0.0] * len(BatchSums._fields), False
        state.done = enough or state.epoch == plan.epochs
    callback.save(state)
    return enough is not None


class _RunningSums:
    """Sums over the steps since the last evaluation, kept on the device until they are read."""

    def __init__(self, fabric: Fabric, state: LoopState) -> None:
        self._fabric = fabric
        dtype = torch.float32 if fabric.device.type == "mps" else torch.float64  # MPS has no 64-bit floats
        self._sums = torch.tensor(state.sums, dtype=dtype, device=fabric.device)
        self._finite = torch.ones(2, dtype=dtype, device=fabric.device)  # 1 while loss and gradient have been finite
        self._finite_steps = torch.zeros(2, dtype=dtype, device=fabric.device)
        self._first = state.step
        self._steps, self._interval, self._last_read = 0, 1, time.monotonic()

    @property
    def is_read_due(self) -> bool:
        """Whether enough steps have passed since the last reading; the same on all processes."""
        return self._steps >= self._interval

    def add(self, totals: Tensor, norm: Tensor) -> None:
        """Add the sums of a step."""
        self._sums += totals
        self._finite *= torch.stack([totals[0], norm]).isfinite()
        self._finite_steps += self._finite
        self._steps += 1

    def read(self, state: LoopState, callback: LoopCallback) -> Action:
        """Write the sums into the state.

        Returns:
            The action of the callback on the first process.

        Raises:
            Diverged: If the loss or its gradient is not finite.
        """
        action, interval = (0, 0)
        if self._fabric.is_global_zero:
            action, interval = callback.after_step(state), self._next_interval()
        decision = torch.tensor([action, interval], dtype=self._sums.dtype, device=self._fabric.device)
        if self._fabric.world_size > 1:
            decision = cast(Tensor, self._fabric.all_reduce(decision, reduce_op="sum"))
        *sums, finite_losses, finite_norms, action, interval = torch.cat(
            [self._sums, self._finite_steps, decision]
        ).tolist()  # the only wait for the device
        if min(finite_losses, finite_norms) < state.step - self._first:
            step = self._first + int(min(finite_losses, finite_norms)) + 1
            what = f"loss is {sums[0]}" if finite_losses <= finite_norms else "norm of the gradient is not finite"
            raise Diverged(f"the {what} in epoch {state.epoch + 1}, step {step}")
        state.sums = sums
        self._steps, self._interval, self._last_read = 0, round(interval), time.monotonic()
        return Action(round(action))

    def _next_interval(self) -> int:
        """Steps until the next reading: 1 on a CPU, where reading costs nothing."""
        if self._fabric.device.type == "cpu":
            return 1
        seconds = (time.monotonic() - self._last_read) / self._steps
        return max(1, min(_STEPS_PER_READ, int(_SECONDS_PER_READ / max(seconds, 1e-9))))
