"""The one door to training, for pages and command line: ask for one, say what it will take, look at it, keep its model.

Loaded without torch; what needs it is loaded by the functions that do.
"""

from __future__ import annotations

import functools
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from viz_core.jobs import runs
from viz_core.jobs.limits import Limits
from viz_core.jobs.runs import Run
from viz_core.tasks import task_named
from viz_core.training.probes import evaluations
from viz_core.training.probes import read as read_snapshot
from viz_core.training.settings import MOST_PINNED, TrainingSettings

if TYPE_CHECKING:
    from viz_core.training.estimate import Estimate
    from viz_core.training.publish import Kept

__all__ = [
    "COMMAND",
    "MOST_PINNED",
    "TrainingSettings",
    "devices",
    "estimate",
    "evaluations",
    "free_name",
    "give_up",
    "keep",
    "kept_models",
    "model_folder",
    "read_snapshot",
    "requirements",
    "submit",
]

COMMAND = ("-m", "viz_core.training.run")


def submit(
    settings: TrainingSettings,
    device: str | None,
    owner: str,
    limits: Limits | None = None,
    experiment: str | None = None,
) -> Run:
    """Puts a training into the queue of a device, the best there is unless named. Raises Failure where the device
    cannot be used, the corpus is not at hand, or a limit (those of the environment, unless given) is reached."""
    from viz_core.training.devices import best_device, usable_device

    device = device or best_device()
    usable_device(device)
    task = task_named(settings.task)
    if settings.data == "full" and not task.corpus.find():
        task.read("train")  # raises what to do about it
    values = {name: value for name, value in asdict(settings).items() if name != "device"}  # the request has it
    request = runs.Request(
        "train", settings.name or settings.preset, COMMAND, device, owner, settings=values, experiment=experiment
    )
    return runs.submit(request, limits)


def requirements(settings: TrainingSettings, device: str | None = None) -> Estimate:
    """Parameters and memory at once, no time. Raises Failure where the device has too little memory, or nothing is
    known of the corpus."""
    from viz_core.training import estimate
    from viz_core.training.devices import best_device

    training = settings.training()
    return estimate.requirements(training, estimate.expected_extent(training), device or best_device())


def estimate(settings: TrainingSettings, device: str | None = None) -> Estimate:
    """With the time, which is measured: about a second once the corpus has been tokenised. Raises Failure as above."""
    from viz_core.training import estimate

    return estimate.estimate(replace(settings, device=device).training())


@functools.cache
def devices() -> tuple[str, ...]:
    """The devices of this machine, the fastest first."""
    from viz_core.training.devices import available_devices

    return available_devices()


def model_folder(task: str, name: str, overwrite: bool = False) -> Path:
    """Where a model of this name is to stand. Raises Failure where the name cannot be one, or is taken."""
    from viz_core.training import publish

    return publish.model_folder(task, name, overwrite)


def free_name(task: str, name: str) -> str:
    """The name, with the next free number behind it where a model of the task has it: small, small-2, small-3."""
    from viz_core.training import publish

    return publish.free_name(task, name)


def keep(run: Run, name: str = "", overwrite: bool = False) -> Path:
    """Copies the best checkpoint of a run to where models are looked for, under its own name unless given. Raises
    Failure where there is no checkpoint yet, the name is taken, or the folder cannot be written."""
    from viz_core.training import publish

    return publish.keep(run, name, overwrite)


def kept_models() -> list[Kept]:
    """The models that were kept and can be given up, the newest first."""
    from viz_core.training import publish

    return publish.kept_models()


def give_up(task: str, name: str) -> None:
    """Deletes a model that was kept. Raises Failure for any other one."""
    from viz_core.training import publish

    publish.give_up(task, name)
