"""Deletes a task of one's own with everything that was made of it, and its rows once the training is over."""

import shutil
from collections.abc import Iterator
from contextlib import suppress

from viz_core import checkpoints
from viz_core.jobs import runs
from viz_core.jobs.runs import Run
from viz_core.records import Failure, failing
from viz_core.tasks import own


def runs_of(task: str) -> Iterator[Run]:
    """The runs of a task, of every kind."""
    return (run for run in runs.list_runs() if run.request.settings.get("task") == task)


def delete_task(name: str) -> None:
    """Delete a task of one's own: its rows, its runs, its models and what was measured of them.

    Raises:
        Failure: If there is no such task, if one of its runs cannot be stopped yet, or if files
            cannot be deleted. What is left can be deleted again.
    """
    definition = own.require_definition(name)
    of_task = list(runs_of(name))
    for run in of_task:
        if not run.is_over:
            runs.stop(run.id)
    if any(not runs.read(run.id).is_over for run in of_task):
        raise Failure("own.still_running", task=definition.title)
    own.forget_rows(name)
    for run in of_task:
        runs.delete(run.id)
    models = checkpoints.folder() / name
    with failing(OSError, "own.not_deleted", folder=str(models)):
        if models.exists():  # without its task, a model that is left would be everybody's
            shutil.rmtree(models)
    own.delete(name)


def delete_expired() -> list[str]:
    """Delete the tasks whose time has come; returns their names. Those that cannot be deleted yet are left."""
    deleted = []
    for definition in own.expired():
        with suppress(Failure, OSError):
            delete_task(definition.name)
            deleted.append(definition.name)
    return deleted


def tidy_own_tasks() -> None:
    """Delete the tasks whose time has come, and rows that the last training has left behind because it failed."""
    delete_expired()
    for definition in own.definitions():
        forget_trained_rows(definition.name)


def forget_trained_rows(name: str, over: str = "") -> bool:
    """Delete the rows of a task that are not to be kept, once it is trained and no run of it is left to come.

    Args:
        name: Name of the task; any other task is left alone.
        over: Id of a run that has just finished, which may not be marked yet.

    Returns:
        Whether they were deleted.
    """
    definition = own.find_definition(name) if own.has_rows(name) else None
    if definition is None or definition.keeps_rows:
        return False
    of_task = list(runs_of(name))
    if any(not run.is_over and run.id != over for run in of_task):
        return False
    if not any(run.request.kind == "train" and (run.status.state == "finished" or run.id == over) for run in of_task):
        return False
    with suppress(Failure):
        own.forget_rows(name)
        return True
    return False
