"""What every head does over many inputs: a small square of layers × heads for each statistic."""

from __future__ import annotations

from math import ceil

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from viz_core.language import Translator
from viz_core.records import HeadProfile
from viz_core.rendering.theme import Theme, colourscale, template

COLUMNS = 6
_IN_TOKENS = "distance"  # the one that is no share; its full colour is its largest value


def head_profile(profile: HeadProfile, say: Translator, theme: Theme) -> go.Figure:
    """One heat map a statistic, rows: layers, columns: heads, all on one scale from 0 to 1; distance in tokens on its own.

    Raises ValueError where there is no statistic, or their shapes differ.
    """
    shapes = {np.shape(values) for values in profile.statistics.values()}
    if len(shapes) != 1 or len(next(iter(shapes))) != 2:
        raise ValueError(f"statistics of shapes {sorted(shapes)}: they must share one, layers × heads")
    (layers, heads), = shapes
    names = list(profile.statistics)
    columns = min(COLUMNS, len(names))
    rows = ceil(len(names) / columns)
    width = theme.side * 0.25
    height = min(max(width / heads * layers, theme.text * 1.6 * layers), width)
    gap, band = theme.text * 2.2, theme.text * 3.4
    inner = columns * width + (columns - 1) * gap, rows * height + (rows - 1) * band
    figure = make_subplots(rows, columns, subplot_titles=[say(f"health.statistic_{name}") for name in names],
                           horizontal_spacing=gap / inner[0], vertical_spacing=band / inner[1] if rows > 1 else 0)
    figure.update_annotations(font=dict(size=theme.small), yshift=2)  # the titles: the only annotations so far
    for index, name in enumerate(names):
        figure.add_trace(_square(name, np.asarray(profile.statistics[name], float), say), index // columns + 1,
                         index % columns + 1)
    _axes(figure, layers, heads, theme)
    left, above = theme.text * 2.4, theme.title * 2.3 + theme.small * 2.6 + theme.text * 2.2
    right, below = theme.text * 2 + 60, theme.text * 2.4
    farthest = float(np.nanmax(profile.statistics[_IN_TOKENS])) if _IN_TOKENS in profile.statistics else 0.0
    figure.update_layout(
        template=template(theme), width=round(inner[0] + left + right), height=round(inner[1] + above + below),
        coloraxis=_colours(say, theme, inner[1]),
        title=dict(text=say("health.profile"), subtitle=dict(text=say("health.profile_note", distance=f"{farthest:.1f}"))),
        margin=dict(l=round(left), r=round(right), t=round(above), b=round(below), autoexpand=False))
    return figure


def _square(name: str, values: np.ndarray, say: Translator) -> go.Heatmap:
    tokens = name == _IN_TOKENS
    hover = say("health.hover_profile", head="%{y}.%{x}", name=say(f"health.statistic_{name}"),
                value="%{customdata:.1f}" if tokens else "%{customdata:.3f}")
    return go.Heatmap(
        x=[str(head + 1) for head in range(values.shape[1])], y=[str(layer + 1) for layer in range(values.shape[0])],
        z=values / (np.nanmax(values) or 1.0) if tokens else values, customdata=values, coloraxis="coloraxis", xgap=1, ygap=1,
        hovertemplate=f"{hover}<extra></extra>")


def _axes(figure: go.Figure, layers: int, heads: int, theme: Theme) -> None:
    figure.update_xaxes(type="category", showline=True, mirror=True, linecolor=theme.line,
                        tickfont=dict(size=theme.small, color=theme.muted))
    figure.update_yaxes(type="category", autorange="reversed", showline=True, mirror=True, linecolor=theme.line,
                        tickfont=dict(size=theme.small, color=theme.muted))
    for update, count in ((figure.update_xaxes, heads), (figure.update_yaxes, layers)):
        if count > 8:
            update(dtick=ceil(count / 8))


def _colours(say: Translator, theme: Theme, length: float) -> dict:
    return dict(colorscale=colourscale(theme.sequential), cmin=0, cmax=1, colorbar=dict(
        title=dict(text=say("health.share"), side="top", font=dict(size=theme.small, color=theme.muted)),
        tickvals=[0, 0.25, 0.5, 0.75, 1], tickfont=dict(size=theme.small, color=theme.muted), thickness=10,
        len=min(length, 220), lenmode="pixels", y=1, yanchor="top", x=1, xanchor="left", xpad=theme.text * 1.5,
        outlinewidth=1, outlinecolor=theme.line))
