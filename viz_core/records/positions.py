"""Positions: what a model adds to its tokens to say where they stand, and what it predicts without."""

from dataclasses import dataclass

import numpy as np

# What is changed about an input: nothing, the order of its tokens, the position embeddings (all 0), both.
ORDERS = ("original", "shuffled", "without_positions", "both")


@dataclass(frozen=True, eq=False)
class PositionVectors:
    """Position embeddings, a row per position.

    Attributes:
        kind: `learned` or `sinusoidal`.
        vectors: `(T, D)`.
    """

    kind: str
    vectors: np.ndarray


@dataclass(frozen=True, eq=False)
class SimilarityByDistance:
    """How similar the vectors of two positions are, by their distance k from 0 to K - 1.

    Attributes:
        kind: Of the vectors.
        measure: `cosine` or `dot`.
        mean, low, high: `(K,)`, over all pairs at that distance; low and high are their 5th and
            95th percentiles.
    """

    kind: str
    measure: str
    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray


@dataclass(frozen=True, eq=False)
class OrderEffects:
    """What a model does with one input whose tokens are in random order, without positions, or both.

    Attributes:
        labels: Of the classes.
        probabilities: By name of ORDERS, calibrated, `(S, C)` for S orders; a single row where
            nothing is random.
        attention_change: For the other names than `original`, `(L, H)`: how much of the attention
            weight goes to other tokens than before, 0 to 1, mean over queries and orders; empty for
            a model without attention.
    """

    labels: tuple[str, ...]
    probabilities: dict[str, np.ndarray]
    attention_change: dict[str, np.ndarray]


@dataclass(frozen=True, eq=False)
class OrderAccuracy:
    """Accuracy over a split, in the order of ORDERS; arrays `(4,)`, intervals `(4, 2)` of 95%.

    Attributes:
        n: Rows.
        seeds: Of the random orders, over which accuracies are averaged.
        changes: Accuracy minus that of the original, with the interval of the paired difference.
    """

    n: int
    seeds: tuple[int, ...]
    majority: float
    accuracies: np.ndarray
    intervals: np.ndarray
    changes: np.ndarray
    change_intervals: np.ndarray
