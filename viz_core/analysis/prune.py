"""How many heads can go before the answers suffer? Heads are masked one after another, the least important first.

Michel et al. 2019, "Are Sixteen Heads Really Better than One?", section 4, https://arxiv.org/abs/1905.10650; beside it the
same in random order, which a good order has to beat.
"""

from __future__ import annotations

import numpy as np

from viz_core.analysis.importance import Tell, answers
from viz_core.checkpoints import Checkpoint
from viz_core.records import Examples, PruneCurve

POINTS = 16  # at most so many evaluations an order, beside the one with all heads
ORDERS = 5  # random ones


def prune_points(heads: int) -> np.ndarray:
    """Numbers of heads to mask, from none to all: every number, or equal steps where there are many heads."""
    return np.unique(np.linspace(0, heads, min(heads, POINTS) + 1).round().astype(int))


def prune_evaluations(heads: int) -> int:
    """How often `prune_curve` has all rows go through the model."""
    return 2 + (len(prune_points(heads)) - 2) * (1 + ORDERS)


def prune_curve(
    checkpoint: Checkpoint, examples: Examples, importance: np.ndarray, tell: Tell = lambda: None
) -> PruneCurve:
    """Accuracy and loss as heads go, by growing importance `(L, H)` and in seeded random orders."""
    shape, heads = importance.shape, importance.size
    points = prune_points(heads)

    def measured(order: np.ndarray, count: int) -> tuple[float, float]:
        masked = np.zeros(heads, bool)
        masked[order[:count]] = True
        found = answers(checkpoint, examples, masked.reshape(shape))
        tell()
        return found.accuracy, found.loss

    orders = [
        np.argsort(importance, axis=None, kind="stable"),
        *(np.random.default_rng(seed).permutation(heads) for seed in range(ORDERS)),
    ]
    first, last = (measured(orders[0], count) for count in (0, heads))  # of which there is no other order
    found = np.array([[first, *(measured(order, count) for count in points[1:-1]), last] for order in orders])
    majority = float(np.bincount(examples.labels).max() / len(examples))
    return PruneCurve(len(examples), points, found[0, :, 0], found[0, :, 1], found[1:, :, 0], found[1:, :, 1], majority)
