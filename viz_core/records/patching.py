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
        pairs: `(K, 2)`, positions of the tokens that correspond, in the source and in the target; of
            cross-attention, positions of the words already written, the same in both.
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

    @property
    def positions(self) -> list[tuple[int, int]]:
        """`pairs` as tuples."""
        return [(old, new) for old, new in self.pairs.tolist()]

    def effects(self, differences: np.ndarray) -> np.ndarray:
        """Normalise differences of patched runs: 0 like the target, 1 like the source."""
        return (differences - self.target_difference) / (self.source_difference - self.target_difference)


HeadInput = Literal["queries", "keys", "values"]  # where another head can reach one
HEAD_INPUTS: tuple[HeadInput, ...] = ("queries", "keys", "values")


@dataclass(frozen=True, eq=False)
class Paths:
    """How far a head carries the difference through what each later head reads.

    Attributes:
        sender: Layer and head, from 0.
        effects: `(3, L, H)`, through queries, keys and values (HEAD_INPUTS) of a head; NaN up to the
            sender's layer.
    """

    contrast: Contrast
    sender: tuple[int, int]
    effects: np.ndarray


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

    def strongest(self, site: Site) -> tuple[int, int]:
        """Layer and column of the largest effect of either sign."""
        layer, column = np.unravel_index(np.abs(self.effects[site]).argmax(), self.effects[site].shape)
        return int(layer), int(column)
