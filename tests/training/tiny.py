"""A training that takes a second, and a callback that records its figures without those of the clock."""

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from viz_core.recipes import Recipe
from viz_core.tasks import get_task
from viz_core.training.settings import Training, model_config
from viz_core.training.train import train_in
from viz_core.training.trainer import Trainer, TrainingCallback

# `make check-gpu` runs these tests on a GPU.
DEVICE = os.environ.get("VIZ_TEST_DEVICE", "cpu")
ENCODER = dict(layers=1, heads=2, width=16, feedforward=16, dropout=0.1)
RECIPE = Recipe(lr=2e-3, epochs=2, batch=64, word_dropout=0.1, label_smoothing=0.05)
CLOCK_FIGURES = {"tokens_per_second", "seconds", "memory_bytes"}


def training(task: str = "imdb", recipe: Recipe = RECIPE, encoder: dict = ENCODER, **values) -> Training:
    return Training(
        get_task(task),
        model_config(get_task(task), "encoder", encoder),
        recipe,
        **{"name": "tiny", "data": "sample", "device": DEVICE, **values},
    )


def train_tiny(
    work: Path, callback: TrainingCallback | None = None, task: str = "imdb", **recipe
) -> tuple[Trainer, bool]:
    return train_in(work, training(task, replace(RECIPE, **recipe)), callback or TrainingCallback())


def without_clock(figures: dict) -> dict:
    return {name: value for name, value in figures.items() if name not in CLOCK_FIGURES}


def lines(file: Path) -> list[dict]:
    return [without_clock(json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]


class RecordingCallback(TrainingCallback):
    """Records its calls; `act(step)` is called after every step and returns True to stop the training."""

    def __init__(self, act: Callable[[int], bool | None] = lambda step: None) -> None:
        super().__init__(self._record)
        self.act, self.figures, self.snapshots, self.start, self.stopping = act, [], [], None, False

    def _record(self, figures: dict) -> None:
        self.figures.append(without_clock(figures))

    def on_start(self, device, step, total) -> None:
        self.start = (device, step, total)

    def on_step(self, step, total) -> None:
        self.stopping = self.stopping or bool(self.act(step))

    def should_stop(self) -> bool:
        return self.stopping

    def on_snapshot(self, evaluation, load_model) -> None:
        self.snapshots.append((evaluation, load_model))
