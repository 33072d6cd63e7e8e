"""Between the loop and a folder: evaluates, says what was found, keeps the best checkpoint and all that resuming needs."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn

from viz_core import checkpoints
from viz_core.checkpoints import Checkpoint, Settings
from viz_core.checkpoints.card import record
from viz_core.recipes import Recipe
from viz_core.records import Examples, Failure, Metrics
from viz_core.tasks import Task
from viz_core.text.tokenizer import TextEncoder
from viz_core.training.batches import Batch, epoch_rows, parts
from viz_core.training.devices import memory_used
from viz_core.training.folders import checkpoint_folder, keep_only, last_folder, write_folder
from viz_core.training.loop import Diverged, Place, Plan, Wish, fit
from viz_core.training.state import Standing, load_standing, load_state, random_state, save_state
from viz_core.training.validation import as_shipped, calibrated, validation_figures, validation_scores
from viz_core.training.watch import Watch

if TYPE_CHECKING:
    from lightning_fabric import Fabric

SAVE_SECONDS = 60.0  # so much training is lost at most when the process is killed


@dataclass(frozen=True, eq=False)
class Subject:
    """What is trained. model: on the training's device. name: what its card calls it. figures: what every metrics.json
    holds whatever the step, `data_sha256` among it."""

    name: str
    task: Task
    model: nn.Module
    text: TextEncoder
    validation: Examples
    recipe: Recipe
    settings: Settings
    figures: dict


class Session:
    """One training in one folder, from its start or from the last checkpoint found there. A Watcher of the loop."""

    def __init__(self, fabric: Fabric, subject: Subject, work: Path, watch: Watch, total: int) -> None:
        """total: steps of all phases together. Raises Failure where the folder is of other data."""
        self.fabric, self.subject, self.work, self.watch, self.total = fabric, subject, work, watch, total
        self.resume = last_folder(work)
        data = subject.figures["data_sha256"]
        self.standing = load_standing(self.resume) if self.resume else Standing(data=data)
        if self.standing.data != data:
            raise Failure("training.other_data", folder=str(work))
        self._start = time.monotonic() - self.standing.seconds
        self._found: tuple[Settings, dict] | None = None  # of an evaluation, until it is saved
        self._tokens, self._since, self._saved = 0, time.monotonic(), time.monotonic()

    @property
    def best(self) -> Path | None:
        """The folder of the best checkpoint so far."""
        return checkpoint_folder(self.work, self.standing.best["step"]) if self.standing.best else None

    def run(
        self,
        phase: str,
        before: int,
        objective: nn.Module,
        optimiser: torch.optim.Optimizer,
        plan: Plan,
        examples: Examples,
        seed: int,
    ) -> bool:
        """One phase, from where it stands; before: steps of the phases before. False where the watch stopped it."""
        device, process, processes = self.fabric.device, self.fabric.global_rank, self.fabric.world_size
        if self.resume:
            if self.standing.phase != phase:
                return True  # it lies behind
            load_state(self.resume, objective, optimiser, device, process)
            self.resume = None
        else:
            self.standing.phase, self.standing.place = phase, Place()
        self._before, self._plan, self._objective, self._optimiser = before, plan, objective, optimiser
        self._tokens, self._since = 0, time.monotonic()

        def batches(epoch: int, start: int) -> Iterable[Batch]:
            rows = epoch_rows(examples, self.subject.recipe.batch, seed, epoch)[start:]
            return parts(examples, self._counted(rows, examples.lengths), device, process, processes)

        return fit(self.fabric, objective, optimiser, plan, batches, self.standing.place, self)

    def begin(self) -> None:
        """Says where it runs and from which step on; shows the random start, unless it lies behind."""
        if self.fabric.is_global_zero:
            self.watch.started(self.subject.figures["device"], self.standing.step, self.total)
            if not self.resume:
                self._look(as_shipped(self.subject.model))

    def wish(self, place: Place) -> Wish:
        self.watch.stepped(self._step(place), self.total)
        if self.watch.stop():
            return Wish.STOP
        return Wish.SAVE if time.monotonic() - self._saved > SAVE_SECONDS else Wish.GO_ON

    def evaluate(self, place: Place, factor: float) -> bool | None:
        return self.fabric.broadcast(self._evaluate(place, factor) if self.fabric.is_global_zero else None)

    def save(self, place: Place) -> None:
        """`checkpoints/<step>/` with the way to go on; the one before goes, unless it is the best."""
        random = _of_all(self.fabric, random_state(self.fabric.device))
        if self.fabric.is_global_zero:
            self.standing.step, self.standing.seconds = self._step(place), time.monotonic() - self._start
            write_folder(checkpoint_folder(self.work, self.standing.step), lambda folder: self._fill(folder, random))
            keep_only(self.work, self.standing.best and self.standing.best["step"], self.standing.step)
        self._found, self._saved = None, time.monotonic()

    def _step(self, place: Place) -> int:
        return self._before + self._plan.done(place)

    def _counted(self, batches: list[np.ndarray], lengths: np.ndarray) -> Iterable[np.ndarray]:
        for rows in batches:
            self._tokens += int(lengths[rows].sum())
            yield rows

    def _evaluate(self, place: Place, factor: float) -> bool | None:
        """On the first process, with the weights as they would be shipped."""
        recipe, validation, standing = self.subject.recipe, self.subject.validation, self.standing
        figures = self._figures(place, factor)
        shipped = as_shipped(self.subject.model)
        if standing.phase == "train":
            scores = validation_scores(shipped, validation, self.watch.stop)
            if scores is None:
                return None
            if not np.isfinite(scores).all():
                raise Diverged(f"the logits are no numbers after step {figures['step']}")
            self._found = calibrated(scores, validation.labels, self.subject.settings, recipe.fit_threshold)
            figures |= validation_figures(scores, validation.labels, self.subject.settings)
            if standing.best is None or figures[recipe.best] > standing.best[recipe.best]:
                standing.best = figures
        standing.evaluations = figures["evaluation"]
        self.watch.evaluated(figures, standing.best)
        self._look(shipped)
        self._tokens, self._since = 0, time.monotonic()
        return standing.best is not None and 0 < recipe.patience <= figures["epoch"] - standing.best["epoch"]

    def _figures(self, place: Place, factor: float) -> dict:
        """What an evaluation says apart from validation."""
        loss, weight, right, guesses = place.sums
        now = time.monotonic()
        epochs = place.epoch + place.step / self._plan.steps
        rate = self.subject.recipe.lr if self.standing.phase == "train" else self.subject.recipe.pretrain_lr
        return {
            "phase": self.standing.phase,
            "evaluation": self.standing.evaluations + 1,
            "epoch": int(epochs) if epochs.is_integer() else epochs,
            "step": self._step(place),
            "loss": loss / weight,
            "train_accuracy": right / guesses,
            "lr": rate * factor,
            "tokens_per_second": round(self._tokens / max(now - self._since, 1e-9)),
            "seconds": round(now - self._start, 1),
            "device": self.fabric.device.type,
            "memory_bytes": memory_used(self.fabric.device),
        }

    def _look(self, model: nn.Module) -> None:
        subject = self.subject
        self.watch.look(
            self.standing.evaluations,
            lambda: Checkpoint(subject.name, subject.task, subject.settings, model.cpu(), subject.text, Metrics()),
        )

    def _fill(self, folder: Path, random: dict[str, Tensor]) -> None:
        subject = self.subject
        settings, validation = self._found or (subject.settings, None)
        figures = {**subject.figures, "step": self.standing.step, "wall_seconds": round(self.standing.seconds)}
        checkpoints.save(folder, settings, subject.model, subject.text, figures)
        if validation:
            record(folder, {**figures, "validation": validation}, subject.name)
        save_state(folder, self.standing, self._objective, self._optimiser, random)


def _of_all(fabric: Fabric, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """The tensors of all processes, `(processes, …)`."""
    found = {}
    for name, tensor in tensors.items():
        rows = torch.zeros(fabric.world_size, len(tensor), dtype=tensor.dtype, device=fabric.device)
        rows[fabric.global_rank] = tensor.to(fabric.device)
        found[name] = fabric.all_reduce(rows, reduce_op="sum").cpu()
    return found
