"""From weights to colour positions, and back to true weights on the legend.

Signed numbers (differences) are mapped alike on both sides of zero.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, get_args

import numpy as np

Scale = Literal["linear", "sqrt", "log"]
FLOOR = 1e-3  # the log scale is linear below this weight, so that 0 has a place on it
APART = 0.13  # least distance of two numbers on a legend, as a share of its length


def position(weights: np.ndarray | float, scale: Scale) -> np.ndarray:
    """Where each weight stands on the colour scale; same shape, float32.

    Raises ValueError for a scale that is none of `linear`, `sqrt`, `log`.
    """
    if scale not in get_args(Scale):
        raise ValueError(f"scale {scale!r} is not one of {', '.join(get_args(Scale))}")
    size = np.abs(np.asarray(weights, np.float32))
    if scale == "sqrt":
        size = np.sqrt(size)
    elif scale == "log":
        size = np.log1p(size / FLOOR)
    return np.copysign(size, weights).astype(np.float32)


def bounds(weights: np.ndarray) -> tuple[float, float]:
    """The weights that the colours reach to: 0 and the largest, or both ways around 0 for signed numbers."""
    largest = float(np.abs(weights).max()) or 1.0
    return (-largest if weights.min() < 0 else 0.0), largest


def shared_bounds(several: Iterable[np.ndarray]) -> tuple[float, float]:
    """The weights that the colours of several views reach to, so that one colour means one weight in all of them."""
    low, high = zip(*map(bounds, several), strict=True)
    largest = max(high)
    return (-largest if min(low) < 0 else 0.0), largest


def share(weights: np.ndarray | float, low: float, high: float, scale: Scale) -> np.ndarray:
    """How far along the colours from `low` (0) to `high` (1) each weight stands; same shape."""
    start, end = position(low, scale), position(high, scale)
    return (position(weights, scale) - start) / (end - start)


def ticks(low: float, high: float, scale: Scale) -> list[float]:
    """True weights in growing order that stand well apart on a legend: 0, round numbers, `high`; mirrored where low < 0."""

    def place(weight: float) -> float:
        return float(position(weight, scale) / position(high, scale))

    apart = APART * (2 if low < 0 else 1)  # each side of zero has half the length
    power = 10.0 ** np.floor(np.log10(high))
    if scale == "linear":
        step = next(step for step in np.outer((0.1, 1, 10), (1, 2, 5)).ravel() * power if step / high > apart)
        rounds = np.arange(1, np.ceil(high / step)) * step
    else:
        rounds = np.outer((1e-4, 1e-3, 1e-2, 0.1, 1), (1, 2, 5)).ravel() * power
    kept = [high]
    for candidate in rounds[::-1]:
        if apart <= place(candidate) <= place(kept[0]) - apart:
            kept.insert(0, float(candidate))
    return [*(-value for value in reversed(kept) if low < 0), 0.0, *kept]


def digits(largest: float) -> int:
    """So many decimals tell neighbouring weights apart where the largest is this."""
    return 2 if largest >= 0.5 else 3 if largest >= 0.02 else 4
