"""Which heads do the same: every head against every other, layer by layer."""

from __future__ import annotations

from math import ceil

import numpy as np
import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.rendering.theme import Theme, colourscale, template


def head_redundancy(redundancy: np.ndarray, heads: int, say: Translator, theme: Theme) -> go.Figure:
    """A heat map `(N, N)` of the redundancy of N heads, `heads` of them a layer; lines divide the layers.

    Raises ValueError where it is not square, or N is no multiple of `heads`.
    """
    values = np.asarray(redundancy, float)
    count = len(values)
    if values.shape != (count, count) or not count or count % heads:
        raise ValueError(f"redundancy of shape {values.shape}, with {heads} heads a layer")
    names = [f"{number // heads + 1}.{number % heads + 1}" for number in range(count)]
    hover = say("health.hover_redundancy", one="%{y}", other="%{x}", value="%{z:.3f}")
    figure = go.Figure(go.Heatmap(
        x=names, y=names, z=values, coloraxis="coloraxis", hovertemplate=f"{hover}<extra></extra>",
        **(dict(xgap=1, ygap=1) if count <= 24 else {})))
    side = round(theme.side * 0.75)
    step = ceil(theme.small * 2 / (side / count))
    for axis in (figure.layout.xaxis, figure.layout.yaxis):
        axis.update(type="category", tickvals=names[::step], showline=True, mirror=True, linecolor=theme.line,
                    tickfont=dict(size=theme.small, color=theme.muted), title=dict(text=say("health.head"), standoff=6))
    figure.update_xaxes(tickangle=0)
    figure.update_yaxes(autorange="reversed")
    for edge in range(heads, count, heads):
        line = dict(line_color=theme.muted, line_width=1, opacity=0.7)
        figure.add_vline(edge - 0.5, **line)
        figure.add_hline(edge - 0.5, **line)
    left, right = theme.small * 5, theme.text * 2 + 60
    above, below = theme.title * 2.3 + theme.small * 2.6, theme.small * 4
    figure.update_layout(
        template=template(theme), width=round(side + left + right), height=round(side + above + below),
        title=dict(text=say("health.redundancy"), subtitle=dict(text=say("health.redundancy_note"))),
        coloraxis=dict(colorscale=colourscale(theme.sequential), cmin=0, cmax=1, colorbar=dict(
            tickvals=[0, 0.25, 0.5, 0.75, 1], tickfont=dict(size=theme.small, color=theme.muted), thickness=10,
            len=min(side, 220), lenmode="pixels", y=1, yanchor="top", x=1, xanchor="left", xpad=theme.text * 1.5,
            outlinewidth=1, outlinecolor=theme.line)),
        margin=dict(l=round(left), r=round(right), t=round(above), b=round(below), autoexpand=False))
    return figure
