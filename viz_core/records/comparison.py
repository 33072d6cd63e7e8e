"""The comparison of all models of a task: what was measured of each, from its own files."""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean, stdev

from viz_core.records.corpus import CategoryScore, Slice
from viz_core.records.figures import Figures


@dataclass(frozen=True)
class Seeds:
    """The accuracy on validation of trainings that differ only in their seed. values: by seed."""

    values: Mapping[int, float]

    @property
    def mean(self) -> float:
        return fmean(self.values.values())

    @property
    def spread(self) -> float:
        """The standard deviation of the sample; 0 for a single seed."""
        return stdev(self.values.values()) if len(self.values) > 1 else 0.0


@dataclass(frozen=True)
class ComparedModel:
    """A row of the comparison; None or empty where something was not measured.

    kind: as in `config.json`. attention: whether it has any. besides: what it learned from besides the labels,
    `pretraining`, `teacher`. test: figures on the test split. interval: 95% CI of its accuracy. minutes: of its
    training. on_gpu: where that was. latency: median time of a prediction, relative to the first model of the task.
    lengths: accuracy on validation by length. categories: of the behavioural tests. seeds: with its own.
    """

    task: str
    model: str
    kind: str
    attention: bool
    besides: tuple[str, ...]
    parameters: int | None
    test: Figures
    interval: tuple[float, float]
    minutes: float | None
    latency: float | None
    lengths: tuple[Slice, ...]
    categories: tuple[CategoryScore, ...]
    seeds: Seeds
    on_gpu: bool = False

    @property
    def macro_f1(self) -> float | None:
        """The mean F1 of the classes on the test."""
        f1 = self.test.f1
        return fmean(f1) if f1 else None
