"""Accuracy by number of labels: of an encoder that had read before, and of the same from random weights.

Each number is of trainings of its own, made with `train --train-rows N`; the command `compare --curves`
reads them and stores the accuracies beside the other evidence of the model.
"""

from dataclasses import asdict
from pathlib import Path

from viz_core import checkpoints
from viz_core.checkpoints import CheckpointInfo
from viz_core.evidence.comparison import is_language_model, trainings
from viz_core.evidence.results import read_record, read_result, reads_result, six_digits, write_result
from viz_core.records import Failure, failing
from viz_core.records.comparison import LearningCurves, LearningPoint

NAME = "learning_curves"


def read_curves(task: str) -> dict[str, LearningCurves]:
    """The stored curves of the models of a task, by name."""
    stored = {info.name: _read(read_result(info.path, NAME)) for info in checkpoints.task_checkpoints(task)}
    return {name: curves for name, curves in stored.items() if curves is not None}


def store_curves(task: str, root: Path) -> dict[str, LearningCurves]:
    """Store the curves of each model that started as a language model, from the checkpoints in `root/task`.

    These have the sizes of the model and were trained with a number of labels, from the same start
    or from random weights.

    Raises:
        Failure: If the checkpoints cannot be read, those of one of both are missing, or the result
            cannot be written.
    """
    others = [other for other in checkpoints.list_checkpoints(root, [task])[0] if _labels(other)]
    found = {}
    for info in checkpoints.task_checkpoints(task):
        if start := language_model_of(info):
            alike = [other for other in others if _sizes(other) == _sizes(info)]
            started, scratch = (_by_labels(alike, encoder) for encoder in (start, ""))
            points = [LearningPoint(labels, started[labels], scratch[labels]) for labels in started.keys() & scratch]
            if not points:
                raise Failure("comparison.no_curves", model=f"{task}/{info.name}", folder=str(root))
            found[info.name] = LearningCurves(start, tuple(sorted(points, key=lambda point: point.labels)))
            with failing(OSError, "evidence.not_saved", folder=str(info.path)):
                write_result(info.path, NAME, six_digits(found[info.name]))
    return found


def language_model_of(info: CheckpointInfo) -> str:
    """The language model of ours, `TASK/NAME`, that a model or the encoder that it started from began as; or empty."""
    starts = [str(_recipe(training).get("encoder", "")) for training in trainings(info.metrics.entries)]
    return next(filter(is_language_model, starts), "")


def _sizes(info: CheckpointInfo) -> dict[str, object]:
    """The config, but for what comes from the tokens: a language model brings its own, else they are the task's."""
    config = asdict(info.settings.config)
    return {name: value for name, value in config.items() if name not in ("vocabulary", "segments")}


def _by_labels(infos: list[CheckpointInfo], start: str) -> dict[int, tuple[float, ...]]:
    """Validation accuracies by number of labels, of the trainings with this start."""
    values: dict[int, list[float]] = {}
    for info in infos:
        own = info.metrics.validation
        if own and own.accuracy is not None and _recipe(info.metrics.entries).get("encoder", "") == start:
            values.setdefault(_labels(info), []).append(own.accuracy)
    return {labels: tuple(sorted(accuracies)) for labels, accuracies in values.items()}


def _labels(info: CheckpointInfo) -> int:
    """The number of labels that a training was limited to; 0 for all."""
    rows = _recipe(info.metrics.entries).get("train_rows")
    return rows if isinstance(rows, int) else 0


def _recipe(training: object) -> dict:
    recipe = training.get("recipe") if isinstance(training, dict) else None
    return recipe if isinstance(recipe, dict) else {}


@reads_result
def _read(result: dict) -> LearningCurves:
    return read_record(LearningCurves, result)
