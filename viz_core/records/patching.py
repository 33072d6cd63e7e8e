"""Activation patching between two inputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from viz_core.records.inputs import Encoding

Site = Literal["residual", "attention", "feedforward", "heads"]
SITES: tuple[Site, ...] = ("residual", "attention", "feedforward", "heads")


@dataclass(frozen=True, eq=False)
class Contrast:
    """Two inputs of a model, and the number that differs between them.

    The number is the logit of the first label minus that of the second, before calibration.

    Attributes:
        source: Where numbers are taken from.
        target: The run that they are put into.
        pairs: `(K, 2)`, positions of the tokens that correspond, in the source and in the target.
        labels: Names of the two labels.
        logits: Their places among the logits of the model.
        source_difference, target_difference: The number, of both inputs.
    """

    model: str
    task: str
    source: Encoding
    target: Encoding
    pairs: np.ndarray
    labels: tuple[str, str]
    logits: tuple[int, int]
    source_difference: float
    target_difference: float

    def effects(self, differences: np.ndarray) -> np.ndarray:
        """Normalise differences of patched runs: 0 like the target, 1 like the source."""
        return (differences - self.target_difference) / (self.source_difference - self.target_difference)


@dataclass(frozen=True, eq=False)
class Patching:
    """Effect of every part, by site.

    Attributes:
        effects: `residual (L, K)`, before each layer; `attention (L, K)` and `feedforward (L, K)`, what
            they add; `heads (L, H)`, at all tokens that correspond.
        is_exact: Whether each was patched; otherwise they are estimates by one gradient.
    """

    contrast: Contrast
    effects: Mapping[Site, np.ndarray]
    is_exact: bool
