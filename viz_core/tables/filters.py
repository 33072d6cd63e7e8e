"""Rows of a table picked out: at random, or by what is true, what was answered, and how sure the model was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from viz_core.records import PredictedRows

Outcome = Literal["all", "right", "wrong"]
OUTCOMES: tuple[Outcome, ...] = ("all", "right", "wrong")


def sample(count: int, most: int, seed: int) -> np.ndarray:
    """Numbers from 0 of so many of `count` rows, in random order; all where there are no more. The same for the same seed."""
    return np.random.default_rng(seed).permutation(count)[:most]


@dataclass(frozen=True)
class Filter:
    """What is looked for; bounds belong to it. outcome: of rows whose label is known. confidence: of the answer, from and to.
    length: tokens; overlap: share of common characters; None: any. label: number of the class that is true; None: any."""

    outcome: Outcome = "all"
    confidence: tuple[float, float] = (0.0, 1.0)
    length: tuple[int, int] | None = None
    overlap: tuple[float, float] | None = None
    label: int | None = None


def matching(rows: PredictedRows, wanted: Filter, lengths: np.ndarray, shared: np.ndarray | None = None) -> np.ndarray:
    """Places `(M,)` of the rows that are looked for, the most confident answer first, equal ones in their order.

    lengths: tokens of each row `(N,)`. shared: share of common characters `(N,)`, of pairs.
    """
    keep = _within(rows.confidence, wanted.confidence)
    if wanted.outcome != "all":
        keep &= (rows.predictions == rows.labels) == (wanted.outcome == "right")
    if wanted.length is not None:
        keep &= _within(lengths, wanted.length)
    if wanted.overlap is not None and shared is not None:
        keep &= _within(shared, wanted.overlap)
    if wanted.label is not None:
        keep &= rows.labels == wanted.label
    places = np.flatnonzero(keep)
    return places[np.argsort(-rows.confidence[places], kind="stable")]


def _within(values: np.ndarray, bounds: tuple[float, float]) -> np.ndarray:
    return (values >= bounds[0]) & (values <= bounds[1])
