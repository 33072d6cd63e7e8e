"""Every margin: what stands around the plot area of a figure, and how much room it takes. All lengths are px.

From the top: the title, the subtitle, the legend, then what a figure has right above its plot area (headings, ticks). On
the other sides: the tick labels, then the axis title or a bare edge; at the right a colour bar, or a note to each row.
A figure states what it has; the lengths follow from the theme's font sizes, so that they grow with a projector's.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import plotly.graph_objects as go

from viz_core.rendering.labels import width_of
from viz_core.rendering.theme import Theme, colourscale, template

LINE = 1.25  # a line of text, in heights of its font
TITLE = 2.3  # the title with what is white above and below it, in heights of its font
EDGE = 1  # white between the last thing and the border of the figure, in heights of the text, as are all below
AXIS_TITLE = 2  # an axis title, from the tick labels to the border
END = 2  # right of an axis without more: half of its last tick label stands there
BAR = 7  # a colour bar: its distance, its strip, and its labels or its title, the longest of which is "difference"
BAR_GAP = 2  # of these, the distance: the letters A and B of a pair stand there
STANDOFF = 6  # px between a row and its name, or between tick labels and their axis title
TICKS = 10  # px between the plot area and tick labels beside it: their standoff, and plotly's own 3
LONGEST_BAR = 320  # px; a longer one tells no more
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
    least_width: float = 0,
    legend: int = 0,
    left: float | None = None,
    right: float | None = None,
    above: float = 0,
    below: float | None = None,
) -> None:
    """Gives a figure its template, title, size, margins and legend.

    width, height: of the whole figure; unless given, they follow from the plot area's. least_width: a narrower figure gets
    more white at the right. above: what stands between the legend and the plot area. left, right, below: margins; where
    not given, nothing stands there but, at the right, the end of an axis. legend: its rows; it begins below the title's
    first letter, since the whole width is its own.
    """
    left, right, below = (
        round(given if given is not None else theme.text * bare)
        for given, bare in ((left, EDGE), (right, END), (below, EDGE))
    )
    top = round(head(theme, title, subtitle, legend) + above)
    width = round(width or left + plot_width + right)
    if width < least_width:
        right += round(least_width) - width
        width = round(least_width)
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
                y=1 + (above + lines(0.5, theme.small)) / (height - top - below),
            )
        )


def lines(count: float, size: float) -> float:
    """Height of lines of text."""
    return count * size * LINE


def ticks_height(texts: Sequence[str], size: float) -> float:
    """Height of tick labels below or above a plot area, which stand upright."""
    return lines(max((text.count("<br>") for text in texts), default=0) + 1, size)


def head(theme: Theme, title: str, subtitle: str = "", legend: int = 0) -> float:
    """Height of the title, and of subtitle and legend with a blank line below each."""
    heights = [theme.title * TITLE if title else theme.text * EDGE]
    if subtitle:
        heights.append(lines(subtitle.count("<br>") + 2, theme.small))
    if legend:
        heights.append(lines(legend + 1, theme.small))
    return sum(heights)


def headings(theme: Theme, texts: Sequence[str]) -> float:
    """Height of the headings of several plot areas, in the size of the text, with half a line of white above."""
    return lines(max(text.count("<br>") for text in texts) + 1.5, theme.text)


def margin(theme: Theme, ticks: float = 0, title: bool = False) -> float:
    """A margin at an axis: the room of its tick labels, then its title or the bare edge."""
    return ticks + theme.text * (AXIS_TITLE if title else EDGE)


def axis_below(theme: Theme, names: Sequence[str] = ("",), title: bool = False) -> float:
    """Bottom margin of an axis with these upright tick labels; unless given, numbers."""
    return margin(theme, ticks_height(names, theme.small), title)


def tick_room(texts: Sequence[str], size: float) -> float:
    """Room of tick labels beside a plot area: the widest, and their distance."""
    return ceil(width_of(texts, size)) + TICKS


def number_room(theme: Theme, columns: int = 5) -> float:
    """Room of the numbers beside an axis, each of at most so many characters (`0.001`, `100%`)."""
    return tick_room(["0" * columns], theme.small)


def note_room(theme: Theme, texts: Sequence[str], size: float) -> float:
    """Right margin that holds a note to each row, EDGE away from the plot area and from the border."""
    return width_of(texts, size) + theme.text * EDGE * 2


def bar_room(theme: Theme) -> float:
    """Right margin that holds a colour bar."""
    return theme.text * BAR


def colour_bar(
    theme: Theme, length: float, title: str = "", marks: Sequence[float] = QUARTERS, texts: Sequence[str] | None = None
) -> dict:
    """The legend of a heat map, right of it, as long as it is, up to LONGEST_BAR.

    marks: the numbers that it names; texts: their names, where they are not the numbers themselves.
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
    """The colours from `low` to `high` that several heat maps share, with their colour bar."""
    return dict(colorscale=colourscale(stops), cmin=low, cmax=high, colorbar=bar)


def name_rows(figure: go.Figure, theme: Theme, names: Sequence[str], places: Sequence[float] | None = None) -> None:
    """The vertical axis of rows that stand at 0, 1, 2 … from the top, or at `places`: a name each, half a row of white."""
    places = list(range(len(names))) if places is None else places
    figure.update_yaxes(
        tickvals=places,
        ticktext=names,
        tickfont=dict(size=theme.text),
        ticklabelstandoff=STANDOFF,
        range=(places[-1] + 0.5, -0.5),
    )


def name_categories(figure: go.Figure, theme: Theme, categories: Sequence[str], names: Sequence[str]) -> None:
    """The vertical axis of bars, the first on top: a row for each category, labelled with its name."""
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


def note_rows(figure: go.Figure, theme: Theme, notes: Sequence[str], places: Sequence[float]) -> None:
    """A note right of each row, in the margin that `note_room` makes."""
    for place, text in zip(places, notes, strict=True):
        figure.add_annotation(
            x=1,
            xref="x domain",
            xanchor="left",
            xshift=theme.text * EDGE,
            y=place,
            text=text,
            showarrow=False,
            font=dict(size=theme.small, color=theme.muted),
        )
