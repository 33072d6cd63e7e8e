"""Save the best checkpoint of a run as a model, where models are loaded from; delete such models."""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from viz_core import checkpoints
from viz_core.bounded_json import read_json_object
from viz_core.checkpoints import CheckpointInfo
from viz_core.jobs.runs import Run
from viz_core.names import check_folder_name, folder_name
from viz_core.records import Evaluation, Failure, failing
from viz_core.training.folders import (
    PROVENANCE,
    checkpoint_folder,
    free_folder,
    is_taken,
    publish,
    remove_folder,
    restore_replaced,
)


@dataclass(frozen=True)
class SavedModel:
    """A model that was saved from a run on this machine.

    Attributes:
        info: The model.
        run: Id of the run.
        owner: Who saved it.
        when: Time of saving, in seconds since 1970.
    """

    info: CheckpointInfo
    run: str
    owner: str
    when: float


def model_folder(task: str, name: str, overwrite: bool = False) -> Path:
    """The folder for a new model of this name.

    Raises:
        Failure: If the name is invalid or taken.
    """
    check_folder_name(name)
    out = checkpoints.folder() / task / name
    if is_taken(out) and not overwrite:
        raise Failure("training.name_taken", task=task, name=name)
    return out


def free_name(task: str, name: str) -> str:
    """The name as one for a folder, numbered if a model of the task already has it."""
    return free_folder(checkpoints.folder() / task / folder_name(name)).name


def save_model(run: Run, name: str = "", overwrite: bool = False, owner: str = "") -> Path:
    """Copy the best checkpoint of a run, finished or not, to `checkpoints/<task>/<name>`.

    Args:
        run: The run.
        name: By default the name of the run. The card is rewritten with it.
        overwrite: Whether a model of this name may be replaced.
        owner: Who saves it and then owns the model, by default the owner of the run.

    Returns:
        The folder of the model: numbered if somebody else saves one of this name at the same time.

    Raises:
        Failure: If there is no checkpoint yet, the name is taken or the folder cannot be written;
            nothing has changed then.
    """
    name = name or run.name
    task, step = run.request.settings.get("task"), Evaluation.from_dict(run.status.best).step
    best = None if step is None else checkpoint_folder(run.path, step)
    if not task or best is None or not (best / checkpoints.CARD).exists():
        raise Failure("training.nothing_to_save", name=run.name)
    restore_replaced(checkpoints.folder())
    out = model_folder(task, name, overwrite)
    return publish(best, out, {"run": run.id, "owner": owner or run.request.owner, "when": time.time()}, overwrite)


def restore_models() -> None:
    """Complete replacements of models during which a process was killed; called when the app starts."""
    restore_replaced(checkpoints.folder())


def saved_models(tasks: Iterable[str] | None = None) -> list[SavedModel]:
    """The models of these tasks, by default of all, that were saved here and can be deleted, newest first."""
    models = [model for info in checkpoints.list_checkpoints(tasks=tasks)[0] if (model := _saved_model(info))]
    return sorted(models, key=lambda model: model.when, reverse=True)


def delete_model(task: str, name: str) -> None:
    """Delete a saved model.

    Raises:
        Failure: If it was not saved here: the models that ship with the project stay.
    """
    model = next((model for model in saved_models([task]) if model.info.name == name), None)
    if model is None:
        raise Failure("training.not_saved_here", task=task, name=name)
    with failing(OSError, "training.not_deleted", name=name):
        remove_folder(model.info.path)


def _saved_model(info: CheckpointInfo) -> SavedModel | None:
    """The saved model in a checkpoint folder; None if it was not saved here.

    None also for a model with figures of the test: it may ship with the project.
    """
    if info.metrics.test is not None:
        return None
    try:
        provenance = read_json_object(info.path / PROVENANCE)
        return SavedModel(info, str(provenance["run"]), str(provenance["owner"]), float(provenance["when"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
