"""Save and load checkpoint folders: model, tokenizer, config and metrics; no code from a folder is run."""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import cast

import torch
from safetensors.torch import save_file
from torch import nn

from viz_core.checkpoints.checkpoint import Checkpoint, CheckpointInfo
from viz_core.checkpoints.further import fetch_command
from viz_core.checkpoints.reading import (
    CONFIG,
    METRICS,
    TOKENIZER,
    WEIGHTS,
    full_name,
    read_metrics,
    read_model,
    read_settings,
    read_tokenizer,
)
from viz_core.checkpoints.settings import Settings
from viz_core.files import replace_file
from viz_core.folders import PROJECT, SHIPPED
from viz_core.models.protocol import Model
from viz_core.records import Failure
from viz_core.tasks import all_tasks, find_task, get_task
from viz_core.text.tokenizer import TextEncoder
from viz_core.variables import CHECKPOINTS_DIR

FOLDER = SHIPPED / "checkpoints"  # checkpoints that ship with the project


def folder() -> Path:
    """Return the folder where checkpoints are saved: `VIZ_CHECKPOINTS_DIR`, else the project's `checkpoints/`."""
    return Path(os.environ.get(CHECKPOINTS_DIR, PROJECT / "checkpoints"))


def folders() -> tuple[Path, ...]:
    """Return the folders where checkpoints are looked for, the first one taking precedence.

    That is the folder where they are saved and then, unless the variable names another folder, that
    of the checkpoints that ship.
    """
    return tuple(dict.fromkeys([folder(), *([] if CHECKPOINTS_DIR in os.environ else [FOLDER])]))


def save(path: Path, settings: Settings, model: nn.Module, text_encoder: TextEncoder, metrics: dict) -> None:
    """Write a checkpoint folder, with weights in half precision."""
    path.mkdir(parents=True, exist_ok=True)
    weights = {
        name: tensor.detach().to("cpu", torch.float16).contiguous() for name, tensor in model.state_dict().items()
    }
    save_file(weights, path / WEIGHTS)
    text_encoder.save(path / TOKENIZER)
    save_settings(path, settings)
    save_metrics(path, metrics)


def save_settings(path: Path, settings: Settings) -> None:
    """Write `config.json` of a checkpoint folder."""
    replace_file(path / CONFIG, json.dumps(settings.to_dict(), indent=2) + "\n")


def save_metrics(path: Path, metrics: dict) -> None:
    """Write `metrics.json` of a checkpoint folder."""
    replace_file(path / METRICS, json.dumps(metrics, indent=2) + "\n")


def list_checkpoints(
    root: Path | None = None, tasks: Iterable[str] | None = None
) -> tuple[list[CheckpointInfo], list[Failure]]:
    """List the checkpoints of these tasks, by task and name, and the failures of those that cannot be read.

    Args:
        root: Folder to look in, by default all of `folders`.
        tasks: Names of tasks, by default all.
    """
    infos, failures = [], []
    for task in all_tasks() if tasks is None else tasks:
        roots = [root] if root else folders()
        paths = {path.name: path for place in reversed(roots) for path in (place / task).glob("[!.]*/")}
        for _, path in sorted(paths.items()):  # names that start with a dot are being saved or deleted
            try:
                infos.append(_read_info_of_task(path, task))
            except Failure as failure:
                failures.append(failure)
    return infos, failures


def read_info(path: Path) -> CheckpointInfo:
    """Read settings and metrics of a checkpoint folder.

    Raises:
        Failure: If they cannot be read; it names the checkpoint.
    """
    settings = read_settings(path)
    return CheckpointInfo(settings.task, path.name, path, settings, read_metrics(path))


def _read_info_of_task(path: Path, task: str) -> CheckpointInfo:
    """Read settings and metrics of a checkpoint of this task.

    Raises:
        Failure: As `read_info`, and if the model is of another task, whose labels the pages of this
            task lack.
    """
    info = read_info(path)
    _check_task(path, info.settings, task)
    return info


def task_checkpoints(task: str, root: Path | None = None) -> list[CheckpointInfo]:
    """List the checkpoints of a task, the default one first.

    After that of the task encoders follow (fine-tuned ones after the others), then baselines, then
    those with a caution.
    """
    infos, _ = list_checkpoints(root, [task])
    default = get_task(task).default_model

    def place(info: CheckpointInfo) -> tuple:
        settings = info.settings
        return (bool(settings.caution), info.name != default, settings.kind != "encoder", bool(info.origin), info.name)

    return sorted(infos, key=place)


def find(task: str, name: str, root: Path | None = None) -> CheckpointInfo | None:
    """Find the checkpoint of a task with this name; None if there is none that can be read."""
    path = find_folder(task, name, root)
    try:
        return _read_info_of_task(path, task) if path else None
    except Failure:
        return None


def load(task: str, name: str, root: Path | None = None) -> Checkpoint:
    """Load a checkpoint onto the CPU.

    Raises:
        Failure: If there is none, or it cannot be read; it names the checkpoint.
    """
    return load_folder(require_folder(task, name, root), task)


def load_folder(path: Path, task: str) -> Checkpoint:
    """Load the checkpoint in a folder, which may be that of a run.

    Raises:
        Failure: As `load`.
    """
    settings = read_settings(path)
    _check_task(path, settings, task)
    (model, sha256), text_encoder = read_model(path, settings), read_tokenizer(path, settings)
    model.eval()
    return Checkpoint(path.name, get_task(task), settings, cast(Model, model), text_encoder, read_metrics(path), sha256)


def _check_task(path: Path, settings: Settings, task: str) -> None:
    if settings.task != task:
        raise Failure("checkpoints.wrong_task", name=full_name(path), trained_task=settings.task, task=task)


def require_folder(task: str, name: str, root: Path | None = None) -> Path:
    """Return the folder of a task's checkpoint.

    Raises:
        Failure: If there is none; it names the checkpoints that exist, or the command that fetches this one.
    """
    path = find_folder(get_task(task).name, name, root)
    if path is None and (command := fetch_command(task, name)):
        raise Failure("checkpoints.not_fetched", name=f"{task}/{name}", command=command)
    if path is None:
        known = [info.name for info in list_checkpoints(root, [task])[0]]
        raise Failure("checkpoints.missing" if known else "checkpoints.none", task=task, name=name, known=known)
    return path


def find_folder(task: str, name: str, root: Path | None = None) -> Path | None:
    """Find the folder of a task's checkpoint; None if there is none.

    Both names may come from a link that anyone has written, so they must not lead out of the folder.
    """
    is_name = name and not name.startswith(".") and Path(name).name == name  # with a dot: being saved or deleted
    if find_task(task) is None or not is_name:
        return None
    paths = (place / task / name for place in ([root] if root else folders()))
    return next((path for path in paths if os.path.isdir(path)), None)
