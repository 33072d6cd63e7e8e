"""Where a head attends: the share of its weight by position of the query and of the key."""

import numpy as np
import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records import POSITIONS, HeadSurvey
from viz_core.rendering import frame, labels
from viz_core.rendering.checks import check_finite
from viz_core.rendering.theme import Theme

_SIDE = 0.75  # of the plot area, as a share of the theme's side
_STEP = 5  # positions from one labelled tick to the next


def head_positions(survey: HeadSurvey, layer: int, head: int, say: Translator, theme: Theme) -> go.Figure:
    """Heat map, rows are queries; positions that no query or no key has are left out.

    Raises:
        ValueError: For a survey of an earlier version, which has none.
        Failure: If numbers are not finite.
    """
    if not survey.positions.size:
        raise ValueError("the survey has no positions")
    check_finite(survey.positions, survey.uniform_positions)
    rows, columns = (np.flatnonzero(survey.uniform_positions.any(axis)) for axis in (1, 0))
    there = np.ix_(rows, columns)
    weights, uniform = survey.positions[layer, head][there], survey.uniform_positions[there]
    names = [[position_name(number) for number in numbers.tolist()] for numbers in (columns, rows)]
    values = {"query": "%{y}", "key": "%{x}", "share": "%{z:.1%}"}
    hover = labels.hover_sentence(say, "heads.hover_position", "uniform:.1%", **values)
    axis = dict(coloraxis="coloraxis", xgap=1, ygap=1, hovertemplate=hover, customdata=uniform[..., None])
    figure = go.Figure(go.Heatmap(z=weights, x=names[0], y=names[1], **axis))
    side, largest = theme.side * _SIDE, max(float(weights.max()), float(uniform.max()))
    ends = (0.0, largest)
    bar = frame.colour_bar(theme, side, marks=ends, texts=[f"{end:.0%}" for end in ends])
    figure.layout.coloraxis = frame.colour_axis(theme.sequential, *ends, bar)
    for update, title, shown in (
        (figure.update_xaxes, "key_position", names[0]),
        (figure.update_yaxes, "query_position", names[1]),
    ):
        ticks = [name for number, name in enumerate(shown) if number % _STEP == 0 or number == len(shown) - 1]
        update(type="category", title_text=say(f"heads.{title}"), tickvals=ticks, ticktext=ticks, fixedrange=True)
    figure.update_yaxes(autorange="reversed")
    frame.lay_out(
        figure, theme, say("heads.by_position"), say("heads.position_note"), plot_width=side, plot_height=side
    )
    return figure


def position_name(number: int) -> str:
    """A position from 1, or all after the single ones."""
    return f"{number + 1}" if number < POSITIONS else f"> {POSITIONS}"
