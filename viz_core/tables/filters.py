"""Selects rows: at random, or by label, prediction, confidence and length."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from viz_core.records import PredictedRows

Outcome = Literal["all", "right", "wrong"]
OUTCOMES: tuple[Outcome, ...] = ("all", "right", "wrong")


def sample(count: int, limit: int, seed: int) -> np.ndarray:
    """Indices `(M,)` of at most `limit` of `count` rows, in random order, reproducible by the seed."""
    return np.random.default_rng(seed).permutation(count)[:limit]


@dataclass(frozen=True)
class Filter:
    """Conditions on rows; ranges include both bounds, None means any.

    Attributes:
        outcome: Whether the prediction is correct.
        confidence: Confidence of the prediction.
        length: Number of tokens.
        overlap: Share of common characters.
        label: True class.
    """

    outcome: Outcome = "all"
    confidence: tuple[float, float] = (0.0, 1.0)
    length: tuple[int, int] | None = None
    overlap: tuple[float, float] | None = None
    label: int | None = None


def filter_rows(
    rows: PredictedRows, conditions: Filter, lengths: np.ndarray, shared: np.ndarray | None = None
) -> np.ndarray:
    """Indices `(M,)` of the rows that meet the conditions, by decreasing confidence (stable).

    Args:
        rows: The rows.
        conditions: The conditions.
        lengths: Tokens per row, `(N,)`.
        shared: Share of common characters, `(N,)`, for pairs.
    """
    keep = _within(rows.confidence, conditions.confidence)
    if conditions.outcome != "all":
        keep &= (rows.predictions == rows.labels) == (conditions.outcome == "right")
    if conditions.length is not None:
        keep &= _within(lengths, conditions.length)
    if conditions.overlap is not None and shared is not None:
        keep &= _within(shared, conditions.overlap)
    if conditions.label is not None:
        keep &= rows.labels == conditions.label
    indices = np.flatnonzero(keep)
    return indices[np.argsort(-rows.confidence[indices], kind="stable")]


def _within(values: np.ndarray, bounds: tuple[float, float]) -> np.ndarray:
    return (values >= bounds[0]) & (values <= bounds[1])
