"""Saves and loads checkpoint folders: model, tokenizer, config and metrics. Loading runs no code from the folder."""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import cast

import torch
from safetensors.torch import save_file
from torch import nn

from viz_core.checkpoints.checkpoint import Checkpoint, CheckpointInfo
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
from viz_core.tasks import all_tasks, get_task
from viz_core.text.tokenizer import TextEncoder
from viz_core.variables import CHECKPOINTS_DIR

FOLDER = SHIPPED / "checkpoints"  # of those that ship


def folder() -> Path:
    """Where checkpoints are saved: `VIZ_CHECKPOINTS_DIR`, else the project's `checkpoints/`."""
    return Path(os.environ.get(CHECKPOINTS_DIR, PROJECT / "checkpoints"))


def folders() -> tuple[Path, ...]:
    """Where they are looked for: where they are saved, then, unless the variable names another folder, where those are
    that ship. A name in both is that of the first."""
    return tuple(dict.fromkeys([folder(), *([] if CHECKPOINTS_DIR in os.environ else [FOLDER])]))


def save(path: Path, settings: Settings, model: nn.Module, text_encoder: TextEncoder, metrics: dict) -> None:
    """Writes a checkpoint folder, its weights in half precision."""
    path.mkdir(parents=True, exist_ok=True)
    weights = {
        name: tensor.detach().to("cpu", torch.float16).contiguous() for name, tensor in model.state_dict().items()
    }
    save_file(weights, path / WEIGHTS)
    text_encoder.save(path / TOKENIZER)
    save_settings(path, settings)
    save_metrics(path, metrics)


def save_settings(path: Path, settings: Settings) -> None:
    replace_file(path / CONFIG, json.dumps(settings.to_dict(), indent=2) + "\n")


def save_metrics(path: Path, metrics: dict) -> None:
    replace_file(path / METRICS, json.dumps(metrics, indent=2) + "\n")


def list_checkpoints(
    root: Path | None = None, tasks: Iterable[str] | None = None
) -> tuple[list[CheckpointInfo], list[Failure]]:
    """All checkpoints of these tasks, by task and name, and what is wrong with those that cannot be read. root: by
    default all folders. tasks: by default those that classify."""
    infos, failures = [], []
    for task in all_tasks() if tasks is None else tasks:
        roots = [root] if root else folders()
        paths = {path.name: path for place in reversed(roots) for path in (place / task).glob("[!.]*/")}
        for _, path in sorted(paths.items()):  # names with a dot first are being saved or deleted
            try:
                infos.append(_read_info_of_task(path, task))
            except Failure as failure:
                failures.append(failure)
    return infos, failures


def read_info(path: Path) -> CheckpointInfo:
    """Reads settings and metrics of a checkpoint folder. Raises Failure, naming the checkpoint."""
    settings = read_settings(path)
    return CheckpointInfo(settings.task, path.name, path, settings, read_metrics(path))


def _read_info_of_task(path: Path, task: str) -> CheckpointInfo:
    """Raises Failure also for a model of another task, for which the pages of this one have no labels."""
    info = read_info(path)
    _check_task(path, info.settings, task)
    return info


def task_checkpoints(task: str, root: Path | None = None) -> list[CheckpointInfo]:
    """The checkpoints of a task; the first is the default: encoders, those that are fine-tuned last, then baselines,
    then those with a caution."""
    infos, _ = list_checkpoints(root, [task])
    return sorted(
        infos,
        key=lambda info: (bool(info.settings.caution), info.settings.kind != "encoder", bool(info.origin), info.name),
    )


def find(task: str, name: str, root: Path | None = None) -> CheckpointInfo | None:
    """The checkpoint of a task with this name; None if there is none that can be read."""
    path = find_folder(task, name, root)
    try:
        return _read_info_of_task(path, task) if path else None
    except Failure:
        return None


def load(task: str, name: str, root: Path | None = None) -> Checkpoint:
    """Loads a checkpoint onto the CPU. Raises Failure, naming the checkpoint."""
    return load_folder(require_folder(task, name, root), task)


def load_folder(path: Path, task: str) -> Checkpoint:
    """Loads the checkpoint in a folder, which may be that of a run. Raises Failure like `load`."""
    settings = read_settings(path)
    _check_task(path, settings, task)
    model, text_encoder = read_model(path, settings), read_tokenizer(path, settings)
    return Checkpoint(path.name, get_task(task), settings, cast(Model, model.eval()), text_encoder, read_metrics(path))


def _check_task(path: Path, settings: Settings, task: str) -> None:
    if settings.task != task:
        raise Failure("checkpoints.wrong_task", name=full_name(path), trained_task=settings.task, task=task)


def require_folder(task: str, name: str, root: Path | None = None) -> Path:
    """The folder of a task's checkpoint. Raises Failure, naming those that there are."""
    path = find_folder(get_task(task).name, name, root)
    if path is None:
        known = [info.name for info in list_checkpoints(root, [task])[0]]
        raise Failure("checkpoints.missing" if known else "checkpoints.none", task=task, name=name, known=known)
    return path


def find_folder(task: str, name: str, root: Path | None = None) -> Path | None:
    """The folder of a task's checkpoint; None if there is none.

    Both names may come from a link that anyone has written: they must not lead out of the folder.
    """
    is_name = name and not name.startswith(".") and Path(name).name == name  # a dot: being saved or deleted
    if task not in all_tasks() or not is_name:
        return None
    paths = (place / task / name for place in ([root] if root else folders()))
    return next((path for path in paths if os.path.isdir(path)), None)
