"""Position embeddings of a model, and its predictions without them or in another order."""

from dataclasses import dataclass

import numpy as np

# Changes to an input: none, the order of its tokens, the position embeddings (all 0), both.
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
    """Similarity of the vectors of two positions, by their distance k from 0 to K - 1.

    Attributes:
        kind: Kind of the vectors.
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
    """Predictions for one input with its tokens in random order, without positions, or both.

    Attributes:
        labels: Names of the classes.
        probabilities: By name of ORDERS, calibrated, `(S, C)` for S orders; a single row where
            nothing is random.
        attention_change: By name, except for `original`: how much of the attention weight goes to
            other tokens than before, 0 to 1, mean over queries and orders, `(L, H)`. Empty for a
            model without attention.
    """

    labels: tuple[str, ...]
    probabilities: dict[str, np.ndarray]
    attention_change: dict[str, np.ndarray]


@dataclass(frozen=True, eq=False)
class OrderAccuracy:
    """Accuracy over a split, in the order of ORDERS; arrays `(4,)`, intervals `(4, 2)` of 95%.

    Attributes:
        n: Number of rows.
        seeds: Seeds of the random orders, over which accuracies are averaged.
        changes: Accuracy minus the original accuracy, with the interval of the paired difference.
    """

    n: int
    seeds: tuple[int, ...]
    majority: float
    accuracies: np.ndarray
    intervals: np.ndarray
    changes: np.ndarray
    change_intervals: np.ndarray
