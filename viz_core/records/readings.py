"""Readings of a test split: the lines of the ledger."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from reprlib import repr as shorten
from typing import Protocol, Self

from viz_core.records.figures import Figures, LanguageFigures, TranslationFigures

ROWS = ("all", "unseen")
SOURCES = ("evaluate", "history")


class MeasuredFigures(Protocol):
    """Figures of a model on a test split, such as `Figures` and `TranslationFigures`."""

    @property
    def n(self) -> int | None:
        """Number of rows."""

    @classmethod
    def from_dict(cls, values: Mapping) -> Self:
        """Read all figures. Raises ValueError, TypeError or KeyError if any is missing or invalid."""

    def to_dict(self) -> dict:
        """Convert to JSON values."""

    def is_close(self, other: Self) -> bool:
        """Whether both are the same except for rounding."""


_KINDS: dict[str, type[MeasuredFigures]] = {"bleu": TranslationFigures, "perplexity": LanguageFigures}


@dataclass(frozen=True)
class Reading:
    """Figures measured on a test split, and how.

    Attributes:
        date: ISO 8601, UTC.
        commit: Commit of the code that read the split.
        data: `full` or `sample`.
        rows: `all`, or `unseen` without the rows that have a text of train.
        weights_sha256: Hash of the model's file.
        source: `evaluate`; or `history` for a reading from before the ledger, whose date and commit
            are those of the commit that contains the figures.
    """

    date: str
    commit: str
    task: str
    model: str
    data: str
    rows: str
    weights_sha256: str
    figures: MeasuredFigures
    source: str = "evaluate"

    @classmethod
    def from_dict(cls, values: object) -> Reading:
        """Read a line of the ledger.

        Raises:
            ValueError, TypeError, KeyError: If it is incomplete or invalid.
        """
        if not isinstance(values, Mapping) or set(values) != {entry.name for entry in fields(cls)}:
            expected = ", ".join(entry.name for entry in fields(cls))
            raise ValueError(f"the entries are {shorten(values)}: they must be {expected}")
        figures = _read_figures(values["figures"])
        if figures.to_dict() != values["figures"]:
            raise ValueError(
                f"the figures are {shorten(values['figures'])}: they must be {', '.join(figures.to_dict())}"
            )
        datetime.fromisoformat(values["date"])
        for name, choices in (("rows", ROWS), ("source", SOURCES)):
            if values[name] not in choices:
                raise ValueError(f"{name} is {shorten(values[name])}: it must be one of {', '.join(choices)}")
        return cls(**{**values, "figures": figures})

    def to_dict(self) -> dict:
        """Convert to JSON values."""
        return {**vars(self), "figures": self.figures.to_dict()}

    def repeats(self, other: Reading) -> bool:
        """Whether the same weights gave the same figures on the same rows, at any time."""
        return self._origin == other._origin and self.figures.is_close(other.figures)

    @property
    def _origin(self) -> tuple:
        return self.task, self.model, self.data, self.rows, self.weights_sha256


def register_figures(measure: str, kind: type[MeasuredFigures]) -> None:
    """Register a kind of test figures, recognised by a measure that no other kind has."""
    _KINDS[measure] = kind


def _read_figures(values: Mapping) -> MeasuredFigures:
    kind = next((kind for measure, kind in _KINDS.items() if measure in values), Figures)
    figures = kind.from_dict(values)
    if isinstance(figures, Figures) and (figures.n is None or figures.accuracy is None):
        raise ValueError(f"n is {figures.n}, accuracy is {figures.accuracy}: both must be numbers")
    return figures
