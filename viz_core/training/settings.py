"""What a training is asked for: the `settings` of its run's request."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field, fields

from viz_core.jobs.request import Request
from viz_core.records import Failure
from viz_core.tasks import task_named
from viz_core.training.building import encoder_config
from viz_core.training.presets import PRESETS, Recipe
from viz_core.training.train import Training

MOST_PINNED = 4


@dataclass(frozen=True)
class TrainingSettings:
    """task, data, preset, name, device: as on the command line. encoder, recipe: the fields that are not the preset's.
    pinned: up to four inputs that are explained at every evaluation, each a text, or a list of one text or the two of a
    pair. Raises Failure where any of it cannot be."""

    task: str
    preset: str = "small"
    name: str = ""
    data: str = "full"
    device: str | None = None
    encoder: dict = field(default_factory=dict)
    recipe: dict = field(default_factory=dict)
    pinned: list = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.preset not in PRESETS[task_named(self.task).name]:
            raise Failure("training.no_preset", preset=self.preset, known=list(PRESETS[self.task]))
        if self.data not in ("full", "sample"):
            raise Failure("training.bad_setting", reason=f"data is {self.data!r}: it must be full or sample")
        if len(self.pinned) > MOST_PINNED:
            raise Failure("training.too_many_pinned", count=len(self.pinned), most=MOST_PINNED)
        try:
            training = self.training()
            encoder_config(training.task, training.encoder, vocabulary=1)
        except (TypeError, ValueError) as error:
            raise Failure("training.bad_setting", reason=str(error)) from error

    @classmethod
    def from_request(cls, request: Request) -> TrainingSettings:
        """From the request of a run; the device is the one that the run was queued for."""
        if "task" not in request.settings:
            raise Failure("training.bad_setting", reason="settings must hold at least a task")
        if unknown := sorted(set(request.settings) - {field.name for field in fields(cls)}):
            raise Failure("training.bad_setting", reason=f"there is no setting named {', '.join(unknown)}")
        return cls(**{"device": request.device or None, **request.settings})

    def training(self) -> Training:
        """Raises ValueError where a field of the recipe cannot be."""
        preset = PRESETS[self.task][self.preset]
        encoder, recipe = {**preset.encoder, **self.encoder}, Recipe.from_dict(self.recipe, preset.recipe)
        return Training(task_named(self.task), encoder, recipe, self.name or self.preset, self.data, self.device,
                        preset.caution, self._command())

    def inputs(self) -> list[tuple[str, ...]]:
        """The pinned inputs, each as what `explain` takes."""
        return [(texts,) if isinstance(texts, str) else tuple(texts) for texts in self.pinned]

    def _command(self) -> str:
        """What makes the same on the command line."""
        words = ["python", "-m", "viz_core", "train"]
        options = {"task": self.task, "preset": self.preset, "data": self.data, **self.encoder, **self.recipe}
        for name, value in options.items():
            option = name.replace("_", "-")
            words += [f"--{'' if value else 'no-'}{option}"] if isinstance(value, bool) else [f"--{option}", str(value)]
        return shlex.join(words)
