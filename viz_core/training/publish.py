"""Keeping a run's best checkpoint as a model, where models are looked for; and giving such a model up again."""

from __future__ import annotations

import itertools
import json
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from viz_core import checkpoints
from viz_core.checkpoints import CheckpointInfo
from viz_core.jobs.runs import Run
from viz_core.records import Evaluation, Failure
from viz_core.training.folders import KEPT, checkpoint_folder, publish


@dataclass(frozen=True)
class Kept:
    """A model that was kept from a run on this machine. run, owner: of that run; when: seconds since 1970."""

    info: CheckpointInfo
    run: str
    owner: str
    when: float


def model_folder(task: str, name: str, overwrite: bool = False) -> Path:
    """Where a model of this name is to stand. Raises Failure where the name cannot be one, or is taken."""
    if not name or name.startswith(".") or Path(name).name != name:
        raise Failure("training.bad_name", name=name)
    out = checkpoints.folder() / task / name
    if out.exists() and not overwrite:
        raise Failure("training.name_taken", task=task, name=name)
    return out


def free_name(task: str, name: str) -> str:
    """The name, with the next free number behind it where a model of the task has it: small, small-2, small-3."""
    taken = checkpoints.folder() / task
    names = itertools.chain([name], (f"{name}-{number}" for number in itertools.count(2)))
    return next(name for name in names if not (taken / name).exists())


def keep(run: Run, name: str = "", overwrite: bool = False) -> Path:
    """Copies the best checkpoint of a run, which may be over or still run, to `checkpoints/<task>/<name>`.

    name: the run's unless given; the card is written anew with it. Raises Failure where there is no checkpoint yet, the
    name is taken, or the folder cannot be written; then nothing has changed.
    """
    name = name or run.name
    task, step = run.request.settings.get("task"), Evaluation.from_dict(run.status.best).step
    best = None if step is None else checkpoint_folder(run.path, step)
    if not task or best is None or not (best / checkpoints.CARD).exists():
        raise Failure("training.nothing_to_save", name=run.name)
    out = model_folder(task, name, overwrite)
    publish(best, out, {"run": run.id, "owner": run.request.owner, "when": time.time()})
    return out


def kept_models() -> list[Kept]:
    """The models that were kept and can be given up, the newest first."""
    found = [kept for info in checkpoints.list_checkpoints()[0] if (kept := _kept(info))]
    return sorted(found, key=lambda kept: kept.when, reverse=True)


def give_up(task: str, name: str) -> None:
    """Deletes a model that was kept. Raises Failure for any other one: those that ship with the project stay."""
    kept = next((one for one in kept_models() if (one.info.task, one.info.name) == (task, name)), None)
    if kept is None:
        raise Failure("training.not_saved_here", task=task, name=name)
    trash = kept.info.path.with_name(f".{name}.{time.time_ns()}.old")
    try:
        kept.info.path.rename(trash)  # for every reader at once
    except OSError as error:
        raise Failure("training.not_deleted", name=name, reason=error.strerror) from error
    shutil.rmtree(trash, ignore_errors=True)


def _kept(info: CheckpointInfo) -> Kept | None:
    """None for a model that was not kept here, and for one that was measured on the test: it may be one that ships."""
    if info.metrics.test is not None:
        return None
    try:
        said = json.loads((info.path / KEPT).read_text(encoding="utf-8"))
        return Kept(info, str(said["run"]), str(said["owner"]), float(said["when"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
