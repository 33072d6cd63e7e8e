"""Metrics of a model: on one split, at an evaluation during training, and the whole of `metrics.json`."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import get_type_hints

_CLOSE = 1e-4  # machines round differently
_CLOSE_BLEU = 0.1  # by which a sentence may get another word


@dataclass(frozen=True)
class Figures:
    """Metrics on one split, named as in `metrics.json`; None where unknown.

    n: rows. f1: per class. confusion: `[true][predicted]`. majority_accuracy: of the majority-class baseline.
    threshold: None with more than two classes. ece, ece_uncalibrated: expected calibration error, after and before
    temperature scaling.
    """

    n: int | None = None
    accuracy: float | None = None
    auc: float | None = None
    mcc: float | None = None
    f1: tuple[float, ...] | None = None
    confusion: tuple[tuple[int, ...], ...] | None = None
    majority_accuracy: float | None = None
    threshold: float | None = None
    ece: float | None = None
    ece_uncalibrated: float | None = None

    @classmethod
    def from_dict(cls, values: Mapping) -> Figures:
        """From the entries of a file; others are ignored, and values of the wrong type count as unknown."""
        valid = {name: values[name] for name in _NUMBERS if _is_number(values.get(name))}
        if isinstance(f1 := values.get("f1"), (list, tuple)) and all(map(_is_number, f1)):
            valid["f1"] = tuple(f1)
        rows = values.get("confusion")
        if isinstance(rows, (list, tuple)) and all(
            isinstance(row, (list, tuple)) and len(row) == len(rows) and all(map(_is_number, row)) for row in rows
        ):
            valid["confusion"] = tuple(map(tuple, rows))
        return cls(**valid)

    def __getitem__(self, name: str) -> float:
        """A number that must be known. Raises KeyError if it is not."""
        if (number := getattr(self, name)) is None:
            raise KeyError(name)
        return number

    def to_dict(self) -> dict:
        """As JSON values."""
        return {
            **asdict(self),
            "f1": self.f1 and list(self.f1),
            "confusion": self.confusion and [*map(list, self.confusion)],
        }

    def is_close(self, other: object) -> bool:
        """Whether they are the same but for rounding."""
        if not isinstance(other, Figures) or (self.n, self.confusion) != (other.n, other.confusion):
            return False
        return all(
            a == b if a is None or b is None else math.isclose(a, b, abs_tol=_CLOSE)
            for a, b in zip(self._measures, other._measures, strict=True)
        )

    @property
    def _measures(self) -> tuple[float | None, ...]:
        return self.accuracy, self.auc, self.mcc, self.threshold, self.ece, self.ece_uncalibrated


_NUMBERS = tuple(entry.name for entry in fields(Figures) if entry.name not in ("f1", "confusion"))


def _is_number(value: object) -> bool:
    """Whether it is a finite number: files may hold nan, infinity, or whole numbers that no float can hold."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


@dataclass(frozen=True)
class TranslationFigures:
    """Metrics of a translation on one split, named as in `metrics.json`.

    n: pairs. bleu, chrf: 0 to 100, of greedy translations; beam_: of a beam search of width beam. incomplete,
    beam_incomplete: translations cut off at the length limit. retrieval_: of the baseline that answers with the
    translation of the nearest sentence of train.
    """

    n: int
    bleu: float
    chrf: float
    incomplete: int
    beam: int
    beam_bleu: float
    beam_chrf: float
    beam_incomplete: int
    retrieval_bleu: float
    retrieval_chrf: float

    @classmethod
    def from_dict(cls, values: Mapping) -> TranslationFigures:
        """Raises ValueError, TypeError or KeyError unless all figures are there and are numbers."""
        kinds = get_type_hints(cls)
        for name, kind in kinds.items():
            if type(values[name]) is not kind:
                raise ValueError(f"{name} is {values[name]!r}: it must be of type {kind.__name__}")
        return cls(**{name: values[name] for name in kinds})

    def to_dict(self) -> dict:
        """As JSON values."""
        return asdict(self)

    def is_close(self, other: object) -> bool:
        """Whether they are the same but for rounding."""
        if not isinstance(other, TranslationFigures) or (self.n, self.beam) != (other.n, other.beam):
            return False
        return all(
            math.isclose(getattr(self, field.name), getattr(other, field.name), abs_tol=_CLOSE_BLEU)
            for field in fields(self)
            if field.type == "float"
        )


@dataclass(frozen=True)
class Measure:
    """A figure of a training, by its name, and its chart.

    selects: whether it may choose the best checkpoint. falls: whether lower is better. format: of its values. figure:
    its name in an evaluation, by default the same. training: name of that on the train set, drawn beside it. baseline:
    that of the majority class, where it is the same on any data. from_zero: whether its axis begins there.
    """

    name: str
    selects: bool = True
    falls: bool = False
    format: str = ".3g"
    figure: str = ""
    training: str = ""
    baseline: float | None = None
    from_zero: bool = False

    @property
    def lines(self) -> dict[str, str]:
        """Of its chart, by kind of line, their names in an evaluation; the first one is solid and names the run."""
        figure = self.figure or self.name
        return {"validation": figure, "train": self.training} if self.training else {self.name: figure}

    def is_better(self, value: float, best: float) -> bool:
        return value < best if self.falls else value > best


@dataclass(frozen=True)
class Evaluation:
    """An evaluation during training: a line of `metrics.jsonl`, `best` or `last` in a run's status; None where unknown.

    phase: `pretrain` or `train`. evaluation: its number, from 1. epoch: epochs completed. step: optimiser steps
    completed. numbers: all of them by name, among them loss and train_accuracy, means since the previous evaluation.
    figures: of a classification, not calibrated.
    """

    phase: str = "train"
    evaluation: int | None = None
    epoch: float | None = None
    step: int | None = None
    numbers: Mapping[str, float] = field(default_factory=dict)
    figures: Figures = Figures()

    @classmethod
    def from_dict(cls, values: Mapping | None) -> Evaluation:
        """From the entries of a file that anyone may have written; values of the wrong type count as unknown."""
        values = values or {}
        numbers = {name: value for name, value in values.items() if _is_number(value)}
        own = {name: numbers[name] for name in ("evaluation", "epoch", "step") if name in numbers}
        return cls(phase=str(values.get("phase", "train")), **own, numbers=numbers, figures=Figures.from_dict(values))


@dataclass(frozen=True)
class Metrics:
    """The contents of `metrics.json`: all entries, and typed access to those that the app uses."""

    entries: Mapping = field(default_factory=dict)

    @property
    def training_data(self) -> str:
        """`sample` for a model trained on the sample corpus, else `full`."""
        return "sample" if self.entries.get("data") == "sample" else "full"

    @property
    def parameters(self) -> int | None:
        count = self.entries.get("parameters")
        return count if isinstance(count, int) else None

    @property
    def validation(self) -> Figures | None:
        figures = self.entries.get("validation")
        return Figures.from_dict(figures) if isinstance(figures, Mapping) else None

    def numbers(self, split: str) -> dict[str, float]:
        """All numbers measured on `validation` or `test`, by name, whatever the task; empty if there are none."""
        entries = self.entries if split == "test" == self.entries.get("split") else self.entries.get(split)
        numbers = entries.items() if isinstance(entries, Mapping) else ()
        return {name: value for name, value in numbers if _is_number(value)}

    @property
    def test(self) -> Figures | None:
        """None if the model was not evaluated on the test split; the top-level metrics may then be of another split."""
        return Figures.from_dict(self.entries) if self.entries.get("split") == "test" else None
