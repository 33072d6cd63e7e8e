"""What the answer loses with a method's highest tokens, or keeps of them alone, beside tokens in random order."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from viz_core.language import Translator
from viz_core.records import Faithfulness
from viz_core.rendering import labels
from viz_core.rendering.checks import check_faithfulness
from viz_core.rendering.theme import Theme, template

WIDTH = 0.31  # of a measure's bars, as a share of the theme's side
LEAST = 0.02  # of probability: an axis reaches so far at least, so that next to nothing looks so


def faithfulness_bars(measures: Sequence[Faithfulness], say: Translator, theme: Theme) -> go.Figure:
    """A column of bars per measure, a row per method, in percentage points; the band is what tokens in random order do.

    Intervals over inputs are drawn where there are some. Raises ValueError where the measures are not of the same methods.
    """
    check_faithfulness(measures)
    names = [say(f"attribution.{method}") for method in measures[0].methods]
    width, gap = round(theme.side * WIDTH), round(theme.text * 4.2)
    across = width * len(measures) + gap * (len(measures) - 1)
    figure = make_subplots(1, len(measures), shared_yaxes=True, horizontal_spacing=gap / across, subplot_titles=[
        f"<b>{say(f'attribution.{one.measure}')}</b><br><span style='font-size:{theme.small}px'>"
        f"{say(f'attribution.{one.measure}_note')}</span>" for one in measures])
    for number, one in enumerate(measures, 1):
        _column(figure, number, one, names, say, theme)
    _frame(figure, measures, names, across, say, theme)
    return figure


def _column(figure: go.Figure, number: int, one: Faithfulness, names: list[str], say: Translator, theme: Theme) -> None:
    mean, low, high = one.control
    place = dict(row=1, col=number)
    hover = say("attribution.hover_faithfulness", method="%{y}", value="%{customdata}")
    errors = None if one.low is None else dict(
        type="data", symmetric=False, array=one.high - one.values, arrayminus=one.values - one.low, color=theme.ink,
        thickness=1.5, width=4)
    figure.add_trace(go.Bar(
        x=one.values, y=names, orientation="h", marker=dict(color=theme.accent), error_x=errors, showlegend=False,
        customdata=[_told(one, index) for index in range(len(names))],
        hovertemplate=f"{hover}<extra></extra>"), **place)
    figure.add_vrect(low, high, fillcolor=theme.muted, opacity=0.28, line_width=0, layer="below", **place)
    figure.add_vline(mean, line=dict(color=theme.ink, width=1.5, dash="dot"), **place)
    figure.add_vline(0, line=dict(color=theme.line, width=1), **place)
    ends = [0.0, low, high, *one.values, *([] if one.low is None else [*one.low, *one.high])]
    least, most = float(min(ends)), max(float(max(ends)), float(min(ends)) + LEAST)
    room = 0.06 * (most - least)
    figure.update_xaxes(range=[least - room, most + room], nticks=4, tickfont=dict(color=theme.muted),
                        tickformat=".0%" if most - least > 0.04 else ".1~%", **place)
    axis = "x" if number == 1 else f"x{number}"
    for index, value in enumerate(one.values):  # numbers stand in a column of their own, right-aligned
        figure.add_annotation(x=1, xref=f"{axis} domain", y=names[index], text=_points(value), showarrow=False,
                              xanchor="right", xshift=theme.text * 3.6, font=dict(size=theme.small))


def _points(value: float) -> str:
    return f"{round(100 * float(value), 1) + 0.0:+.1f}"  # a minus would stand before 0, too


def _told(one: Faithfulness, index: int) -> str:
    if one.low is None:
        return _points(one.values[index])
    return f"{_points(one.values[index])} ({_points(one.low[index])} … {_points(one.high[index])})"


def _frame(figure: go.Figure, measures: Sequence[Faithfulness], names: list[str], across: int, say: Translator,
           theme: Theme) -> None:
    for trace in (go.Scatter(name=say("attribution.control"), mode="markers",
                             marker=dict(color=theme.muted, opacity=0.4, symbol="square", size=theme.text)),
                  go.Scatter(name=say("attribution.control_mean"), mode="lines",
                             line=dict(color=theme.ink, width=1.5, dash="dot"))):
        figure.add_trace(trace.update(x=[None], y=[names[0]], hoverinfo="skip"), 1, 1)
    left = max(map(labels.columns, names)) * theme.text * labels.COLUMN + theme.text * 1.5
    right, inner = theme.text * 4.2, theme.row * 1.15 * len(names)
    headings = theme.text * 1.4 + theme.small * 2
    above, below = theme.title * 2.3 + theme.small * 5 + headings, theme.small * 2.4
    for heading, axis in zip(figure.layout.annotations, ("xaxis", "xaxis2"), strict=False):  # they were there first
        heading.update(font=dict(size=theme.text), align="left", yshift=2, xanchor="left",
                       x=figure.layout[axis].domain[0])
    over = say("attribution.over_input") if measures[0].low is None else say(
        "attribution.over_inputs", count=measures[0].count)
    figure.update_layout(
        template=template(theme), bargap=0.45, barmode="overlay",
        title=dict(text=say("attribution.faithfulness"), subtitle=dict(text=over)),
        width=round(left + across + right), height=round(above + inner + below),
        margin=dict(l=round(left), r=round(right), t=round(above), b=round(below), autoexpand=False),
        legend=dict(x=theme.text / (left + across), xref="container", xanchor="left", yanchor="bottom",
                    y=1 + headings / inner))
    figure.update_yaxes(type="category", categoryorder="array", categoryarray=names, tickfont=dict(size=theme.text),
                        range=(len(names) - 0.5, -0.5), ticklabelstandoff=6)
