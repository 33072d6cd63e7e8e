"""The votes of a class: a bar for each option, or a dot for each number."""

import numpy as np
import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records import Votes
from viz_core.rendering import frame, labels, marks
from viz_core.rendering.theme import Theme

_NAME_COLUMNS = 34  # of an option in a line
_ROW = 1.4  # height of a row of one line, in rows of the theme
_DOT_COLUMNS = 40  # of dots, from the lowest to the highest number
_HIGHEST, _LOWEST = 0.5, 5  # the plot area, as a share of its width; in dots
_TAIL = 5  # percent of the numbers at either end that may be anything


def votes_figure(votes: Votes, say: Translator, theme: Theme) -> go.Figure:
    """What a class has voted.

    Raises:
        ValueError: Without votes.
    """
    if not votes.given:
        raise ValueError("there are no votes to draw: at least one is needed")
    return _bars(votes, say, theme) if votes.question.options else _dots(votes, say, theme)


def _bars(votes: Votes, say: Translator, theme: Theme) -> go.Figure:
    """A bar per option, as long as its share, with the number of votes."""
    total, rows = len(votes.given), [str(number) for number in range(len(votes.counts))]
    names = [_lines(option) for option in votes.question.options]
    shares = [count / total for count in votes.counts]
    numbers = [f"{count} · {share:.0%}" for count, share in zip(votes.counts, shares, strict=True)]
    figure = go.Figure(
        go.Bar(
            x=shares,
            y=rows,
            orientation="h",
            marker_color=theme.accent,
            text=numbers,
            textposition="outside",
            textfont=dict(size=theme.text, color=theme.ink),
            cliponaxis=False,
            hoverinfo="skip",
        )
    )
    frame.name_categories(figure, theme, rows, names)
    figure.update_xaxes(visible=False, range=[0, max(shares)])
    figure.update_layout(bargap=0.35)
    lines = max(name.count("<br>") for name in names)
    height = theme.row * _ROW + frame.text_height(lines, theme.text)
    room = frame.note_room(theme, numbers, theme.text)
    title = say("votes.count", count=total)
    frame.lay_out(figure, theme, title, plot_width=theme.side / 2, plot_height=height * len(rows), right=room)
    return figure


def _dots(votes: Votes, say: Translator, theme: Theme) -> go.Figure:
    """A dot per number, stacked in columns (Wilkinson 1999, "Dot Plots"), and a line at the median.

    Numbers far from the middle 90% are counted only: one that was mistyped, or typed for fun, does
    not press the others together.
    """
    numbers = np.array(votes.given)
    low, high = np.percentile(numbers, [_TAIL, 100 - _TAIL])
    drawn = numbers[(numbers >= 2 * low - high) & (numbers <= 2 * high - low)]
    step = float(np.ptp(drawn)) / (_DOT_COLUMNS - 1) or abs(float(drawn[0])) / _DOT_COLUMNS or 1.0
    columns = np.rint((drawn - drawn[0]) / step).astype(int)
    # In ascending order: a number's height is its place in its column, which stands at their mean.
    heights = np.arange(len(columns)) - np.searchsorted(columns, columns) + 1
    places = np.bincount(columns, drawn)[columns] / np.bincount(columns)[columns]
    tallest = max(int(heights.max()), _LOWEST)
    side = min(theme.side / _DOT_COLUMNS, theme.side * _HIGHEST / tallest)
    hover = labels.hover("%{customdata:.6~g}")
    figure = go.Figure(marks.dots(places, heights, hover, drawn, color=theme.accent, size=0.85 * side, opacity=1))
    median = float(np.median(numbers))
    figure.add_vline(median, line=dict(color=theme.muted, width=1.5, dash="dash"), layer="below")
    centre, half = (drawn[0] + drawn[-1]) / 2, step * _DOT_COLUMNS / 2
    figure.update_xaxes(range=[centre - half, centre + half], showline=True, ticks="outside", tickcolor=theme.line)
    figure.update_yaxes(visible=False, range=[0.4, tallest + 0.6])
    notes = [say("votes.median", median=f"{median:.6g}")]
    if missing := len(numbers) - len(drawn):
        notes.append(say("votes.outside", count=missing))
    figure.update_layout(showlegend=False)
    size = dict(plot_width=theme.side, plot_height=side * (tallest + 0.2))
    frame.lay_out(figure, theme, say("votes.count", count=len(numbers)), "<br>".join(notes), **size)
    return figure


def _lines(option: str) -> str:
    return "<br>".join(map(labels.escape, labels.wrap(labels.printable(option), _NAME_COLUMNS)))
