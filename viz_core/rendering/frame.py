"""Titles, axes, legends and margins of all figures. All lengths are in px.

From the top: title, subtitle, legend, then what stands directly above the plot area (headings, ticks). On the other
sides: tick labels, then an axis title or a bare edge; on the right also a colour bar, or a note for each row. A figure
states what it contains; the lengths follow from the theme's font sizes, so that they grow on a projector.
"""

from collections.abc import Sequence
from math import ceil
from typing import Any

import plotly.graph_objects as go

from viz_core.rendering.labels import text_width, wrap
from viz_core.rendering.theme import Theme, colourscale, template

LINE = 1.25  # a line of text, in font sizes
SUBTITLE_COLUMN = 0.5  # width of a column in a sentence, in font sizes
TITLE = 2.3  # the title with the white space around it, in font sizes of the title
# In font sizes of the text:
EDGE = 1  # white space at the border of the figure
AXIS_TITLE = 2  # from the tick labels to the border, where an axis has a title
END = 2  # right of an axis without a note or colour bar: room for half of the last tick label
BAR = 7  # a colour bar: gap, strip, and labels or title (the longest title is "difference")
BAR_GAP = 2  # the gap of a colour bar: the letters A and B of a pair stand in it
# In px:
STANDOFF = 6  # between a row and its name, or between tick labels and their axis title
TICKS = 10  # between the plot area and its tick labels: the standoff and plotly's own padding
LONGEST_BAR = 320  # a longer colour bar tells no more
QUARTERS = (0, 0.25, 0.5, 0.75, 1)


def lay_out(
    figure: go.Figure,
    theme: Theme,
    title: str = "",
    subtitle: str = "",
    *,
    width: float | None = None,
    height: float | None = None,
    plot_width: float = 0,
    plot_height: float = 0,
    min_width: float = 0,
    legend: float = 0,
    left: float | None = None,
    right: float | None = None,
    above: float = 0,
    below: float | None = None,
) -> None:
    """Sets the template, title, size, margins and legend of a figure, whose axes and traces are complete.

    width, height: of the whole figure; by default they follow from those of the plot area. min_width: a narrower figure
    gets more white space on the right. above: height of what stands between the legend and the plot area. left, right,
    below: margins; by default as wide as ticks and titles of the axes and, on the right, as the colour bar or the end
    of an axis. legend: its number of rows; it starts at the left border of the figure, below the title. A long subtitle
    is wrapped.
    """
    left = round(_left(figure, theme) if left is None else left)
    end = END if figure.layout.coloraxis.cmax is None else BAR
    right = round(theme.text * end if right is None else right)
    below = round(_below(figure, theme) if below is None else below)
    width = round(width or left + plot_width + right)
    if width < min_width:
        right += round(min_width) - width
        width = round(min_width)
    subtitle = wrap_subtitle(theme, subtitle, width)
    top = round(header_height(theme, title, subtitle, legend) + above)
    height = round(height or top + plot_height + below)
    figure.update_layout(
        template=template(theme),
        width=width,
        height=height,
        title=dict(text=title or None),
        margin=dict(l=left, r=right, t=top, b=below, autoexpand=False),
    )
    figure.update_xaxes(title_standoff=STANDOFF)
    figure.update_yaxes(title_standoff=STANDOFF)
    if subtitle:
        figure.update_layout(title_subtitle_text=subtitle)
    if legend:
        figure.update_layout(
            legend=dict(
                x=theme.text * EDGE / width,
                xref="container",
                xanchor="left",
                yanchor="bottom",
                traceorder="normal",
                y=1 + (above + text_height(0.5, theme.small)) / (height - top - below),
            )
        )


def _left(figure: go.Figure, theme: Theme) -> float:
    axis = figure.layout.yaxis
    if axis.visible is False or axis.showticklabels is False:
        return margin(theme)
    size = axis.tickfont.size or theme.small
    return margin(theme, tick_room(axis.ticktext, size) if axis.ticktext else number_room(theme), axis.title.text)


def _below(figure: go.Figure, theme: Theme) -> float:
    axis = figure.layout.xaxis
    if axis.visible is False or axis.side == "top":
        return margin(theme)
    return axis_below(theme, axis.ticktext or ("",), axis.title.text)


def wrap_subtitle(theme: Theme, subtitle: str, width: float) -> str:
    """The subtitle in lines that fit into a figure of `width` px."""
    columns = (width - theme.text * EDGE * 2) / (theme.small * SUBTITLE_COLUMN)
    return "<br>".join(line for text in subtitle.split("<br>") for line in wrap(text, columns))


def text_height(lines: float, size: float) -> float:
    """Height of a number of lines of text at a font size."""
    return lines * size * LINE


def ticks_height(texts: Sequence[str], size: float) -> float:
    """Height of upright tick labels below or above a plot area."""
    return text_height(max((text.count("<br>") for text in texts), default=0) + 1, size)


def header_height(theme: Theme, title: str, subtitle: str = "", legend: float = 0) -> float:
    """Height of the title, and of subtitle and legend with a blank line below each."""
    heights = [theme.title * TITLE if title else theme.text * EDGE]
    if subtitle:
        heights.append(text_height(subtitle.count("<br>") + 2, theme.small))
    if legend:
        heights.append(text_height(legend + 1, theme.small))
    return sum(heights)


def headings_height(theme: Theme, texts: Sequence[str]) -> float:
    """Height of the headings of subplots, in the size of the text, with half a line of white space above."""
    return text_height(max(text.count("<br>") for text in texts) + 1.5, theme.text)


def margin(theme: Theme, ticks: float = 0, title: str | bool | None = None) -> float:
    """Margin of an axis: room for its tick labels (`ticks` px), then its title or the bare edge."""
    return ticks + theme.text * (AXIS_TITLE if title else EDGE)


def axis_below(theme: Theme, names: Sequence[str] = ("",), title: str | bool | None = None) -> float:
    """Bottom margin of an axis with these upright tick labels; by default numbers."""
    return margin(theme, ticks_height(names, theme.small), title)


def tick_room(texts: Sequence[str], size: float) -> float:
    """Width of tick labels beside a plot area: the widest label and its distance."""
    return ceil(text_width(texts, size)) + TICKS


def number_room(theme: Theme, columns: int = 5) -> float:
    """Width of the numbers beside an axis, each of at most `columns` characters (`0.001`, `100%`)."""
    return tick_room(["0" * columns], theme.small)


def note_room(theme: Theme, texts: Sequence[str], size: float) -> float:
    """Right margin for a note beside each row, EDGE away from the plot area and from the border."""
    return text_width(texts, size) + theme.text * EDGE * 2


def bar_room(theme: Theme) -> float:
    """Right margin for a colour bar."""
    return theme.text * BAR


def colour_bar(
    theme: Theme, length: float, title: str = "", marks: Sequence[float] = QUARTERS, texts: Sequence[str] | None = None
) -> dict:
    """The colour bar on the right of a heat map of height `length`; at most LONGEST_BAR long.

    marks: the labelled values; texts: their labels, where they differ from the values.
    """
    return dict(
        title=dict(text=title, side="top", font=dict(size=theme.small, color=theme.muted)),
        tickvals=list(marks),
        ticktext=texts,
        tickfont=dict(size=theme.small, color=theme.muted),
        thickness=10,
        len=min(length, LONGEST_BAR),
        lenmode="pixels",
        y=1,
        yanchor="top",
        x=1,
        xanchor="left",
        xpad=theme.text * BAR_GAP,
        outlinewidth=1,
        outlinecolor=theme.line,
    )


def colour_axis(stops: tuple[str, ...], low: float, high: float, bar: dict) -> dict:
    """A colour axis from `low` to `high`, shared by the heat maps of a figure, with its colour bar."""
    return dict(colorscale=colourscale(stops), cmin=low, cmax=high, colorbar=bar)


def name_rows(figure: go.Figure, theme: Theme, names: Sequence[str], rows: Sequence[float] | None = None) -> None:
    """Labels rows at the y positions `rows`, by default 0, 1, 2 …, from top to bottom."""
    rows = list(range(len(names))) if rows is None else rows
    figure.update_yaxes(
        tickvals=rows,
        ticktext=names,
        tickfont=dict(size=theme.text),
        ticklabelstandoff=STANDOFF,
        range=(rows[-1] + 0.5, -0.5),
    )


def name_categories(figure: go.Figure, theme: Theme, categories: Sequence[str], names: Sequence[str]) -> None:
    """Labels bars on a category axis, one row per category, the first on top."""
    figure.update_yaxes(
        type="category",
        categoryorder="array",
        categoryarray=categories,
        tickvals=categories,
        ticktext=names,
        tickfont=dict(size=theme.text),
        range=(len(categories) - 0.5, -0.5),
        ticklabelstandoff=STANDOFF,
    )


def annotate(figure: go.Figure, text: str, size: float, colour: str, /, **place: Any) -> None:
    """Adds a text without an arrow. place: arguments of `add_annotation`."""
    figure.add_annotation(text=text, showarrow=False, font=dict(size=size, color=colour), **place)


def grid(theme: Theme) -> dict:
    """An axis of numbers with lines across the plot area."""
    return dict(showgrid=True, gridcolor=theme.line, ticklabelstandoff=STANDOFF)


def note_rows(figure: go.Figure, theme: Theme, notes: Sequence[str], rows: Sequence[float]) -> None:
    """Adds a note right of each row, in the margin of width `note_room`."""
    for row, text in zip(rows, notes, strict=True):
        place = dict(x=1, xref="x domain", xanchor="left", xshift=theme.text * EDGE, y=row)
        annotate(figure, text, theme.small, theme.muted, **place)
