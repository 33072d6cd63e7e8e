"""Hatching over the cells of a heat map that no weight can reach: the later tokens in causal attention."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from viz_core.rendering.theme import Theme

APART = 14  # px between two lines, measured along an axis


def hatch(figure: go.Figure, reach: np.ndarray, columns: int, cell: float, theme: Theme, **subplot: int) -> None:
    """Draws diagonal lines over the cells of each row from column `reach` on, `(rows,)`. Nothing if there are none.

    cell: size of a cell, px. subplot: `row` and `col`, if there are any. A single path, because thousands of shapes
    would be slow.
    """
    lines = _lines(np.asarray(reach), columns, max(1, round(cell / APART)))
    if lines:
        path = "".join(f"M{x0:g},{y0:g}L{x1:g},{y1:g}" for x0, y0, x1, y1 in lines)
        line = dict(color=theme.muted, width=1)
        figure.add_shape(type="path", path=path, line=line, opacity=0.45, layer="above", **subplot)


def _lines(reach: np.ndarray, columns: int, per_cell: int) -> list[tuple[float, float, float, float]]:
    """From bottom left to top right, in cells; cell (0, 0) has its centre at (0, 0)."""
    lines, rows = [], np.arange(len(reach))
    for total in np.arange(-1, len(reach) + columns - 1, 1 / per_cell):  # x + y is the same all along a line
        top = np.maximum(rows - 0.5, total - columns + 0.5)
        bottom = np.minimum(rows + 0.5, total - reach + 0.5)
        inside = np.flatnonzero(bottom > top + 1e-9)
        for run in np.split(inside, np.flatnonzero(~np.isclose(top[inside][1:], bottom[inside][:-1])) + 1):
            if run.size:
                start, end = top[run[0]], bottom[run[-1]]
                lines.append((total - end, end, total - start, start))
    return lines
