"""Metrics of a model: on one split, at an evaluation during training, and all of `metrics.json`."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import get_type_hints

_CLOSE = 1e-4  # tolerance, because machines round differently
_CLOSE_BLEU = 0.1  # tolerance: different rounding may change a word of a translation


@dataclass(frozen=True)
class Figures:
    """Metrics on one split, named as in `metrics.json`; None where unknown.

    Attributes:
        n: Number of rows.
        f1: Per class.
        confusion: `[true][predicted]`.
        majority_accuracy: Accuracy of the majority-class baseline.
        threshold: None with more than two classes.
        ece, ece_uncalibrated: Expected calibration error, after and before temperature scaling.
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
        """Read from the entries of a file.

        Other entries are ignored, and values of the wrong type count as unknown.
        """
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
        """Get a number that must be known.

        Raises:
            KeyError: If it is unknown.
        """
        if (number := getattr(self, name)) is None:
            raise KeyError(name)
        return number

    def to_dict(self) -> dict:
        """Convert to JSON values."""
        return {
            **asdict(self),
            "f1": self.f1 and list(self.f1),
            "confusion": self.confusion and [*map(list, self.confusion)],
        }

    def is_close(self, other: object) -> bool:
        """Whether both are the same except for rounding."""
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
    """Whether it is a finite number: files may hold nan, infinity, or integers too large for a float."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


@dataclass(frozen=True)
class TranslationFigures:
    """Metrics of a translation on one split, named as in `metrics.json`.

    Prefixes: `beam_` for a beam search of width `beam`; `retrieval_` for the baseline that answers
    with the translation of the nearest training sentence; none for greedy translations.

    Attributes:
        n: Number of pairs.
        bleu, chrf: 0 to 100.
        incomplete, beam_incomplete: Number of translations cut off at the length limit.
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
        """Read from the entries of a file.

        Raises:
            ValueError: If a figure is not a number of its type.
            KeyError: If a figure is missing.
        """
        kinds = get_type_hints(cls)
        for name, kind in kinds.items():
            if type(values[name]) is not kind:
                raise ValueError(f"{name} is {values[name]!r}: it must be of type {kind.__name__}")
        return cls(**{name: values[name] for name in kinds})

    def to_dict(self) -> dict:
        """Convert to JSON values."""
        return asdict(self)

    def is_close(self, other: object) -> bool:
        """Whether both are the same except for rounding."""
        if not isinstance(other, TranslationFigures) or (self.n, self.beam) != (other.n, other.beam):
            return False
        return all(
            math.isclose(getattr(self, field.name), getattr(other, field.name), abs_tol=_CLOSE_BLEU)
            for field in fields(self)
            if field.type == "float"
        )


@dataclass(frozen=True)
class LanguageFigures:
    """Metrics of a language model on one split, named as in `metrics.json`.

    Attributes:
        n: Number of windows.
        tokens, words, characters: How many were predicted.
        perplexity: Per word (`analysis/evaluation/next_tokens.py`).
        token_loss: Mean negative log-probability of a token, in nats.
        repeated_loss: The same over the tokens that stood before behind the same token; None if there
            are none.
        kneser_ney_perplexity: Of an interpolated Kneser-Ney 5-gram of the train split over the same
            tokens, the baseline; None where it was not computed.
    """

    n: int
    tokens: int
    words: int
    characters: int
    perplexity: float
    bits_per_character: float
    token_loss: float
    token_accuracy: float
    repeated_loss: float | None = None
    kneser_ney_perplexity: float | None = None

    @classmethod
    def from_dict(cls, values: Mapping) -> LanguageFigures:
        """Read from the entries of a file.

        Raises:
            ValueError: If a figure is not a number.
            KeyError: If a figure is missing.
        """
        figures = {name: values[name] for name in get_type_hints(cls)}
        for name, value in figures.items():
            optional = name in ("repeated_loss", "kneser_ney_perplexity") and value is None
            if not (optional or _is_number(value)):
                raise ValueError(f"{name} is {value!r}: it must be a number")
        return cls(**figures)

    def to_dict(self) -> dict:
        """Convert to JSON values."""
        return asdict(self)

    def is_close(self, other: object) -> bool:
        """Whether both are the same except for rounding."""
        if not isinstance(other, LanguageFigures) or (self.n, self.tokens) != (other.n, other.tokens):
            return False
        return math.isclose(self.token_loss, other.token_loss, abs_tol=_CLOSE)


@dataclass(frozen=True)
class Measure:
    """A metric of a training, and its chart.

    Attributes:
        selects: Whether it may choose the best checkpoint.
        falls: Whether lower is better.
        format: Format of its values.
        figure: Its name in an evaluation, by default the same.
        training: Name of the same metric on the train set, drawn in the same chart.
        baseline: Value of the majority class, if it is the same on any data.
        from_zero: Whether its axis begins at 0.
        top: Where its axis ends, if the values do not exceed it; by default at the highest of them.
    """

    name: str
    selects: bool = True
    falls: bool = False
    format: str = ".3g"
    figure: str = ""
    training: str = ""
    baseline: float | None = None
    from_zero: bool = False
    top: float | None = None

    @property
    def lines(self) -> dict[str, str]:
        """Names in an evaluation of the chart's lines, by kind; the first one is solid and names the run."""
        figure = self.figure or self.name
        return {"validation": figure, "train": self.training} if self.training else {self.name: figure}

    def is_better(self, value: float, best: float) -> bool:
        """Whether a value is better than the best so far."""
        return value < best if self.falls else value > best


@dataclass(frozen=True)
class Evaluation:
    """An evaluation during training; None where unknown.

    A line of `metrics.jsonl`, or `best` or `last` in a run's status.

    Attributes:
        phase: `pretrain` or `train`.
        evaluation: Its number, from 1.
        epoch: Epochs completed.
        step: Optimiser steps completed.
        numbers: All numbers by name, among them loss and train_accuracy, means since the previous
            evaluation.
        figures: Uncalibrated metrics of a classification.
    """

    phase: str = "train"
    evaluation: int | None = None
    epoch: float | None = None
    step: int | None = None
    numbers: Mapping[str, float] = field(default_factory=dict)
    figures: Figures = Figures()

    @classmethod
    def from_dict(cls, values: Mapping | None) -> Evaluation:
        """Read from the entries of an untrusted file; values of the wrong type count as unknown."""
        values = values or {}
        numbers = {name: value for name, value in values.items() if _is_number(value)}
        own = {name: numbers[name] for name in ("evaluation", "epoch", "step") if name in numbers}
        phase = "pretrain" if values.get("phase") == "pretrain" else "train"
        return cls(phase=phase, **own, numbers=numbers, figures=Figures.from_dict(values))


@dataclass(frozen=True)
class Metrics:
    """Contents of `metrics.json`: all entries, and typed access to those that the app uses."""

    entries: Mapping = field(default_factory=dict)

    @property
    def training_data(self) -> str:
        """`sample` for a model trained on the sample corpus, else `full`."""
        return "sample" if self.entries.get("data") == "sample" else "full"

    @property
    def parameters(self) -> int | None:
        """Number of parameters; None if unknown."""
        count = self.entries.get("parameters")
        return count if isinstance(count, int) else None

    @property
    def validation(self) -> Figures | None:
        """Metrics on the validation split; None if unknown."""
        figures = self.entries.get("validation")
        return Figures.from_dict(figures) if isinstance(figures, Mapping) else None

    def numbers(self, split: str) -> dict[str, float]:
        """All numbers measured on `validation` or `test`, by name, for any task; empty if there are none."""
        is_top_level = split == "test" and self.entries.get("split") == "test"
        entries = self.entries if is_top_level else self.entries.get(split)
        numbers = entries.items() if isinstance(entries, Mapping) else ()
        return {name: value for name, value in numbers if _is_number(value)}

    @property
    def test(self) -> Figures | None:
        """Metrics on the test split; None if the model was not evaluated on it.

        The top-level metrics may then belong to another split.
        """
        return Figures.from_dict(self.entries) if self.entries.get("split") == "test" else None
