"""Whether attention buys anything on a person's own data: its models on the test, row by row.

Each finished training reads the test once, with the checkpoint that validation chose, before the
rows are deleted. What it answered stays in its run folder.
"""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from viz_core import checkpoints
from viz_core.bounded_json import read_json_object
from viz_core.evidence import heads, health
from viz_core.evidence.job import measure
from viz_core.files import replace_file
from viz_core.jobs.files import to_json
from viz_core.jobs.runs import Run
from viz_core.records import Failure, Message
from viz_core.statistics.intervals import paired_difference, wilson
from viz_core.tasks import get_task, own
from viz_core.training.own_tasks import forget_trained_rows, runs_of

TEST = "test.json"  # in the run folder
ENCODER = "encoder"
_ROWS = 500  # of validation on which heads are measured


@dataclass(frozen=True, eq=False)
class MeasuredModel:
    """A model on the test.

    Attributes:
        run: Id of its run.
        name: Name of its run.
        kind: Kind of the model, a key of `models.kinds.KINDS`.
        right: `(N,)`, whether each row was predicted right.
        validation: Its accuracy on validation, by which a model is chosen.
        start: The trained model that it was fine-tuned from; empty if it learned from these rows alone.
    """

    run: str
    name: str
    kind: str
    right: np.ndarray
    validation: float
    start: str = ""

    @property
    def accuracy(self) -> float:
        """Share of the rows predicted right."""
        return float(self.right.mean())

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the accuracy."""
        return wilson(int(self.right.sum()), len(self.right))


@dataclass(frozen=True, eq=False)
class Verdict:
    """How the models of a task compare.

    Attributes:
        models: The model of each kind that is best on validation: the encoder, then the others.
        rows: Number of rows of the test.
        majority: Accuracy of always answering the class that is most frequent in train.
        message: What follows; None while there is no encoder and no other model to compare.
    """

    models: tuple[MeasuredModel, ...]
    rows: int
    majority: float
    message: Message | None


def finish_own_training(work: Path, task: str, best: Path | None) -> None:
    """Read the test once with the best checkpoint of a run, then delete rows that are not to be kept.

    What needs them and people ask for later, its health and what its heads do, is measured before.

    Nothing happens for other tasks.

    Args:
        work: Folder of the run, whose status may not name the best checkpoint yet.
        task: Its task.
        best: The folder of the best checkpoint.

    Raises:
        Failure: If the model cannot be loaded.
    """
    if not own.is_own_name(task):
        return
    if best and own.has_rows(task):
        _read_test(work / TEST, best, task)
        if not own.require_definition(task).keeps_rows:
            _measure(best, task)
    forget_trained_rows(task, over=work.name)


def _measure(folder: Path, task: str) -> None:
    for name, rows in ((health.NAME, None), (heads.NAME, _ROWS)):
        with suppress(Failure):  # a model without attention has no heads
            measure(name, folder, task, lambda done, total: None, rows)


def _read_test(out: Path, folder: Path, task: str) -> None:
    checkpoint = checkpoints.load_folder(folder, task)
    frame = get_task(task).read("test", "sample")
    examples = checkpoint.task.examples(frame, checkpoint.text_encoder)
    right = checkpoint.settings.decide(checkpoint.probabilities(examples)) == examples.labels
    train = get_task(task).read("train", "sample")["label"]
    answered = {
        "kind": checkpoint.settings.kind,
        "right": right.astype(int).tolist(),
        "validation": float(checkpoint.metrics.entries["validation"]["accuracy"]),
        "start": str(checkpoint.metrics.entries.get("recipe", {}).get("encoder", "")),
        "majority": float((examples.labels == int(train.mode()[0])).mean()),
    }
    replace_file(out, to_json(answered) + "\n")


def verdict(task: str) -> Verdict | None:
    """Compare the models of a task on its test; None while no training has finished."""
    tested = [(model, majority) for run in runs_of(task) if (found := _tested(run)) for model, majority in [found]]
    if not tested:
        return None
    rows = len(tested[0][0].right)
    by_kind: dict[str, MeasuredModel] = {}
    for model, _ in tested:
        if len(model.right) == rows and model.validation > getattr(by_kind.get(model.kind), "validation", -1.0):
            by_kind[model.kind] = model
    models = sorted(by_kind.values(), key=lambda model: (model.kind != ENCODER, -model.accuracy))
    majority = tested[0][1]
    return Verdict(tuple(models), rows, majority, _message(models, majority))


def _tested(run: Run) -> tuple[MeasuredModel, float] | None:
    """A run on the test, and the accuracy of the majority class; None if it has not read it."""
    try:
        values = read_json_object(run.path / TEST)
        right = np.array(values["right"], bool)
        of_model = str(values["kind"]), right, float(values["validation"]), str(values.get("start", ""))
        model = MeasuredModel(run.id, run.name, *of_model)
        return (model, float(values["majority"])) if right.ndim == 1 and len(right) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _message(models: list[MeasuredModel], majority: float) -> Message | None:
    """Whether anything was learned; if so, whether the encoder is better than the best other one on the same rows.

    Of an encoder that was fine-tuned only the difference is said, which may be due to what it read before.
    """
    encoder, *others = models
    if encoder.kind != ENCODER or not others:
        return None
    if all(model.interval[0] <= majority for model in models):
        return Message("own.verdict_nothing", {"majority": majority})
    other = max(others, key=lambda model: model.validation)
    points, low, high = (100 * value for value in paired_difference(encoder.right, other.right))
    values = {"other": Message(f"own.model_{other.kind}"), "points": points, "low": low, "high": high}
    if encoder.start:
        return Message("own.verdict_started", {**values, "start": encoder.start})
    if high < 0:
        return Message("own.verdict_worse", {**values, "points": -points, "low": -high, "high": -low})
    return Message("own.verdict_better" if low > 0 else "own.verdict_alike", values)
