"""How many heads can be pruned before accuracy drops? Heads are masked cumulatively, the least important first.

Michel et al. 2019, "Are Sixteen Heads Really Better than One?", section 4, https://arxiv.org/abs/1905.10650. Random
orders serve as the baseline.
"""

from __future__ import annotations

import numpy as np

from viz_core.analysis.heads.importance import PassCallback, predict_masked
from viz_core.checkpoints import Checkpoint
from viz_core.records import Examples, PruneCurve

POINTS = 16  # maximum number of evaluations per order, not counting the full model
ORDERS = 5  # number of random orders


def prune_points(heads: int) -> np.ndarray:
    """`(P,)`: the numbers of masked heads to evaluate, from 0 to all, in equal steps if there are many heads."""
    return np.unique(np.linspace(0, heads, min(heads, POINTS) + 1).round().astype(int))


def prune_evaluations(heads: int) -> int:
    """The number of passes over all rows that `prune_curve` makes."""
    return 2 + (len(prune_points(heads)) - 2) * (1 + ORDERS)


def prune_curve(
    checkpoint: Checkpoint, examples: Examples, importance: np.ndarray, on_pass: PassCallback = lambda: None
) -> PruneCurve:
    """Accuracy and loss as heads are masked, in order of increasing importance `(L, H)` and in seeded random orders."""
    shape, heads = importance.shape, importance.size
    points = prune_points(heads)

    def evaluate(order: np.ndarray, count: int) -> tuple[float, float]:
        masked = np.zeros(heads, bool)
        masked[order[:count]] = True
        predictions = predict_masked(checkpoint, examples, masked.reshape(shape))
        on_pass()
        return predictions.accuracy, predictions.loss

    orders = [
        np.argsort(importance, axis=None, kind="stable"),
        *(np.random.default_rng(seed).permutation(heads) for seed in range(ORDERS)),
    ]
    first, last = (evaluate(orders[0], count) for count in (0, heads))  # the same for every order
    curves = np.array([[first, *(evaluate(order, count) for count in points[1:-1]), last] for order in orders])
    majority = float(np.bincount(examples.labels).max() / len(examples))
    return PruneCurve(
        len(examples), points, curves[0, :, 0], curves[0, :, 1], curves[1:, :, 0], curves[1:, :, 1], majority
    )
