"""Comparison of all models of a task: measurements of each, from its own files."""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean, stdev

from viz_core.records.corpus import CategoryScore, Slice
from viz_core.records.figures import Figures


@dataclass(frozen=True)
class Seeds:
    """Validation accuracy of trainings that differ only in their seed.

    Attributes:
        values: Accuracies by seed.
    """

    values: Mapping[int, float]

    @property
    def mean(self) -> float:
        """Mean accuracy."""
        return fmean(self.values.values())

    @property
    def spread(self) -> float:
        """Sample standard deviation; 0 for a single seed."""
        return stdev(self.values.values()) if len(self.values) > 1 else 0.0


@dataclass(frozen=True)
class TrainingTime:
    """How long a training took, and whether on a GPU."""

    minutes: float
    on_gpu: bool = False


@dataclass(frozen=True)
class ComparedModel:
    """A row of the comparison; None or empty where something was not measured.

    Attributes:
        kind: As in `config.json`.
        attention: Whether the model has attention.
        besides: What it learned from besides the labels, such as `pretraining` and `teacher`; also
            what the encoder that it started from did.
        test: Figures on the test split.
        interval: 95% CI of the test accuracy.
        trainings: Times of its trainings, first that of the encoder of ours that it started from.
        latency: Median time of a prediction, relative to the first model of the task.
        lengths: Validation accuracy by length.
        categories: Behavioural tests by category.
        seeds: Accuracies by seed, its own included.
    """

    task: str
    model: str
    kind: str
    attention: bool
    besides: tuple[str, ...]
    parameters: int | None
    test: Figures
    interval: tuple[float, float]
    trainings: tuple[TrainingTime, ...]
    latency: float | None
    lengths: tuple[Slice, ...]
    categories: tuple[CategoryScore, ...]
    seeds: Seeds

    @property
    def macro_f1(self) -> float | None:
        """Mean F1 of the classes on the test split."""
        f1 = self.test.f1
        return fmean(f1) if f1 else None


@dataclass(frozen=True)
class LearningPoint:
    """Validation accuracies of trainings with so many labels, one for each seed.

    Attributes:
        labels: Number of labelled inputs.
        started: With the weights of a language model as the start.
        scratch: With random weights.
    """

    labels: int
    started: tuple[float, ...]
    scratch: tuple[float, ...]


@dataclass(frozen=True)
class LearningCurves:
    """What it saves to have read before: an encoder by number of labels.

    Attributes:
        start: The language model, `TASK/NAME`.
        points: In ascending order of labels.
    """

    start: str
    points: tuple[LearningPoint, ...]
