"""Keeping a run's best checkpoint as a model, where models are looked for."""

from __future__ import annotations

from pathlib import Path

from viz_core import checkpoints
from viz_core.jobs.runs import Run
from viz_core.records import Failure
from viz_core.training.folders import checkpoint_folder, publish


def model_folder(task: str, name: str, overwrite: bool = False) -> Path:
    """Where a model of this name is to stand. Raises Failure where the name cannot be one, or is taken."""
    if not name or name.startswith(".") or Path(name).name != name:
        raise Failure("training.bad_name", name=name)
    out = checkpoints.folder() / task / name
    if out.exists() and not overwrite:
        raise Failure("training.name_taken", task=task, name=name)
    return out


def keep(run: Run, name: str = "", overwrite: bool = False) -> Path:
    """Copies the best checkpoint of a run, which may be over or still run, to `checkpoints/<task>/<name>`.

    name: the run's unless given; the card is written anew with it. Raises Failure where there is no checkpoint yet, the
    name is taken, or the folder cannot be written; then nothing has changed.
    """
    name = name or run.name
    settings = run.request.get("settings")
    task = settings.get("task") if isinstance(settings, dict) else None
    best = checkpoint_folder(run.path, run.best["step"]) if run.best and "step" in run.best else None
    if not task or best is None or not (best / checkpoints.CARD).exists():
        raise Failure("training.nothing_to_keep", name=run.name)
    out = model_folder(task, name, overwrite)
    publish(best, out)
    return out
