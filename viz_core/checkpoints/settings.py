"""The contents of `config.json`: the model's config, and how its logits become a prediction."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

import numpy as np

from viz_core.models.kinds import KINDS
from viz_core.models.protocol import ModelConfig
from viz_core.records import calibrate, calibrate_log, decide

CAUTIONS = ("", "checkpoints.collapsed")  # keys of the catalogues


@dataclass(frozen=True)
class Settings:
    """How a model is built and used. Raises ValueError, naming the invalid value.

    temperature: divides the logits. threshold: with two classes, the second is predicted from this probability on; None
    with more. caution: key of a sentence that warns about a model shown as a bad example, or empty. kind: key of KINDS.
    """

    task: str
    model: ModelConfig
    temperature: float = 1.0
    threshold: float | None = 0.5
    caution: str = ""
    kind: str = "encoder"

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"kind is {self.kind!r}: it must be one of {', '.join(KINDS)}")
        if self.caution not in CAUTIONS:
            raise ValueError(f"caution is {self.caution!r}: it must be one of {', '.join(map(repr, CAUTIONS))}")
        if not (isinstance(self.temperature, (int, float)) and 0 < self.temperature < math.inf):
            raise ValueError(f"temperature is {self.temperature!r}: it must be a number above 0")
        if self.model.classes > 2:
            object.__setattr__(self, "threshold", None)  # the most probable class is predicted
        elif not (isinstance(self.threshold, (int, float)) and 0 <= self.threshold <= 1):
            raise ValueError(f"threshold is {self.threshold!r}: it must be a probability, 0 to 1")

    def probabilities(self, logits: np.ndarray) -> np.ndarray:
        """Calibrated probabilities `(…, C)` from logits `(…, C)`."""
        return calibrate(logits, self.temperature)

    def log_probabilities(self, logits: np.ndarray) -> np.ndarray:
        """Logarithms of the calibrated probabilities `(…, C)` from logits `(…, C)`."""
        return calibrate_log(logits, self.temperature)

    def decide(self, probabilities: np.ndarray) -> np.ndarray:
        """Index of the predicted class, `(…)`, from calibrated probabilities `(…, C)`."""
        return decide(probabilities, self.threshold)

    def to_dict(self) -> dict:
        """The contents of `config.json`; the model's config is stored under the name of its kind."""
        return {
            "task": self.task,
            "kind": self.kind,
            self.kind: asdict(self.model),
            "temperature": self.temperature,
            "threshold": self.threshold,
            "caution": self.caution,
        }

    @classmethod
    def from_dict(cls, values: dict) -> Settings:
        """Raises ValueError, KeyError or TypeError for values that describe no valid model."""
        values = dict(values)
        kind = values.pop("kind", "encoder")
        if kind not in KINDS:
            raise ValueError(f"kind is {kind!r}: it must be one of {', '.join(KINDS)}")
        return cls(kind=kind, model=KINDS[kind].config(values.pop(kind)), **values)
