"""A training that takes a second, and the figures of it that do not depend on the clock."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from viz_core.recipes import Recipe
from viz_core.tasks import TASKS
from viz_core.training.session import Session
from viz_core.training.settings import Training, model_config
from viz_core.training.train import train_in
from viz_core.training.watch import Watch

ENCODER = dict(layers=1, heads=2, width=16, feedforward=16, dropout=0.1)
RECIPE = Recipe(lr=2e-3, epochs=2, batch=64, word_dropout=0.1, label_smoothing=0.05)
OF_THE_CLOCK = {"tokens_per_second", "seconds", "memory_bytes"}


def training(task: str = "imdb", recipe: Recipe = RECIPE, encoder: dict = ENCODER, **values) -> Training:
    return Training(
        TASKS[task],
        model_config(TASKS[task], "encoder", encoder),
        recipe,
        **{"name": "tiny", "data": "sample", "device": "cpu", **values},
    )


def train_tiny(work: Path, watch: Watch | None = None, task: str = "imdb", **recipe) -> tuple[Session, bool]:
    return train_in(work, training(task, replace(RECIPE, **recipe)), watch or Watch())


def timeless(figures: dict) -> dict:
    return {name: value for name, value in figures.items() if name not in OF_THE_CLOCK}


def lines(file: Path) -> list[dict]:
    return [timeless(json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]


class Told(Watch):
    """Keeps what it is told; `act(step)` is called in every step, and asks for a stop by returning True."""

    def __init__(self, act: Callable[[int], bool | None] = lambda step: None) -> None:
        super().__init__(self._keep)
        self.act, self.figures, self.looks, self.begun, self.stopping = act, [], [], None, False

    def _keep(self, figures: dict) -> None:
        self.figures.append(timeless(figures))

    def started(self, device, step, total) -> None:
        self.begun = (device, step, total)

    def stepped(self, step, total) -> None:
        self.stopping = self.stopping or bool(self.act(step))

    def stop(self) -> bool:
        return self.stopping

    def look(self, evaluation, model) -> None:
        self.looks.append((evaluation, model))
