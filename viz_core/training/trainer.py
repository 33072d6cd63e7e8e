"""Connects the training loop with a run folder: evaluates, reports, and keeps the best checkpoint and what resuming
needs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

import torch
from torch import Tensor, nn

from viz_core import checkpoints
from viz_core.checkpoints import Checkpoint, Settings
from viz_core.checkpoints.card import save_metrics_and_card
from viz_core.models.protocol import Network
from viz_core.recipes import Recipe
from viz_core.records import Examples, Failure, Metrics
from viz_core.tasks import Task
from viz_core.text.tokenizer import TextEncoder
from viz_core.training.batches import Batch, DeviceExamples, epoch_rows
from viz_core.training.devices import memory_used
from viz_core.training.folders import checkpoint_folder, latest_checkpoint, remove_other_checkpoints, write_folder
from viz_core.training.loop import Action, Diverged, LoopState, Plan, fit
from viz_core.training.state import TrainerState, load_state, load_trainer_state, random_state, save_state
from viz_core.training.validation import Stopped, Validation, half_precision_copy

if TYPE_CHECKING:
    from lightning_fabric import Fabric

SAVE_SECONDS = 60.0  # at most so much work is lost if the process is killed


@dataclass(frozen=True, eq=False)
class TrainingSetup:
    """What is trained. name: for its model card. model: on the device of the training. figures: entries of every
    metrics.json, whatever the step, among them `data_sha256`."""

    name: str
    task: Task
    model: Network
    text: TextEncoder
    validation: Validation
    recipe: Recipe
    settings: Settings
    figures: dict


class TrainingCallback:
    """What a training reports, and how it is asked to stop: called on its first process. This one passes the figures of
    every evaluation on."""

    def __init__(self, report: Callable[[dict], None] = lambda figures: None) -> None:
        self.report = report

    def on_start(self, device: str, step: int, total: int) -> None:
        """Before the first step; step: the number of steps done, above 0 in a resumed training."""

    def on_step(self, step: int, total: int) -> None:
        """After every step on a CPU and at least once a second on a GPU; step: the number of steps done."""

    def should_stop(self) -> bool:
        """Whether the training should stop; called after steps and during evaluations."""
        return False

    def on_evaluation(self, figures: dict, best: dict | None) -> None:
        """After every evaluation: its figures, and those of the best one so far."""
        self.report(figures)

    def on_snapshot(self, evaluation: int, load_model: Callable[[], Checkpoint]) -> None:
        """At every evaluation, 0 being the random initialisation; load_model: returns the current model, on the CPU."""


class Trainer:
    """A training in a folder, from its start or from the last checkpoint there. A LoopCallback."""

    def __init__(
        self, fabric: Fabric, setup: TrainingSetup, work: Path, callback: TrainingCallback, total: int
    ) -> None:
        """total: steps of all phases. Raises Failure if the folder belongs to other data."""
        self.fabric, self.setup, self.work, self.callback, self.total = fabric, setup, work, callback, total
        self.resume = latest_checkpoint(work)
        data = setup.figures["data_sha256"]
        self.state = load_trainer_state(self.resume) if self.resume else TrainerState(data=data)
        # Evaluations are only comparable on the same rows: an earlier version had duplicates in validation.
        rows = self.state.best["n"] if self.state.best else len(setup.validation)
        if self.state.data != data or rows != len(setup.validation):
            raise Failure("training.other_data", folder=str(work))
        self._start = time.monotonic() - self.state.seconds
        self._evaluated: tuple[Settings, dict] | None = None  # the last evaluation, until it is saved
        self._tokens, self._since, self._saved = 0, time.monotonic(), time.monotonic()

    @property
    def best(self) -> Path | None:
        """The folder of the best checkpoint so far."""
        return checkpoint_folder(self.work, self.state.best["step"]) if self.state.best else None

    def start(self) -> None:
        """Reports device and first step; takes a snapshot of the random initialisation."""
        if self.fabric.is_global_zero:
            self.callback.on_start(self.setup.figures["device"], self.state.step, self.total)
            if not self.resume:
                self._take_snapshot(half_precision_copy(self.setup.model))

    def run_phase(
        self,
        phase: str,
        before: int,
        objective: nn.Module,
        optimiser: torch.optim.Optimizer,
        plan: Plan,
        examples: Examples,
        seed: int,
    ) -> bool:
        """A phase, from its start or from the saved state; before: steps of earlier phases. False if it was stopped."""
        device, process, processes = self.fabric.device, self.fabric.global_rank, self.fabric.world_size
        if self.resume:
            if self.state.phase != phase:
                return True  # completed before
            load_state(self.resume, objective, optimiser, device, process)
            self.resume = None
        else:
            self.state.phase, self.state.loop = phase, LoopState()
        self._before, self._plan, self._objective, self._optimiser = before, plan, objective, optimiser
        self._tokens, self._since = 0, time.monotonic()
        on_device = DeviceExamples(examples, device, self.setup.model.config.max_tokens)

        def batches(epoch: int, start: int) -> Iterable[Batch]:
            rows = epoch_rows(examples, self.setup.recipe.batch, seed, epoch)[start:]
            shares = on_device.batches(rows, process, processes, candidates=phase == "pretrain")
            for batch, batch_rows in zip(shares, rows, strict=True):
                self._tokens += int(examples.lengths[batch_rows].sum())
                yield batch

        return fit(self.fabric, objective, optimiser, plan, batches, self.state.loop, self)

    def after_step(self, state: LoopState) -> Action:
        self.callback.on_step(self._steps_done(state), self.total)
        if self.callback.should_stop():
            return Action.STOP
        return Action.SAVE if time.monotonic() - self._saved > SAVE_SECONDS else Action.CONTINUE

    def evaluate(self, state: LoopState, lr_factor: float) -> bool | None:
        return self.fabric.broadcast(self._evaluate(state, lr_factor) if self.fabric.is_global_zero else None)

    def save(self, state: LoopState) -> None:
        """Writes `checkpoints/<step>/` with what resuming needs, and removes the previous one unless it is the best."""
        random = _from_all_processes(self.fabric, random_state(self.fabric.device))
        if self.fabric.is_global_zero:
            self.state.step, self.state.seconds = self._steps_done(state), time.monotonic() - self._start
            write_folder(checkpoint_folder(self.work, self.state.step), lambda folder: self._fill(folder, random))
            best = self.state.best["step"] if self.state.best else None
            remove_other_checkpoints(self.work, best, self.state.step)
        self._evaluated, self._saved = None, time.monotonic()

    def _steps_done(self, state: LoopState) -> int:
        return self._before + self._plan.steps_done(state)

    def _evaluate(self, loop: LoopState, lr_factor: float) -> bool | None:
        """On the first process, with the weights as they would be shipped."""
        recipe, state = self.setup.recipe, self.state
        figures = self._training_figures(loop, lr_factor)
        model = half_precision_copy(self.setup.model)
        if state.phase == "train":
            try:
                measured = self.setup.validation.measure(model, self.setup.settings, self.callback.should_stop)
            except Stopped:
                return None
            except FloatingPointError as error:
                raise Diverged(f"{error} after step {figures['step']}") from error
            self._evaluated = (measured.settings, measured.saved_figures)
            figures |= measured.figures
            measure = self.setup.task.kind.best_measure(recipe.best, self.setup.task.name)
            if state.best is None or measure.is_better(figures[measure.name], state.best[measure.name]):
                state.best = figures
        state.evaluations = figures["evaluation"]
        self.callback.on_evaluation(figures, state.best)
        self._take_snapshot(model)
        self._tokens, self._since = 0, time.monotonic()
        return state.best is not None and 0 < recipe.patience <= figures["epoch"] - state.best["epoch"]

    def _training_figures(self, loop: LoopState, lr_factor: float) -> dict:
        """The figures of an evaluation that do not come from validation."""
        loss, weight, correct, count = loop.sums
        now = time.monotonic()
        epochs = loop.epoch + loop.step / self._plan.steps
        peak_rate = self.setup.recipe.lr if self.state.phase == "train" else self.setup.recipe.pretrain_lr
        return {
            "phase": self.state.phase,
            "evaluation": self.state.evaluations + 1,
            "epoch": int(epochs) if epochs.is_integer() else epochs,
            "step": self._steps_done(loop),
            "loss": loss / weight,
            "train_accuracy": correct / count,
            "lr": peak_rate * lr_factor,
            "tokens_per_second": round(self._tokens / max(now - self._since, 1e-9)),
            "seconds": round(now - self._start, 1),
            "device": self.fabric.device.type,
            "memory_bytes": memory_used(self.fabric.device),
        }

    def _take_snapshot(self, model: Network) -> None:
        setup = self.setup
        self.callback.on_snapshot(
            self.state.evaluations,
            lambda: Checkpoint(setup.name, setup.task, setup.settings, model.cpu(), setup.text, Metrics()),
        )

    def _fill(self, folder: Path, random: dict[str, Tensor]) -> None:
        setup = self.setup
        settings, validation = self._evaluated or (setup.settings, None)
        figures = {**setup.figures, "step": self.state.step, "wall_seconds": round(self.state.seconds)}
        checkpoints.save(folder, settings, setup.model, setup.text, figures)
        if validation:
            save_metrics_and_card(folder, {**figures, "validation": validation}, setup.name)
        save_state(folder, self.state, self._objective, self._optimiser, random)


def _from_all_processes(fabric: Fabric, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """The tensors of all processes, `(processes, …)`."""
    gathered = {}
    for name, tensor in tensors.items():
        rows = torch.zeros(fabric.world_size, len(tensor), dtype=tensor.dtype, device=fabric.device)
        rows[fabric.global_rank] = tensor.to(fabric.device)
        gathered[name] = cast(Tensor, fabric.all_reduce(rows, reduce_op="sum")).cpu()
    return gathered
