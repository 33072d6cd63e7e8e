"""A folder <-> a model with its tokenizer, config and figures. Loading one runs no code from it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import nn

from viz_core.checkpoints.checkpoint import Checkpoint, CheckpointInfo
from viz_core.checkpoints.settings import Settings
from viz_core.models.kinds import KINDS
from viz_core.records import Failure, Metrics
from viz_core.tasks import TASKS, task_named
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
    """Where checkpoints are kept: `VIZ_CHECKPOINTS_DIR`, else the project's `checkpoints/`."""
    return Path(os.environ.get("VIZ_CHECKPOINTS_DIR", FOLDER))


def save(path: Path, settings: Settings, model: nn.Module, text: TextEncoder, metrics: dict) -> None:
    """Writes a checkpoint folder; weights in half precision."""
    path.mkdir(parents=True, exist_ok=True)
    weights = {
        name: tensor.detach().to("cpu", torch.float16).contiguous() for name, tensor in model.state_dict().items()
    }
    save_file(weights, path / WEIGHTS)
    text.save(path / TOKENIZER)
    save_settings(path, settings)
    save_metrics(path, metrics)


def save_settings(path: Path, settings: Settings) -> None:
    (path / CONFIG).write_text(json.dumps(settings.to_dict(), indent=2) + "\n", encoding="utf-8")


def save_metrics(path: Path, metrics: dict) -> None:
    (path / METRICS).write_text(json.dumps(metrics, indent=2) + "\n", encoding="utf-8")


def list_checkpoints(root: Path | None = None) -> tuple[list[CheckpointInfo], list[Failure]]:
    """Every checkpoint below the folder, by task and name, and what is wrong with those that cannot be listed."""
    found, broken = [], []
    for task in TASKS:
        for path in sorted(((root or folder()) / task).glob("[!.]*/")):  # a dot: on its way in or out
            try:
                found.append(read_info(path))
            except Failure as failure:
                broken.append(failure)
    return found, broken


def read_info(path: Path) -> CheckpointInfo:
    """What a checkpoint folder says of itself, its weights unread. Raises Failure, naming the checkpoint."""
    settings = _read_settings(path)
    return CheckpointInfo(settings.task, path.name, path, settings, Metrics(_read_json(path, METRICS)))


def usable(task: str, root: Path | None = None) -> list[CheckpointInfo]:
    """The checkpoints of a task, those with a caution last: the first is what is shown to who has not chosen."""
    return sorted(
        (one for one in list_checkpoints(root)[0] if one.task == task), key=lambda one: (bool(one.settings.caution), one.name)
    )


def load(task: str, name: str, root: Path | None = None) -> Checkpoint:
    """Loads one checkpoint for use on the CPU. Raises Failure, naming the checkpoint, where that does not work."""
    path = (root or folder()) / task_named(task).name / name
    # A name comes from a link that anyone may have written: it must not lead out of the folder.
    if name in ("", ".", "..") or Path(name).name != name or not path.is_dir():
        known = [info.name for info in list_checkpoints(root)[0] if info.task == task]
        raise Failure("checkpoints.missing" if known else "checkpoints.none", task=task, name=name, known=known)
    return load_folder(path, task)


def load_folder(path: Path, task: str) -> Checkpoint:
    """Loads the checkpoint of a folder, which may be one of a run. Raises Failure as `load`."""
    settings = _read_settings(path)
    if settings.task != task:
        raise Failure("checkpoints.wrong_task", name=_called(path), trained_task=settings.task, task=task)
    try:
        model = KINDS[settings.kind].build(settings.model)
        model.load_state_dict(load_file(path / WEIGHTS))
    except FileNotFoundError as error:
        raise Failure("checkpoints.no_file", name=_called(path), file=WEIGHTS) from error
    except (SafetensorError, OSError) as error:
        raise Failure("checkpoints.corrupt", name=_called(path), file=WEIGHTS, reason=str(error)) from error
    except RuntimeError as error:  # torch lists the tensors that are missing, unexpected, of another shape or too large
        reason = str(error).strip().splitlines()[-1].strip()
        raise Failure("checkpoints.misfit", name=_called(path), reason=reason) from error
    text = _read_tokenizer(path, settings)
    return Checkpoint(path.name, task_named(task), settings, model.eval(), text, Metrics(_read_json(path, METRICS)))


def _read_settings(path: Path) -> Settings:
    values = _read_json(path, CONFIG)
    try:
        return Settings.from_dict(values)
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise Failure("checkpoints.bad_config", name=_called(path), reason=str(error)) from error


def _read_tokenizer(path: Path, settings: Settings) -> TextEncoder:
    if not (path / TOKENIZER).exists():
        raise Failure("checkpoints.no_file", name=_called(path), file=TOKENIZER)
    try:
        text = TextEncoder.load(path / TOKENIZER, task_named(settings.task).segmenter)
        longest = text.max_tokens  # fails where the file sets no truncation
    except Exception as error:  # the tokenizers library raises bare Exception
        raise Failure("checkpoints.corrupt", name=_called(path), file=TOKENIZER, reason=str(error)) from error
    if text.vocabulary != settings.model.vocabulary:
        raise Failure(
            "checkpoints.vocabulary", name=_called(path), tokens=text.vocabulary, embeddings=settings.model.vocabulary
        )
    if longest > settings.model.max_tokens:
        raise Failure("checkpoints.length", name=_called(path), tokens=longest, positions=settings.model.max_tokens)
    return text


def _read_json(path: Path, file: str) -> dict:
    try:
        values = json.loads((path / file).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise Failure("checkpoints.no_file", name=_called(path), file=file) from error
    except (ValueError, OSError) as error:
        raise Failure("checkpoints.corrupt", name=_called(path), file=file, reason=str(error)) from error
    if not isinstance(values, dict):
        raise Failure("checkpoints.corrupt", name=_called(path), file=file, reason="not a JSON object")
    return values


def _called(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"
