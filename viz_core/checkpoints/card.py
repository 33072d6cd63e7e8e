"""The model card: what a checkpoint is, how it was made, how good it is; written from its own files alone."""

from __future__ import annotations

import shlex
from dataclasses import asdict, replace
from itertools import pairwise
from pathlib import Path

from viz_core import checkpoints
from viz_core.checkpoints import CheckpointInfo
from viz_core.models.config import EncoderConfig
from viz_core.tasks import task_named

_FIGURES = ("n", "accuracy", "majority_accuracy", "auc", "mcc", "f1", "confusion", "ece_uncalibrated", "ece")


def record(folder: Path, figures: dict, name: str = "") -> None:
    """Keeps the figures of a checkpoint, and writes its model card anew from them; under its folder's name unless given."""
    checkpoints.save_metrics(folder, figures)
    info = checkpoints.read_info(folder)
    card = model_card(replace(info, name=name or info.name))
    (folder / checkpoints.CARD).write_text(card, encoding="utf-8")


def model_card(info: CheckpointInfo) -> str:
    """Markdown, in English."""
    metrics = info.metrics.entries
    parts = [f"# {info.task} / {info.name}", _summary(info)]
    if info.settings.caution:
        parts.append(
            "**A bad example, on purpose.** The recipe fails: the model answers the same for everything, and its "
            "attention means nothing. It ships so that a class can see what that looks like."
        )
    parts += ["## Figures", _figures(metrics)]
    if "probes" in metrics:
        parts += ["## Probes", _probes(metrics["probes"])]
    parts += ["## How it was made", _making(info)]
    return "\n\n".join(parts) + "\n"


def _summary(info: CheckpointInfo) -> str:
    """What it is made of: an encoder in words, a model of another kind by the entries of its config."""
    config, parameters = info.settings.model, f"{info.metrics.parameters:,} parameters, stored in half precision."
    if not isinstance(config, EncoderConfig):
        entries = ", ".join(f"{name} {value}" for name, value in asdict(config).items())
        return f"A model of the kind `{info.settings.kind}`: {entries}. {parameters}"
    extras = ", an embedding that marks tokens occurring in the other sentence" if config.overlap else ""
    extras += ", a convolution over three neighbouring tokens before the first layer" if config.stem != "none" else ""
    return (
        f"A Transformer encoder trained from scratch: {config.layers} layers × {config.heads} heads, width "
        f"{config.width}, feed-forward {config.feedforward} ({config.activation.upper()}), {config.norm}-norm, "
        f"{config.positions} positions{extras}; {config.pooling} pooling; up to {config.max_tokens} tokens of a "
        f"vocabulary of {config.vocabulary:,}. {parameters}"
    )


def _figures(metrics: dict) -> str:
    """A table of validation and, once it was read, test; all computed from the weights as they are stored."""
    columns = {"validation": metrics["validation"], **({"test": metrics} if metrics.get("split") == "test" else {})}
    rows = ["| | " + " | ".join(columns) + " |", "|---|" + "---|" * len(columns)]
    rows += [
        f"| {name} | " + " | ".join(_shown(column[name]) for column in columns.values()) + " |" for name in _FIGURES
    ]
    return "\n".join(rows) + (
        "\n\n`confusion` is [truth][answer]; `ece` is the expected calibration error. The epoch, the "
        "temperature and the threshold were chosen on validation, which is carved from train."
    )


def _probes(probes: dict) -> str:
    """A table of the scores by category."""
    rows = ["| | n | right | accuracy | 95 % interval |", "|---|---|---|---|---|"]
    rows += [
        f"| {score['category']} | {score['n']} | {score['accuracy'] * score['n']:.0f} | {score['accuracy']:.2f} | "
        f"{score['low']:.2f}–{score['high']:.2f} |"
        for score in [*probes["categories"], probes]
    ]
    given = " and ".join(f"`{label}` {count} times" for label, count in probes["given"].items())
    return "\n".join(rows) + (
        f"\n\nIt answered {given}. The texts were written for this project, half of each category with either "
        "answer: always the same answer is right for 0.50. A mirror, not a measure of quality: the "
        "intervals are wide."
    )


def _making(info: CheckpointInfo) -> str:
    metrics, settings = info.metrics.entries, info.settings
    recipe = ", ".join(f"{name} {value}" for name, value in metrics["recipe"].items())
    corpus = task_named(info.task).citation if metrics["data"] == "full" else "the sample corpus of this project"
    return "\n".join(
        [
            f"- data: {corpus} (sha256 of the training ids and labels: `{metrics['data_sha256']}`)",
            f"- command: `{_command(info)}`, commit `{metrics['commit']}`, seed {metrics['seed']}",
            f"- recipe: {recipe}",
            f"- made on: {metrics['device']}, in {metrics['wall_seconds'] / 60:.0f} minutes",
            f"- temperature {settings.temperature:.4f}, "
            + (
                "the likeliest class is the answer"
                if settings.threshold is None
                else f"decision threshold {settings.threshold:.4f}"
            ),
        ]
    )


def _command(info: CheckpointInfo) -> str:
    """What makes it again under the name it has now: a run is kept under a name that its training may not have known."""
    command = info.metrics.entries["command"]
    words = shlex.split(command)
    options = dict(pairwise(words))
    named = options.get("--name", options.get("--preset", "small"))
    return command if named == info.name else f"{command} --name {info.name}"


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4f}"
    return "[" + ", ".join(map(_shown, value)) + "]" if isinstance(value, list) else f"{value}"
