"""Proportions with confidence intervals: a row each, with a name on the left and a note on the right."""

from collections.abc import Sequence

import plotly.graph_objects as go

from viz_core.rendering import frame, marks
from viz_core.rendering.marks import Values
from viz_core.rendering.theme import Theme


def interval_dots(
    values: Values, low: Values, high: Values, rows: Sequence[float], hover: str, hover_data: Sequence, theme: Theme
) -> go.Scatter:
    """Dots on their intervals, one per row.

    Args:
        rows: Y positions.
        hover_data: `customdata` of the hover template.
    """
    dots = marks.dots(values, rows, hover, hover_data, color=theme.accent, size=10, opacity=1)
    return dots.update(error_x=marks.interval(values, low, high, theme.accent))


def lay_out_rows(
    figure: go.Figure,
    theme: Theme,
    title: str,
    subtitle: str,
    names: Sequence[str],
    notes: Sequence[str],
    rows: Sequence[float],
    row_height: float,
) -> None:
    """Set names, notes and margins of a figure with a finished x axis.

    Args:
        rows: Y positions.
        row_height: In px.
    """
    frame.name_rows(figure, theme, names, rows)
    frame.note_rows(figure, theme, notes, rows)
    figure.update_layout(showlegend=False)
    height, right = row_height * (rows[-1] + 1), frame.note_room(theme, notes, theme.small)
    frame.lay_out(figure, theme, title, subtitle, width=theme.side, plot_height=height, right=right)
