"""Contents of `config.json`: the config of the model, and how its logits become a prediction."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from reprlib import repr as shorten

import numpy as np

from viz_core.models.config import is_number
from viz_core.models.kinds import KINDS
from viz_core.models.protocol import ModelConfig
from viz_core.records import calibrate, calibrate_log, decide

CAUTIONS = ("", "checkpoints.collapsed")  # keys of the catalogues
TEMPERATURES = (1e-3, 1e3)  # outside this range probabilities are 0 and 1, or all alike, whatever the logits
# Larger than the models of the papers that we teach (Transformer big, BERT-large, GPT-2).
LARGEST = {  # sizes of a model read from a folder; training/estimate.py says what may be trained
    "vocabulary": 10**6,
    "max_tokens": 8192,
    "layers": 64,
    "heads": 64,
    "width": 8192,
    "feedforward": 32_768,
    "segments": 16,
    "classes": 10**6,
}
MOST_PARAMETERS = 10**9  # 4 GB of weights
MOST_WEIGHTS = 2**28  # attention weights of a text, L·H·T²: 1 GB


@dataclass(frozen=True)
class Settings:
    """How a model is built and used.

    Attributes:
        task: Name of its task.
        config: Config of the model.
        temperature: Divides the logits.
        threshold: With two classes, the second one is predicted from this probability on; None with
            more classes.
        caution: Key of a sentence that warns about a model shown as a bad example, or empty.
        kind: Key of KINDS.

    Raises:
        ValueError: If a value is invalid; the message names it.
    """

    task: str
    config: ModelConfig
    temperature: float = 1.0
    threshold: float | None = 0.5
    caution: str = ""
    kind: str = "encoder"

    def __post_init__(self) -> None:
        _check_kind(self.kind)
        if not isinstance(self.task, str):
            raise ValueError(f"task is {shorten(self.task)}: it must be a name")
        if self.caution not in CAUTIONS:
            raise ValueError(f"caution is {shorten(self.caution)}: it must be one of {', '.join(map(repr, CAUTIONS))}")
        low, high = TEMPERATURES
        if not (is_number(self.temperature) and low <= self.temperature <= high):
            raise ValueError(f"temperature is {shorten(self.temperature)}: it must be a number, {low} to {high:g}")
        if self.config.classes > 2:
            object.__setattr__(self, "threshold", None)  # the most probable class is predicted
        elif not (is_number(self.threshold) and 0 <= self.threshold <= 1):
            raise ValueError(f"threshold is {shorten(self.threshold)}: it must be a probability, 0 to 1")

    def probabilities(self, logits: np.ndarray) -> np.ndarray:
        """Compute calibrated probabilities `(…, C)` from logits `(…, C)`."""
        return calibrate(logits, self.temperature)

    def log_probabilities(self, logits: np.ndarray) -> np.ndarray:
        """Compute logarithms of the calibrated probabilities `(…, C)` from logits `(…, C)`."""
        return calibrate_log(logits, self.temperature)

    def decide(self, probabilities: np.ndarray) -> np.ndarray:
        """Return the index of the predicted class, `(…)`, from calibrated probabilities `(…, C)`."""
        return decide(probabilities, self.threshold)

    def to_dict(self) -> dict:
        """Return the contents of `config.json`, with the config of the model under the name of its kind."""
        return {
            "task": self.task,
            "kind": self.kind,
            self.kind: asdict(self.config),
            "temperature": self.temperature,
            "threshold": self.threshold,
            "caution": self.caution,
        }

    @classmethod
    def from_dict(cls, values: dict) -> Settings:
        """Build settings from the contents of `config.json`.

        Raises:
            ValueError: If a value is invalid.
            KeyError: If a value is missing.
            TypeError: If values do not describe a valid model.
        """
        values = dict(values)
        kind = values.pop("kind", "encoder")
        _check_kind(kind)
        config = values.pop(kind)
        if not isinstance(config, dict):
            raise ValueError(f"{kind} is {shorten(config)}: it must be an object with the sizes of the model")
        if unknown := sorted(set(values) - {field.name for field in fields(cls)}):
            raise ValueError(f"there is no setting named {shorten(', '.join(unknown))}")
        return cls(kind=kind, config=KINDS[kind].config(config), **values)


def _check_kind(kind: object) -> None:
    if not isinstance(kind, str) or kind not in KINDS:
        raise ValueError(f"kind is {shorten(kind)}: it must be one of {', '.join(KINDS)}")


def check_size(config: ModelConfig) -> None:
    """Check that a model is not larger than any that we teach.

    Raises:
        ValueError: If it is; the message names the value.
    """
    for name, largest in LARGEST.items():
        if (value := getattr(config, name, 0)) > largest:
            raise ValueError(f"{name} is {shorten(value)}: it must be at most {largest:,}")
    if (parameters := config.parameters()) > MOST_PARAMETERS:
        raise ValueError(f"the model would have {parameters:,} parameters: at most {MOST_PARAMETERS:,} are possible")
    if (weights := config.layers * config.heads * config.max_tokens**2) > MOST_WEIGHTS:
        raise ValueError(
            f"a text of {config.max_tokens:,} tokens would have {weights:,} attention weights in {config.layers} "
            f"layers of {config.heads} heads: at most {MOST_WEIGHTS:,} are possible"
        )
