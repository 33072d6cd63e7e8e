"""Colour scales: positions of weights, and round weights for the legend.

Signed numbers (differences) are mapped symmetrically around 0.
"""

from collections.abc import Iterable
from typing import Literal, get_args

import numpy as np

from viz_core.records import Measure

Scale = Literal["linear", "sqrt", "log"]
Limit = Literal["full", "own"]  # of the colours
TIMES_UNIFORM = 16  # of the weight of a uniform head: the darkest colour in long texts
FLOOR = 1e-3  # the log scale is linear below this weight, so that it reaches 0
MIN_DISTANCE = 0.13  # minimum distance of two numbers on a legend, as a share of its length


def position(weights: np.ndarray | float, scale: Scale) -> np.ndarray:
    """Position of each weight on the colour scale; same shape, float32.

    Raises:
        ValueError: For a scale other than `linear`, `sqrt` and `log`.
    """
    if scale not in get_args(Scale):
        raise ValueError(f"scale {scale!r} is not one of {', '.join(get_args(Scale))}")
    size = np.abs(np.asarray(weights, np.float32))
    if scale == "sqrt":
        size = np.sqrt(size)
    elif scale == "log":
        size = np.log1p(size / FLOOR)
    return np.copysign(size, weights).astype(np.float32)


def limits(weights: np.ndarray, measure: Measure, limit: Limit, signed: bool = False) -> tuple[float, float]:
    """Range of the colours of a view of attention; larger weights have the last colour, too.

    `full`: from 0 to 1, of more than 16 keys to 16 times the weight of a uniform head, so that such
    a head is pale and a colour means the same for all heads. `own`, norms and differences: `bounds`.

    Args:
        weights: The last axis is that of the keys.
    """
    own = bounds(weights, signed)
    if limit == "own" or measure == "norms" or own[0] < 0:
        return own
    return 0.0, min(1.0, TIMES_UNIFORM / weights.shape[-1])


def bounds(weights: np.ndarray, signed: bool = False) -> tuple[float, float]:
    """Range of the colours: from 0 to the largest weight, or symmetric around 0.

    Args:
        signed: The numbers are differences, so the range is symmetric even if none of them is below
            0.
    """
    largest = float(np.abs(weights).max()) or 1.0
    return (-largest if signed or weights.min() < 0 else 0.0), largest


def shared_bounds(arrays: Iterable[np.ndarray]) -> tuple[float, float]:
    """Range of the colours of several views, so that a colour means the same weight in all of them."""
    low, high = zip(*map(bounds, arrays), strict=True)
    largest = max(high)
    return (-largest if min(low) < 0 else 0.0), largest


def share(weights: np.ndarray | float, low: float, high: float, scale: Scale) -> np.ndarray:
    """Position of each weight between `low` (0) and `high` (1) on the colour scale; same shape."""
    start, end = position(low, scale), position(high, scale)
    return (position(weights, scale) - start) / (end - start)


def ticks(low: float, high: float, scale: Scale) -> list[float]:
    """Weights to label on a legend, ascending and well apart: 0, round numbers, `high`.

    They are mirrored if low < 0.
    """

    def relative_position(weight: float) -> float:
        return float(position(weight, scale) / position(high, scale))

    distance = MIN_DISTANCE * (2 if low < 0 else 1)  # each side of 0 has half the length
    power = 10.0 ** np.floor(np.log10(high))
    if scale == "linear":
        step = next(step for step in np.outer((0.1, 1, 10), (1, 2, 5)).ravel() * power if step / high > distance)
        candidates = np.arange(1, np.ceil(high / step)) * step
    else:
        candidates = np.outer((1e-4, 1e-3, 1e-2, 0.1, 1), (1, 2, 5)).ravel() * power
    positive = [high]
    for candidate in candidates[::-1]:
        if distance <= relative_position(candidate) <= relative_position(positive[0]) - distance:
            positive.insert(0, float(candidate))
    return [*(-value for value in reversed(positive) if low < 0), 0.0, *positive]


def digits(largest: float) -> int:
    """Number of decimals that tell neighbouring weights apart, given the largest weight."""
    return 2 if largest >= 0.5 else 3 if largest >= 0.02 else 4


def with_sign(value: float, decimals: int) -> str:
    """Write a number with its sign (a true minus); without one if it rounds to 0."""
    text = f"{value:+.{decimals}f}"
    return text[1:] if float(text) == 0 else text.replace("-", "−")
