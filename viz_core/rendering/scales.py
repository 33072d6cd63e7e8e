"""From weights to colour positions, and back to true weights on the legend.

Signed numbers (differences) are mapped alike on both sides of zero.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from viz_core.rendering.theme import Theme, colourscale

Scale = Literal["linear", "sqrt", "log"]
FLOOR = 1e-3  # the log scale is linear below this weight, so that 0 has a place on it
_TICKS = {"linear": (0, 0.25, 0.5, 0.75, 1), "sqrt": (0, 0.05, 0.2, 0.5, 1), "log": (0, 0.003, 0.02, 0.15, 1)}


def position(weights: np.ndarray, scale: Scale) -> np.ndarray:
    """Where each weight stands on the colour scale; any shape, same shape out, float32. Raises ValueError for a scale
    that is none of `linear`, `sqrt`, `log`."""
    if scale not in get_args(Scale):
        raise ValueError(f"scale {scale!r} is not one of {', '.join(get_args(Scale))}")
    size = np.abs(weights, dtype=np.float32)
    mapped = {"linear": lambda: size, "sqrt": lambda: np.sqrt(size), "log": lambda: np.log1p(size / FLOOR)}[scale]()
    return np.copysign(mapped, weights).astype(np.float32)


def bounds(weights: np.ndarray) -> tuple[float, float]:
    """The range that the colours cover: 0 to the largest weight, or both ways around 0 for signed numbers."""
    largest = float(np.abs(weights).max()) or 1.0
    return (-largest if weights.min() < 0 else 0.0), largest


def ticks(low: float, high: float) -> list[float]:
    """True weights for a legend, evenly spread: three from 0 up, or five around 0."""
    return [low, low / 2, 0.0, high / 2, high] if low < 0 else [0.0, high / 2, high]


def number(weight: float, largest: float) -> str:
    """A weight in as many digits as its neighbours deserve."""
    return f"{weight:.{2 if largest >= 0.1 else 3 if largest >= 0.01 else 4}f}"
