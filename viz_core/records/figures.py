"""How good a model is, in numbers: the figures of one split, and all that `metrics.json` says of a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields


@dataclass(frozen=True)
class Figures:
    """The figures of a model on one split, by the names of `metrics.json`; None where one is not known.

    n: rows. f1: one a class. confusion: `[truth][answer]`. majority_accuracy: what always giving the most frequent answer
    reaches. threshold: None of more than two classes. ece: expected calibration error, after calibration and before.
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
        """Of the entries of a file, those that are figures; one that is no number, or no list where it should be, is not known."""
        known = {name: values[name] for name in _NUMBERS if _is_number(values.get(name))}
        if isinstance(f1 := values.get("f1"), (list, tuple)) and all(map(_is_number, f1)):
            known["f1"] = tuple(f1)
        rows = values.get("confusion")
        if isinstance(rows, (list, tuple)) and all(
            isinstance(row, (list, tuple)) and len(row) == len(rows) and all(map(_is_number, row)) for row in rows
        ):
            known["confusion"] = tuple(map(tuple, rows))
        return cls(**known)

    def to_dict(self) -> dict:
        """As JSON has them."""
        return {
            **asdict(self),
            "f1": self.f1 and list(self.f1),
            "confusion": self.confusion and [*map(list, self.confusion)],
        }


_NUMBERS = tuple(entry.name for entry in fields(Figures) if entry.name not in ("f1", "confusion"))


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


@dataclass(frozen=True)
class Evaluation:
    """What a training said at one evaluation: a line of `metrics.jsonl`, and `best` and `last` of a run's status; None where
    it did not say.

    phase: `pretrain` or `train`. evaluation: its number, from 1. epoch: how many are done. step: of all steps. loss,
    train_accuracy: since the evaluation before. figures: on validation, not calibrated.
    """

    phase: str = "train"
    evaluation: int | None = None
    epoch: float | None = None
    step: int | None = None
    loss: float | None = None
    validation_loss: float | None = None
    train_accuracy: float | None = None
    lr: float | None = None
    tokens_per_second: float | None = None
    memory_bytes: int | None = None
    figures: Figures = Figures()

    @classmethod
    def from_dict(cls, values: Mapping | None) -> Evaluation:
        """Of the entries of a file that anybody may have written; one that is no number is not known."""
        values = values or {}
        known = {name: values[name] for name in _OF_AN_EVALUATION if _is_number(values.get(name))}
        return cls(phase=str(values.get("phase", "train")), **known, figures=Figures.from_dict(values))

    def value(self, name: str) -> float | None:
        """A number by its name in the file, among the figures, too."""
        return getattr(self.figures if name in _NUMBERS else self, name)


_OF_AN_EVALUATION = tuple(entry.name for entry in fields(Evaluation) if entry.name not in ("phase", "figures"))


@dataclass(frozen=True)
class Metrics:
    """What `metrics.json` says of a model: entries, as they stand there, and what the rest of the house asks for among them."""

    entries: Mapping = field(default_factory=dict)

    @property
    def training_data(self) -> str:
        """`sample` where a model says that it was trained on the sample, else `full`."""
        return "sample" if self.entries.get("data") == "sample" else "full"

    @property
    def parameters(self) -> int | None:
        count = self.entries.get("parameters")
        return count if isinstance(count, int) else None

    @property
    def validation(self) -> Figures | None:
        figures = self.entries.get("validation")
        return Figures.from_dict(figures) if isinstance(figures, Mapping) else None

    @property
    def test(self) -> Figures | None:
        """None where the test was not read for this model: the figures at the top may then be of another split."""
        return Figures.from_dict(self.entries) if self.entries.get("split") == "test" else None
