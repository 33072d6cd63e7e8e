"""Comprehensiveness and sufficiency of attribution methods, compared with a random order of tokens."""

from collections.abc import Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from viz_core.language import Translator
from viz_core.records import Faithfulness
from viz_core.rendering import frame, labels, marks
from viz_core.rendering.checks import check_faithfulness
from viz_core.rendering.theme import Theme

WIDTH = 0.31  # of a measure's bars, as a share of the theme's side
ROW = 1.15  # height of a method's row, in rows of the theme: its interval has to be visible
MIN_RANGE = 0.02  # minimum range of an axis, in probability, so that negligible values look negligible


def faithfulness_bars(measures: Sequence[Faithfulness], say: Translator, theme: Theme) -> go.Figure:
    """Bars in percentage points, with a column per measure and a row per method.

    A band shows the control, a random order. Intervals over inputs are drawn where available.

    Raises:
        ValueError: If the methods of the measures differ.
    """
    check_faithfulness(measures)
    names = [say(f"attribution.{method}") for method in measures[0].methods]
    numbers = [[_points(value) for value in measure.values] for measure in measures]
    width, room = round(theme.side * WIDTH), round(frame.note_room(theme, sum(numbers, []), theme.small))
    across = width * len(measures) + room * (len(measures) - 1)
    headings = [_heading(measure, width + room, say, theme) for measure in measures]
    figure = make_subplots(
        1, len(measures), shared_yaxes=True, horizontal_spacing=room / across, subplot_titles=headings
    )
    for heading, axis in zip(figure.layout.annotations, figure.select_xaxes(), strict=True):
        heading.update(font=dict(size=theme.text), align="left", yshift=2, xanchor="left", x=axis.domain[0])
    for number, (measure, texts) in enumerate(zip(measures, numbers, strict=True), 1):
        _column(figure, number, measure, names, texts, room, say, theme)
    _legend(figure, names, say, theme)
    frame.name_categories(figure, theme, names, names)
    figure.update_layout(bargap=0.45, barmode="overlay")
    over = "attribution.over_input" if measures[0].low is None else "attribution.over_inputs"
    frame.lay_out(
        figure,
        theme,
        say("attribution.faithfulness"),
        say(over, count=measures[0].count),
        legend=1,
        above=frame.headings_height(theme, headings),
        plot_width=across,
        plot_height=theme.row * ROW * len(names),
        right=room,
    )
    return figure


def _column(
    figure: go.Figure,
    number: int,
    measure: Faithfulness,
    names: list[str],
    texts: list[str],
    room: int,
    say: Translator,
    theme: Theme,
) -> None:
    mean, low, high = measure.control
    subplot = dict(row=1, col=number)
    hover = labels.hover_sentence(say, "attribution.hover_faithfulness", "value", method="%{y}")
    bars = go.Bar(x=measure.values, y=names, orientation="h", marker_color=theme.accent, showlegend=False)
    bars.update(customdata=[_hover_value(measure, index) for index in range(len(names))], hovertemplate=hover)
    ends = [0.0, low, high, *measure.values]
    if measure.low is not None and measure.high is not None:
        ends += [*measure.low, *measure.high]
        bars.update(error_x=marks.interval(measure.values, measure.low, measure.high, theme.ink, 1.5, width=4))
    figure.add_trace(bars, **subplot)
    figure.add_vrect(low, high, fillcolor=theme.muted, opacity=0.28, line_width=0, layer="below", **subplot)
    figure.add_vline(mean, line=dict(color=theme.ink, width=1.5, dash="dot"), **subplot)
    figure.add_vline(0, line=dict(color=theme.line, width=1), **subplot)
    start, end = float(min(ends)), max(float(max(ends)), float(min(ends)) + MIN_RANGE)
    padding = 0.06 * (end - start)
    span, form = [start - padding, end + padding], ".0%" if end - start > 0.04 else ".1~%"
    figure.update_xaxes(range=span, nticks=4, tickfont_color=theme.muted, tickformat=form, **subplot)
    axis = "x" if number == 1 else f"x{number}"
    for name, text in zip(names, texts, strict=True):  # in a column of their own, right-aligned
        place = dict(x=1, xref=f"{axis} domain", y=name, xanchor="right", xshift=room - theme.text * frame.EDGE)
        frame.annotate(figure, text, theme.small, theme.ink, **place)


def _heading(measure: Faithfulness, width: float, say: Translator, theme: Theme) -> str:
    name = "<br>".join(labels.wrap(say(f"attribution.{measure.measure}"), width / (theme.text * labels.COLUMN)))
    note = say(f"attribution.{measure.measure}_note")
    return f"<b>{name}</b><br><span style='font-size:{theme.small}px'>{note}</span>"


def _points(value: float) -> str:
    return f"{round(100 * float(value), 1) + 0.0:+.1f}"  # adding 0.0 turns -0.0 into 0.0


def _hover_value(measure: Faithfulness, index: int) -> str:
    if measure.low is None or measure.high is None:
        return _points(measure.values[index])
    return f"{_points(measure.values[index])} ({_points(measure.low[index])} … {_points(measure.high[index])})"


def _legend(figure: go.Figure, names: list[str], say: Translator, theme: Theme) -> None:
    control = dict(color=theme.muted, opacity=0.4, symbol="square", size=theme.text)
    mean = dict(color=theme.ink, width=1.5, dash="dot")
    for entry in (
        marks.legend_entry(say("attribution.control"), "markers", marker=control),
        marks.legend_entry(say("attribution.control_mean"), "lines", line=mean),
    ):
        figure.add_trace(entry.update(y=[names[0]]), 1, 1)
