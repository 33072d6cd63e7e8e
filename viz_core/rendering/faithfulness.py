"""What the answer loses with a method's highest tokens, or keeps of them alone, beside tokens in random order."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from viz_core.language import Translator
from viz_core.records import Faithfulness
from viz_core.rendering import frame, labels
from viz_core.rendering.checks import check_faithfulness
from viz_core.rendering.theme import Theme

WIDTH = 0.31  # of a measure's bars, as a share of the theme's side
ROW = 1.15  # height of a method's row, in rows of the theme: its interval has to be seen
LEAST = 0.02  # of probability: an axis reaches so far at least, so that next to nothing looks so


def faithfulness_bars(measures: Sequence[Faithfulness], say: Translator, theme: Theme) -> go.Figure:
    """A column of bars per measure, a row per method, in percentage points; the band is what tokens in random order do.

    Intervals over inputs are drawn where there are some. Raises ValueError where the measures are not of the same methods.
    """
    check_faithfulness(measures)
    names = [say(f"attribution.{method}") for method in measures[0].methods]
    written = [[_points(value) for value in measure.values] for measure in measures]
    width, room = round(theme.side * WIDTH), round(frame.note_room(theme, sum(written, []), theme.small))
    across = width * len(measures) + room * (len(measures) - 1)
    headings = [
        f"<b>{say(f'attribution.{measure.measure}')}</b><br><span style='font-size:{theme.small}px'>"
        f"{say(f'attribution.{measure.measure}_note')}</span>"
        for measure in measures
    ]
    figure = make_subplots(
        1, len(measures), shared_yaxes=True, horizontal_spacing=room / across, subplot_titles=headings
    )
    for heading, axis in zip(figure.layout.annotations, figure.select_xaxes(), strict=True):
        heading.update(font=dict(size=theme.text), align="left", yshift=2, xanchor="left", x=axis.domain[0])
    for number, (measure, numbers) in enumerate(zip(measures, written, strict=True), 1):
        _column(figure, number, measure, names, numbers, room, say, theme)
    _legend(figure, names, say, theme)
    frame.name_categories(figure, theme, names, names)
    figure.update_layout(bargap=0.45, barmode="overlay")
    over = (
        say("attribution.over_input")
        if measures[0].low is None
        else say("attribution.over_inputs", count=measures[0].count)
    )
    frame.lay_out(
        figure,
        theme,
        say("attribution.faithfulness"),
        over,
        legend=1,
        above=frame.headings(theme, headings),
        plot_width=across,
        plot_height=theme.row * ROW * len(names),
        right=room,
        left=frame.margin(theme, frame.tick_room(names, theme.text)),
        below=frame.axis_below(theme),
    )
    return figure


def _column(
    figure: go.Figure,
    number: int,
    measure: Faithfulness,
    names: list[str],
    numbers: list[str],
    room: int,
    say: Translator,
    theme: Theme,
) -> None:
    mean, low, high = measure.control
    place = dict(row=1, col=number)
    hover = say("attribution.hover_faithfulness", method="%{y}", value="%{customdata}")
    errors = (
        None
        if measure.low is None
        else dict(
            type="data",
            symmetric=False,
            array=measure.high - measure.values,
            arrayminus=measure.values - measure.low,
            color=theme.ink,
            thickness=1.5,
            width=4,
        )
    )
    figure.add_trace(
        go.Bar(
            x=measure.values,
            y=names,
            orientation="h",
            marker=dict(color=theme.accent),
            error_x=errors,
            showlegend=False,
            customdata=[_told(measure, index) for index in range(len(names))],
            hovertemplate=labels.hover(hover),
        ),
        **place,
    )
    figure.add_vrect(low, high, fillcolor=theme.muted, opacity=0.28, line_width=0, layer="below", **place)
    figure.add_vline(mean, line=dict(color=theme.ink, width=1.5, dash="dot"), **place)
    figure.add_vline(0, line=dict(color=theme.line, width=1), **place)
    ends = [0.0, low, high, *measure.values, *([] if measure.low is None else [*measure.low, *measure.high])]
    least, most = float(min(ends)), max(float(max(ends)), float(min(ends)) + LEAST)
    white = 0.06 * (most - least)
    figure.update_xaxes(
        range=[least - white, most + white],
        nticks=4,
        tickfont=dict(color=theme.muted),
        tickformat=".0%" if most - least > 0.04 else ".1~%",
        **place,
    )
    axis = "x" if number == 1 else f"x{number}"
    for name, text in zip(names, numbers, strict=True):  # numbers stand in a column of their own, right-aligned
        figure.add_annotation(
            x=1,
            xref=f"{axis} domain",
            y=name,
            text=text,
            showarrow=False,
            xanchor="right",
            xshift=room - theme.text * frame.EDGE,
            font=dict(size=theme.small),
        )


def _points(value: float) -> str:
    return f"{round(100 * float(value), 1) + 0.0:+.1f}"  # a minus would stand before 0, too


def _told(measure: Faithfulness, index: int) -> str:
    if measure.low is None:
        return _points(measure.values[index])
    return f"{_points(measure.values[index])} ({_points(measure.low[index])} … {_points(measure.high[index])})"


def _legend(figure: go.Figure, names: list[str], say: Translator, theme: Theme) -> None:
    for trace in (
        go.Scatter(
            name=say("attribution.control"),
            mode="markers",
            marker=dict(color=theme.muted, opacity=0.4, symbol="square", size=theme.text),
        ),
        go.Scatter(
            name=say("attribution.control_mean"), mode="lines", line=dict(color=theme.ink, width=1.5, dash="dot")
        ),
    ):
        figure.add_trace(trace.update(x=[None], y=[names[0]], hoverinfo="skip"), 1, 1)
