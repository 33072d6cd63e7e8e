"""Proportions with confidence intervals: one row each, with a name on the left and a note on the right."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from viz_core.rendering import frame, labels
from viz_core.rendering.theme import Theme


def interval_dots(
    values: Sequence[float],
    low: Sequence[float],
    high: Sequence[float],
    rows: Sequence[float],
    hover: str,
    hover_data: Sequence,
    theme: Theme,
) -> go.Scatter:
    """A dot per row on its interval. rows: y positions; hover_data: `customdata` of the hover template."""
    return go.Scatter(
        x=values,
        y=rows,
        mode="markers",
        cliponaxis=False,
        customdata=hover_data,
        hovertemplate=labels.hover(hover),
        marker=dict(color=theme.accent, size=10, opacity=1),
        error_x=dict(
            type="data",
            symmetric=False,
            array=[max(upper - value, 0) for value, upper in zip(values, high, strict=True)],
            arrayminus=[max(value - lower, 0) for value, lower in zip(values, low, strict=True)],
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
    rows: Sequence[float],
    row_height: float,
    axis_title: bool,
) -> None:
    """Sets names, notes and margins. rows: y positions; row_height: px; axis_title: whether the x axis has a title."""
    frame.name_rows(figure, theme, names, rows)
    frame.note_rows(figure, theme, notes, rows)
    figure.update_layout(showlegend=False)
    frame.lay_out(
        figure,
        theme,
        title,
        subtitle,
        width=theme.side,
        plot_height=row_height * (rows[-1] + 1),
        left=frame.margin(theme, frame.tick_room(names, theme.text)),
        right=frame.note_room(theme, notes, theme.small),
        below=frame.axis_below(theme, title=axis_title),
    )
