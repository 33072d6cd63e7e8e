"""Hatching over the cells of a heat map that no weight can reach: the later tokens in causal attention."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from viz_core.rendering.theme import Theme


def hatch(figure: go.Figure, cells: np.ndarray, theme: Theme, **subplot: int) -> None:
    """Draws diagonal lines over the cells `(rows, columns)` that are True. subplot: `row` and `col`, if there are any.

    A single path, because thousands of shapes would be slow. Cell (0, 0) has its centre at (0, 0).
    """
    rows, columns = np.nonzero(cells)
    if not rows.size:
        return
    lines = []
    for diagonal in np.unique(rows + columns):
        for run in np.split(rows[rows + columns == diagonal], _breaks(rows[rows + columns == diagonal])):
            top, bottom = run[0] - 0.5, run[-1] + 0.5
            lines.append(f"M{diagonal - bottom},{bottom}L{diagonal - top},{top}")
    line = dict(color=theme.muted, width=1)
    figure.add_shape(type="path", path="".join(lines), line=line, opacity=0.45, layer="above", **subplot)


def _breaks(numbers: np.ndarray) -> np.ndarray:
    """Indices at which consecutive numbers start anew."""
    return np.flatnonzero(np.diff(numbers) != 1) + 1
