"""Model card: what a checkpoint is, how it was trained and how good it is, from its files and the ledger."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from viz_core import checkpoints
from viz_core.checkpoints import CheckpointInfo
from viz_core.checkpoints.card_kinds import CardKind, card_kind
from viz_core.checkpoints.summary import summary
from viz_core.files import replace_file
from viz_core.records import Reading
from viz_core.tasks import get_task

_ROWS = {"all": "(all)", "unseen": "(without those that repeat a text of train)"}


def save_metrics_and_card(folder: Path, metrics: dict, name: str = "", readings: Sequence[Reading] = ()) -> None:
    """Save the metrics of a checkpoint and rewrite its model card.

    Args:
        folder: Folder of the checkpoint.
        metrics: Contents of `metrics.json`.
        name: Name in the card, by default that of the folder.
        readings: Readings of the test split for models of this name.
    """
    checkpoints.save_metrics(folder, metrics)
    info = checkpoints.read_info(folder)
    card = model_card(replace(info, name=name or info.name), readings)
    replace_file(folder / checkpoints.CARD, card)


def model_card(info: CheckpointInfo, readings: Sequence[Reading] = ()) -> str:
    """Write the card in Markdown, in English.

    Args:
        info: The checkpoint.
        readings: Readings of the test split for models of this name, oldest first.
    """
    metrics = info.metrics.entries
    parts = [f"# {info.task} / {info.name}", summary(info)]
    if info.settings.caution:
        parts.append(
            "**Failed on purpose.** The training collapses: the model predicts the same class for every input, and "
            "its attention carries no information. It is included so that a class can see what that looks like."
        )
    splits, kind = _splits(metrics), card_kind(info.task)
    parts += ["## Metrics", _metrics_table(splits, kind.metrics, kind.note), *kind.sections(info, splits)]
    if readings:
        parts += ["## Readings of the test split", _readings(readings, kind)]
    if "probes" in metrics:
        parts += ["## Behavioural tests", _behavioural_tests(metrics["probes"], info.settings.config.classes)]
    parts += ["## Training", _training(info)]
    return "\n\n".join(parts) + "\n"


def _splits(metrics: Mapping) -> dict[str, Mapping]:
    """Return the metrics on validation and, if it was read, on test, all computed from the weights as stored."""
    return {"validation": metrics["validation"], **({"test": metrics} if metrics.get("split") == "test" else {})}


def _metrics_table(columns: Mapping[str, Mapping], decimals: Mapping[str, int], note: str) -> str:
    """Write a table with a column per split, a row per measured metric of `decimals`, and a note below."""
    rows = ["| metric | " + " | ".join(columns) + " |", "|---|" + "---|" * len(columns)]
    rows += [
        f"| {name} | " + " | ".join(_format(column.get(name), digits) for column in columns.values()) + " |"
        for name, digits in decimals.items()
        if any(name in column for column in columns.values())
    ]
    return "\n".join(rows) + f"\n\n{note}"


def _readings(readings: Sequence[Reading], kind: CardKind) -> str:
    count = {1: "once", 2: "twice"}.get(len(readings), f"{len(readings)} times")
    columns = kind.readings
    rows = [f"| date | weights | rows | {' | '.join(columns)} |", "|---|---|---|" + "---|" * len(columns)]
    rows += [
        f"| {reading.date[:10]} | `{reading.weights_sha256[:8]}` | {reading.figures.n} {_ROWS[reading.rows]} | "
        + " | ".join(_format(getattr(reading.figures, name), kind.reading_decimals) for name in columns.values())
        + " |"
        for reading in readings
    ]
    return (
        f"The test split has been read {count} for models of this name (`checkpoints/ledger.jsonl`; the weights by the "
        "start of their sha256):\n\n"
    ) + "\n".join(rows)


def _behavioural_tests(results: dict, labels: int) -> str:
    """Write a table of the accuracy by category.

    Args:
        results: The entry `probes` of `metrics.json`.
        labels: Number of classes.
    """
    rows = ["| category | n | correct | accuracy | 95% CI |", "|---|---|---|---|---|"]
    rows += [
        f"| {score['category']} | {score['n']} | {score['accuracy'] * score['n']:.0f} | {score['accuracy']:.2f} | "
        f"{score['low']:.2f}–{score['high']:.2f} |"
        for score in [*results["categories"], results]
    ]
    *most, last = (
        f"`{label}` {count} {'time' if count == 1 else 'times'}" for label, count in results["given"].items()
    )
    counts = f"{', '.join(most)} and {last}" if most else last
    return "\n".join(rows) + (
        f"\n\nIt predicted {counts}. The texts were written for this project and are balanced within each category: "
        f"the majority-class baseline reaches {1 / labels:.2f}. They show what the model can and cannot do; with so "
        "few texts the intervals are wide."
    )


def _training(info: CheckpointInfo) -> str:
    metrics = info.metrics.entries
    recipe = ", ".join(f"{name} {value}" for name, value in metrics["recipe"].items())
    task = get_task(info.task)
    is_sample = metrics["data"] == "sample" and task.corpus is not None
    corpus = "the sample corpus of this project" if is_sample else task.citation
    return "\n".join(
        [
            f"- data: {corpus} (sha256 of the training ids and labels: `{metrics['data_sha256']}`)",
            f"- command: `{_command(info)}`, commit `{metrics['commit']}`, seed {metrics['seed']}",
            f"- recipe: {recipe}",
            f"- trained on: {metrics['device']}, in {_duration(metrics['wall_seconds'])}",
            *card_kind(info.task).decision(info.settings),
        ]
    )


def _command(info: CheckpointInfo) -> str:
    """Return the command that reproduces the model under its present name, which may differ from that of the run."""
    command = info.metrics.entries["command"]
    words = shlex.split(command)
    options = dict(pairwise(words))
    name = options.get("--name", options.get("--preset", "small"))
    return command if name == info.name else f"{command} --name {info.name}"


def _duration(seconds: float) -> str:
    """Format a duration in minutes, or in seconds below two minutes."""
    return f"{seconds / 60:.0f} minutes" if seconds >= 120 else f"{seconds:.0f} seconds"


def _format(value: object, decimals: int) -> str:
    """Format a value of the metrics; empty for None."""
    if isinstance(value, float):
        return f"{value:.{decimals}f}"
    return "" if value is None else f"{value}"
