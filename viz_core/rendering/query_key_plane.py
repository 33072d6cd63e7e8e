"""The queries and the keys of a head for many texts, as points in one plane."""

from typing import Literal, get_args

import numpy as np
import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records import Failure
from viz_core.records.inside import QueryKeyPlane
from viz_core.rendering import frame, labels, marks
from viz_core.rendering.checks import check_finite
from viz_core.rendering.theme import FIRST, SECOND, SPECIAL, Theme

Colour = Literal["side", "position", "group"]
LEAST = 0.5  # correlation: in a plane below it, distances say less than a quarter about the products
SIZE = 1.25  # of the plot area, as a share of the theme's side
SYMBOLS = {"query": "circle", "key": "diamond"}
TEXT_COLUMNS = 60  # columns of a text in a hover
_GROUPS = {SPECIAL: "rendering.special_tokens", FIRST: "rendering.sentence_a", SECOND: "rendering.sentence_b"}


def query_key_scatter(plane: QueryKeyPlane, colour: Colour, say: Translator, theme: Theme) -> go.Figure:
    """Scatter plot with a circle per query and a diamond per key, on axes of the same scale.

    Pointing shows the token and its text.

    Args:
        colour: `side`, query or key; `position` in the text; `group`, special tokens and the texts
            of a pair.

    Raises:
        ValueError: For another colour, or if labels and points differ in number.
        Failure: If points are not finite, or near does not mean attends: the correlation is below
            LEAST.
    """
    if colour not in get_args(Colour):
        raise ValueError(f"colour {colour!r} is not one of {', '.join(get_args(Colour))}")
    shape = len(plane.labels), 2
    if plane.queries.shape != shape or plane.keys.shape != shape:
        raise ValueError(
            f"{shape[0]} labels: queries {plane.queries.shape}, keys {plane.keys.shape}; both must be {shape}"
        )
    check_finite(plane.queries, plane.keys)
    if plane.correlation < LEAST:
        values = {"layer": plane.layer + 1, "head": plane.head + 1, "least": LEAST}
        raise Failure("plane.not_represented", correlation=f"{plane.correlation:.2f}", **values)
    hovers = np.array([_hover(plane, token, say) for token in range(shape[0])], object)
    figure = go.Figure(
        [
            _points(points[rows], side, name, paint, hovers[rows], say)
            for side, points in (("key", plane.keys), ("query", plane.queries))
            for rows, name, paint in _paints(plane, side, colour, say, theme)
        ]
    )
    if colour == "position":
        bar = frame.colour_bar(theme, frame.LONGEST_BAR, say("plane.position"), *_ticks(plane))
        axis = frame.colour_axis(theme.sequential[1:], 0, max(int(plane.positions.max()), 1), bar)
        figure.layout.coloraxis = axis
    side = round(theme.side * SIZE)
    note = say(
        "plane.figures",
        tokens=shape[0],
        texts=len(plane.texts),
        explained=f"{plane.explained:.0%}",
        scale=f"{plane.scale:.2f}",
        correlation=f"{plane.correlation:.2f}",
    )
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False, scaleanchor="x")
    frame.lay_out(
        figure,
        theme,
        say("plane.title", layer=plane.layer + 1, head=plane.head + 1),
        note,
        plot_width=side,
        plot_height=round(side * 0.62),
        legend=1 if colour != "group" else 2,
    )
    return figure


def _paints(plane: QueryKeyPlane, side: str, colour: Colour, say: Translator, theme: Theme) -> list[tuple]:
    """Traces of the queries or of the keys: their tokens, name and marker."""
    everything, name = np.arange(len(plane.labels)), say(f"plane.{side}")
    if colour == "side":
        return [(everything, name, dict(color=getattr(theme, side)))]
    if colour == "position":
        return [(everything, name, dict(color=plane.positions, coloraxis="coloraxis"))]
    groups = [group for group in _GROUPS if (plane.groups == group).any()]
    pair = SECOND in groups
    return [
        (
            np.flatnonzero(plane.groups == group),
            say("plane.of_group", side=name, group=say(_GROUPS[group] if pair or group < 0 else "plane.text")),
            dict(color=theme.group(group)),
        )
        for group in groups
    ]


def _points(points: np.ndarray, side: str, name: str, marker: dict, hovers: np.ndarray, say: Translator) -> go.Scatter:
    hover = labels.hover(f"{say(f'plane.{side}')} %{{customdata}}")
    x, y = points.T.tolist()
    return marks.dots(x, y, hover, hovers, symbol=SYMBOLS[side], size=7, opacity=0.6, **marker).update(name=name)


def _hover(plane: QueryKeyPlane, token: int, say: Translator) -> str:
    typed = plane.texts[plane.of_text[token]]
    texts = " / ".join(labels.shorten(labels.printable(text), TEXT_COLUMNS) for text in typed)
    return say(
        "plane.hover",
        token=labels.escape(labels.printable(plane.labels[token])),
        position=int(plane.positions[token]) + 1,
        text=labels.escape(texts),
    )


def _ticks(plane: QueryKeyPlane) -> tuple[list[int], list[str]]:
    """Marks of the colour bar, counted from 1."""
    last = int(plane.positions.max())
    marks = sorted({0, last // 2, last})
    return marks, [str(mark + 1) for mark in marks]
