"""Statistics of every head over many inputs: a small heat map of layers × heads for each."""

from __future__ import annotations

from math import ceil

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from viz_core.language import Translator
from viz_core.records import HeadProfile
from viz_core.rendering import frame, labels
from viz_core.rendering.theme import Theme

COLUMNS = 6
_IN_TOKENS = "distance"  # the only statistic that is not a share; its colours reach up to its largest value


def head_profile(profile: HeadProfile, say: Translator, theme: Theme) -> go.Figure:
    """A heat map `(L, H)` per statistic on a scale from 0 to 1; that of the distance, in tokens, on its own scale.

    Raises ValueError without statistics, or where their shapes differ.
    """
    shapes = {np.shape(values) for values in profile.statistics.values()}
    if len(shapes) != 1 or len(next(iter(shapes))) != 2:
        raise ValueError(f"statistics of shapes {sorted(shapes)}: they must share one, layers × heads")
    ((layers, heads),) = shapes
    names = list(profile.statistics)
    columns = min(COLUMNS, len(names))
    rows = ceil(len(names) / columns)
    width = theme.side * 0.25
    height = min(max(width / heads * layers, theme.text * 1.6 * layers), width)
    headings = [say(f"health.statistic_{name}") for name in names]
    gap, band = (
        frame.number_room(theme, columns=2),
        frame.headings_height(theme, headings) + frame.text_height(1, theme.small),
    )
    inner = columns * width + (columns - 1) * gap, rows * height + (rows - 1) * band
    figure = make_subplots(
        rows,
        columns,
        subplot_titles=headings,
        horizontal_spacing=gap / inner[0],
        vertical_spacing=band / inner[1] if rows > 1 else 0,
    )
    figure.update_annotations(font=dict(size=theme.small), yshift=2)  # the titles are the only annotations so far
    for index, name in enumerate(names):
        figure.add_trace(
            _square(name, np.asarray(profile.statistics[name], float), say), index // columns + 1, index % columns + 1
        )
    _axes(figure, layers, heads, theme)
    max_distance = float(np.nanmax(profile.statistics[_IN_TOKENS])) if _IN_TOKENS in profile.statistics else 0.0
    bar = frame.colour_bar(theme, inner[1], say("health.share"))
    figure.update_layout(coloraxis=frame.colour_axis(theme.sequential, 0, 1, bar))
    frame.lay_out(
        figure,
        theme,
        say("health.profile"),
        say("health.profile_note", rows=profile.rows, distance=f"{max_distance:.1f}"),
        plot_width=inner[0],
        plot_height=inner[1],
        above=frame.headings_height(theme, headings),
        right=frame.bar_room(theme),
        left=frame.margin(theme, frame.number_room(theme, columns=2)),
        below=frame.axis_below(theme),
    )
    return figure


def _square(name: str, values: np.ndarray, say: Translator) -> go.Heatmap:
    tokens = name == _IN_TOKENS
    hover = say(
        "health.hover_profile",
        head="%{y}.%{x}",
        name=say(f"health.statistic_{name}"),
        value="%{customdata:.1f}" if tokens else "%{customdata:.3f}",
    )
    return go.Heatmap(
        x=[str(head + 1) for head in range(values.shape[1])],
        y=[str(layer + 1) for layer in range(values.shape[0])],
        z=values / (np.nanmax(values) or 1.0) if tokens else values,
        customdata=values,
        coloraxis="coloraxis",
        xgap=1,
        ygap=1,
        hovertemplate=labels.hover(hover),
    )


def _axes(figure: go.Figure, layers: int, heads: int, theme: Theme) -> None:
    figure.update_xaxes(
        type="category",
        showline=True,
        mirror=True,
        linecolor=theme.line,
        tickfont=dict(size=theme.small, color=theme.muted),
    )
    figure.update_yaxes(
        type="category",
        autorange="reversed",
        showline=True,
        mirror=True,
        linecolor=theme.line,
        tickfont=dict(size=theme.small, color=theme.muted),
    )
    for update, count in ((figure.update_xaxes, heads), (figure.update_yaxes, layers)):
        if count > 8:
            update(dtick=ceil(count / 8))
