"""Shares with their intervals: a row each, with a name at the left and a note at the right."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from viz_core.rendering import frame, labels
from viz_core.rendering.theme import Theme


def interval_dots(
    values: Sequence[float],
    low: Sequence[float],
    high: Sequence[float],
    places: Sequence[float],
    hover: str,
    told: Sequence,
    theme: Theme,
) -> go.Scatter:
    """A dot a row on its interval. told: `customdata` of the hover."""
    return go.Scatter(
        x=values,
        y=places,
        mode="markers",
        cliponaxis=False,
        customdata=told,
        hovertemplate=labels.hover(hover),
        marker=dict(color=theme.accent, size=10, opacity=1),
        error_x=dict(
            type="data",
            symmetric=False,
            array=[max(end - value, 0) for value, end in zip(values, high, strict=True)],
            arrayminus=[max(value - end, 0) for value, end in zip(values, low, strict=True)],
            color=theme.accent,
            thickness=2,
            width=0,
        ),
    )


def lay_out_rows(
    figure: go.Figure,
    theme: Theme,
    title: str,
    subtitle: str,
    names: Sequence[str],
    notes: Sequence[str],
    places: Sequence[float],
    row: float,
    axis_title: bool,
) -> None:
    """Names, notes and margins of rows of `row` px. axis_title: whether the axis below has one."""
    frame.name_rows(figure, theme, names, places)
    frame.note_rows(figure, theme, notes, places)
    figure.update_layout(showlegend=False)
    frame.lay_out(
        figure,
        theme,
        title,
        subtitle,
        width=theme.side,
        plot_height=row * (places[-1] + 1),
        left=frame.margin(theme, frame.tick_room(names, theme.text)),
        right=frame.note_room(theme, notes, theme.small),
        below=frame.axis_below(theme, title=axis_title),
    )
