"""Saves and loads checkpoint folders: model, tokenizer, config and metrics. Loading runs no code from the folder."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import nn

from viz_core.checkpoints.checkpoint import Checkpoint, CheckpointInfo
from viz_core.checkpoints.settings import Settings
from viz_core.files import replace_file
from viz_core.models.kinds import KINDS
from viz_core.records import Failure, Metrics
from viz_core.tasks import TASKS, all_tasks, get_task
from viz_core.text.tokenizer import TextEncoder

FOLDER = Path(__file__).parents[2] / "checkpoints"
WEIGHTS, CONFIG, TOKENIZER, METRICS, CARD = (
    "model.safetensors",
    "config.json",
    "tokenizer.json",
    "metrics.json",
    "README.md",
)


def folder() -> Path:
    """Where checkpoints are saved: `VIZ_CHECKPOINTS_DIR`, else the project's `checkpoints/`."""
    return Path(os.environ.get("VIZ_CHECKPOINTS_DIR", FOLDER))


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
    root: Path | None = None, tasks: Iterable[str] = TASKS
) -> tuple[list[CheckpointInfo], list[Failure]]:
    """All checkpoints of these tasks in a folder, by task and name, and what is wrong with those that cannot be read.
    tasks: by default those that classify."""
    infos, failures = [], []
    for task in tasks:
        for path in sorted(((root or folder()) / task).glob("[!.]*/")):  # a dot: being saved or deleted
            try:
                infos.append(read_info(path))
            except Failure as failure:
                failures.append(failure)
    return infos, failures


def read_info(path: Path) -> CheckpointInfo:
    """Reads settings and metrics of a checkpoint folder. Raises Failure, naming the checkpoint."""
    settings = _read_settings(path)
    return CheckpointInfo(settings.task, path.name, path, settings, Metrics(_read_json(path, METRICS)))


def task_checkpoints(task: str, root: Path | None = None) -> list[CheckpointInfo]:
    """The checkpoints of a task; the first is the default, those with a caution come last."""
    infos, _ = list_checkpoints(root, [task])
    return sorted(infos, key=lambda info: (bool(info.settings.caution), info.name))


def find(task: str, name: str, root: Path | None = None) -> CheckpointInfo | None:
    """The checkpoint of a task with this name; None if there is none that can be read."""
    path = _named_folder(task, name, root)
    try:
        return read_info(path) if path else None
    except Failure:
        return None


def load(task: str, name: str, root: Path | None = None) -> Checkpoint:
    """Loads a checkpoint onto the CPU. Raises Failure, naming the checkpoint."""
    path = _named_folder(get_task(task).name, name, root)
    if path is None:
        known = [info.name for info in list_checkpoints(root, [task])[0]]
        raise Failure("checkpoints.missing" if known else "checkpoints.none", task=task, name=name, known=known)
    return load_folder(path, task)


def load_folder(path: Path, task: str) -> Checkpoint:
    """Loads the checkpoint in a folder, which may be that of a run. Raises Failure like `load`."""
    settings = _read_settings(path)
    if settings.task != task:
        raise Failure("checkpoints.wrong_task", name=_full_name(path), trained_task=settings.task, task=task)
    try:
        model = KINDS[settings.kind].build(settings.model)
        model.load_state_dict(load_file(path / WEIGHTS))
    except FileNotFoundError as error:
        raise Failure("checkpoints.no_file", name=_full_name(path), file=WEIGHTS) from error
    except (SafetensorError, OSError) as error:
        raise Failure("checkpoints.corrupt", name=_full_name(path), file=WEIGHTS, reason=str(error)) from error
    except RuntimeError as error:  # torch lists missing and unexpected tensors and wrong shapes
        reason = str(error).strip().splitlines()[-1].strip()
        raise Failure("checkpoints.misfit", name=_full_name(path), reason=reason) from error
    text_encoder, metrics = _read_tokenizer(path, settings), Metrics(_read_json(path, METRICS))
    return Checkpoint(path.name, get_task(task), settings, model.eval(), text_encoder, metrics)


def _named_folder(task: str, name: str, root: Path | None) -> Path | None:
    """The folder of a task's checkpoint; None if there is none.

    Both names may come from a link that anyone has written: they must not lead out of the folder.
    """
    path = (root or folder()) / task / name
    is_name = name and not name.startswith(".") and Path(name).name == name  # a dot: being saved or deleted
    return path if task in all_tasks() and is_name and os.path.isdir(path) else None


def _read_settings(path: Path) -> Settings:
    values = _read_json(path, CONFIG)
    try:
        return Settings.from_dict(values)
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise Failure("checkpoints.bad_config", name=_full_name(path), reason=str(error)) from error


def _read_tokenizer(path: Path, settings: Settings) -> TextEncoder:
    if not (path / TOKENIZER).exists():
        raise Failure("checkpoints.no_file", name=_full_name(path), file=TOKENIZER)
    try:
        text_encoder = TextEncoder.load(path / TOKENIZER, get_task(settings.task).segmenter)
        longest = text_encoder.max_tokens  # fails where the file sets no truncation
    except Exception as error:  # the tokenizers library raises bare Exception
        raise Failure("checkpoints.corrupt", name=_full_name(path), file=TOKENIZER, reason=str(error)) from error
    if text_encoder.vocabulary != settings.model.vocabulary:
        raise Failure(
            "checkpoints.vocabulary",
            name=_full_name(path),
            tokens=text_encoder.vocabulary,
            embeddings=settings.model.vocabulary,
        )
    if longest > settings.model.max_tokens:
        raise Failure("checkpoints.length", name=_full_name(path), tokens=longest, positions=settings.model.max_tokens)
    return text_encoder


def _read_json(path: Path, file: str) -> dict:
    try:
        values = json.loads((path / file).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise Failure("checkpoints.no_file", name=_full_name(path), file=file) from error
    except (ValueError, OSError) as error:
        raise Failure("checkpoints.corrupt", name=_full_name(path), file=file, reason=str(error)) from error
    if not isinstance(values, dict):
        raise Failure("checkpoints.corrupt", name=_full_name(path), file=file, reason="not a JSON object")
    return values


def _full_name(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"
