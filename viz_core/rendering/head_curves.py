"""A statistic of every head over a training: one line per head, labelled `layer.head` at its end."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records import Curve, HeadStatistics
from viz_core.records.figures import Measure
from viz_core.rendering.curves import training_curves
from viz_core.rendering.theme import Theme

MOST = 8  # heads that are drawn


def head_curves(
    name: str,
    epochs: np.ndarray,
    statistics: Sequence[HeadStatistics],
    say: Translator,
    theme: Theme,
    width: int | None = None,
) -> go.Figure:
    """Lines of the heads with the highest values, and what a uniform head would have as a dashed line.

    Args:
        name: `induction` or `previous`, a statistic that lies between 0 and 1.
        epochs: `(N,)`, when it was measured.
        statistics: N, of the same text.
        width: Width of the whole figure in px; by default the theme's.

    Raises:
        ValueError: If their numbers differ, or for a statistic that the text does not have.
    """
    if any(getattr(each, name) is None for each in statistics):
        raise ValueError(f"{name!r} is not defined for this text")
    values = np.array([getattr(each, name) for each in statistics])  # (N, L, H)
    layers, heads = np.unravel_index(np.sort(_highest(values)), values.shape[1:])
    lines = [
        Curve(f"{layer + 1}.{head + 1}", name, epochs, values[:, layer, head])
        for layer, head in zip(layers, heads, strict=True)
    ]
    measure = Measure(name, format=".2f", from_zero=True, top=1.0)
    return training_curves(lines, say, theme, measure, width, statistics[0].uniform[name])


def _highest(values: np.ndarray) -> np.ndarray:
    """Numbers of at most MOST heads, `(N,)`, layer by layer: those with the highest values `(N, L, H)` of all."""
    return np.argsort(-values.max(0).ravel(), kind="stable")[:MOST]
