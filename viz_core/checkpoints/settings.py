"""What `config.json` holds: the model's config, and how its logits become an answer."""

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
    """temperature divides the logits. threshold: of two classes, the probability of the last from which on it is the answer;
    None of more. caution: the key of a sentence that warns of this model (it is shown as a bad example), or empty. kind: one
    of KINDS. Raises ValueError, naming the value that cannot be."""

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
            object.__setattr__(self, "threshold", None)  # the likeliest class is the answer
        elif not (isinstance(self.threshold, (int, float)) and 0 <= self.threshold <= 1):
            raise ValueError(f"threshold is {self.threshold!r}: it must be a probability, 0 to 1")

    def probabilities(self, logits: np.ndarray) -> np.ndarray:
        """Calibrated, `(…, C)` of logits `(…, C)`."""
        return calibrate(logits, self.temperature)

    def log_probabilities(self, logits: np.ndarray) -> np.ndarray:
        """The logarithms of the same."""
        return calibrate_log(logits, self.temperature)

    def decide(self, probabilities: np.ndarray) -> np.ndarray:
        """Number of the answer for calibrated probabilities `(…, C)`."""
        return decide(probabilities, self.threshold)

    def to_dict(self) -> dict:
        """As `config.json` has it; the model's config stands under the name of its kind."""
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
        """Raises ValueError, KeyError or TypeError where they describe no model that could be built."""
        values = dict(values)
        kind = values.pop("kind", "encoder")
        if kind not in KINDS:
            raise ValueError(f"kind is {kind!r}: it must be one of {', '.join(KINDS)}")
        return cls(kind=kind, model=KINDS[kind].config(values.pop(kind)), **values)
