"""Attention of one head as a heat map: rows are queries, columns are keys."""

import numpy as np
import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records import AttentionMap, Measure
from viz_core.rendering import frame, labels, marks, scales
from viz_core.rendering.checks import check_map
from viz_core.rendering.theme import FIRST, SECOND, Theme, ink_on, shade

MAX_CELL, MIN_SIDE = 72, 160  # px: limits for inputs of very few tokens
MIN_GAP = 4  # px between two lines
APART = 14  # px between two lines of a hatching, measured along an axis
NUMBERED = 12  # up to this many tokens per side, cells are large enough to show their numbers


def attention_heatmap(
    attention: AttentionMap, say: Translator, theme: Theme, scale: scales.Scale = "linear", limit: scales.Limit = "full"
) -> go.Figure:
    """Heat map of weights `(Q, K)`; hover and legend show the weights themselves on every scale.

    Signed maps (differences) and maps with negative weights use the diverging scale. Keys that a
    query cannot attend to are hatched.

    Args:
        limit: Of the colours (`scales.limits`).

    Raises:
        ValueError: If labels and weights differ in number, or for an unknown scale.
        Failure: If weights are not finite.
    """
    check_map(attention)
    weights = np.asarray(attention.weights, np.float32)
    cell = min(MAX_CELL, theme.side / max(weights.shape))
    height, width = (max(MIN_SIDE, round(cell * count)) for count in weights.shape)
    bounds = scales.limits(weights, attention.measure, limit, attention.signed)
    figure = go.Figure(_cells(attention, weights, say, theme, scale))
    if max(weights.shape) <= NUMBERED:
        figure.add_trace(_numbers(figure.data[0], weights, bounds, theme, scale))
    below = _axes(figure, attention, say, theme, width, height)
    left = frame.tick_room(labels.tick_texts(attention.queries), theme.small)
    _segments(figure, attention, theme)
    notes = ["rendering.renormalised"] * attention.renormalised
    if attention.reach is not None and attention.unreachable.any():
        hatch(figure, attention.reach, len(attention.keys), cell, theme)
        notes.append("rendering.unreachable")
    figure.layout.coloraxis = colour_axis(bounds, say, theme, scale, height, attention.measure)
    title = labels.escape(say(attention.title))
    frame.lay_out(
        figure,
        theme,
        title,
        "<br>".join(map(say, notes)),
        plot_width=width,
        plot_height=height,
        left=frame.margin(theme, left, title=True),
        min_width=min(labels.text_width([title], theme.title), theme.side)
        + frame.margin(theme, 0),  # a long title is wider than the map of few tokens
        above=frame.text_height(1, theme.text) * _is_pair(attention),
        below=frame.margin(theme, below, title=True),
    )
    return figure


def colour_axis(
    bounds: tuple[float, float],
    say: Translator,
    theme: Theme,
    scale: scales.Scale,
    length: int,
    measure: Measure = "weights",
) -> dict:
    """Colour axis over a range of weights; its colour bar of `length` px is labelled with weights."""
    low, high = bounds
    weights = scales.ticks(low, high, scale)
    title = say("rendering.difference" if low < 0 else unit_of(measure))
    places, texts = scales.position(np.array(weights), scale).tolist(), [f"{weight:.2g}" for weight in weights]
    start, end = scales.position(np.array(bounds), scale).tolist()
    stops = theme.diverging if low < 0 else theme.sequential
    return frame.colour_axis(stops, start, end, frame.colour_bar(theme, length, title, places, texts))


def unit_of(measure: Measure) -> str:
    """Message key of the quantity that is measured: a weight, or a norm."""
    return {"weights": "rendering.weight", "norms": "rendering.norm"}[measure]


def _cells(
    attention: AttentionMap, weights: np.ndarray, say: Translator, theme: Theme, scale: scales.Scale
) -> go.Heatmap:
    hover = labels.hover_sentence(say, "rendering.hover_cell", "weight:.4f", query="%{y}", key="%{x}")
    shown = np.where(attention.unreachable, np.nan, scales.position(weights, scale))
    names = dict(x=labels.categories(attention.keys), y=labels.categories(attention.queries))
    return marks.cells(shown, hover, int(max(weights.shape) <= 64), customdata=weights, hoverongaps=False, **names)


def _numbers(
    cells: go.Heatmap, weights: np.ndarray, bounds: tuple[float, float], theme: Theme, scale: scales.Scale
) -> go.Scatter:
    """Texts of the larger weights on their cells, in the ink with the best contrast.

    Plotly would choose too pale an ink.
    """
    low, high = bounds
    largest = float(np.abs(weights).max())
    rows, columns = np.nonzero(np.abs(weights) >= largest / 20)
    stops = theme.diverging if low < 0 else theme.sequential
    inks = [ink_on(shade(stops, share)) for share in scales.share(weights[rows, columns], low, high, scale)]
    return go.Scatter(
        x=[cells.x[column] for column in columns],
        y=[cells.y[row] for row in rows],
        mode="text",
        hoverinfo="skip",
        text=[f"{weight:.{scales.digits(largest)}f}" for weight in weights[rows, columns]],
        textfont=dict(size=theme.small, color=inks),
    )


def _axes(figure: go.Figure, attention: AttentionMap, say: Translator, theme: Theme, width: int, height: int) -> float:
    """Set ticks (fewer if they would collide) and axis titles; returns the height of the ticks below."""
    line = frame.text_height(1, theme.small)
    steps = [
        labels.tick_step(length / len(tokens), line)
        for length, tokens in ((width, attention.keys), (height, attention.queries))
    ]
    upright = labels.upright_ticks(attention.keys[:: steps[0]], width / len(attention.keys) * steps[0], theme.small)
    for axis, tokens, step in (("xaxis", attention.keys, steps[0]), ("yaxis", attention.queries, steps[1])):
        figure.layout[axis].update(
            type="category",
            tickvals=labels.categories(tokens)[::step],
            ticktext=labels.tick_texts(tokens[::step]),
            showline=True,
            mirror=True,
            range=(-0.5, len(tokens) - 0.5),
        )
    figure.update_xaxes(title_text=say("rendering.keys"), tickangle=-90)
    if upright:
        figure.update_xaxes(ticktext=upright, tickangle=0)
    figure.update_yaxes(title_text=say("rendering.queries"), range=(len(attention.queries) - 0.5, -0.5))
    if upright:
        return frame.ticks_height(upright, theme.small)
    return frame.tick_room(labels.tick_texts(attention.keys), theme.small)


def _segments(figure: go.Figure, attention: AttentionMap, theme: Theme) -> None:
    """Draw thin lines between segments; for a pair, also the letters A and B at the top and on the right."""
    lines = []
    for groups, axis in ((attention.key_groups, "x"), (attention.query_groups, "y")):
        across = "y" if axis == "x" else "x"
        for edge in boundaries(groups, theme.side):
            ends = {f"{axis}0": edge, f"{axis}1": edge, f"{across}0": 0, f"{across}1": 1}
            line = dict(color=theme.muted, width=1)
            lines.append(dict(type="line", opacity=0.7, line=line, **ends, **{f"{across}ref": f"{across} domain"}))
        for group, name in ((FIRST, "A"), (SECOND, "B")):
            positions = np.flatnonzero(np.asarray(groups) == group)
            if _is_pair(attention) and positions.size:
                place = {axis: float(positions.mean()), across: 1, f"{across}ref": f"{across} domain"}
                place |= dict(yanchor="bottom") if axis == "x" else dict(xanchor="left", xshift=4)
                frame.annotate(figure, name, theme.text, theme.group(group), font_weight=700, **place)
    figure.layout.shapes = lines  # one by one, each would copy those before it


def _is_pair(attention: AttentionMap) -> bool:
    return SECOND in attention.query_groups or SECOND in attention.key_groups


def boundaries(groups: np.ndarray, side: float) -> np.ndarray:
    """Positions between cells where the group changes.

    Positions within MIN_GAP of the border of a map of `side` px are left out.
    """
    edges = np.flatnonzero(np.diff(groups)) + 1
    cell = side / len(groups)
    return edges[(edges * cell >= MIN_GAP) & ((len(groups) - edges) * cell >= MIN_GAP)] - 0.5


def hatch(figure: go.Figure, reach: np.ndarray, columns: int, cell: float, theme: Theme, **subplot: int) -> None:
    """Hatch the cells that no weight can reach: later tokens in causal attention.

    Draws a single path, because thousands of shapes would be slow, and nothing if there are no such
    cells.

    Args:
        reach: In each row, the column from which cells are hatched, `(rows,)`.
        cell: Size of a cell, px.
        subplot: `row` and `col`, if there are any.
    """
    lines = _hatching(np.asarray(reach), columns, max(1, round(cell / APART)))
    if lines:
        path = "".join(f"M{x0:g},{y0:g}L{x1:g},{y1:g}" for x0, y0, x1, y1 in lines)
        line = dict(color=theme.muted, width=1)
        figure.add_shape(type="path", path=path, line=line, opacity=0.45, layer="above", **subplot)


def _hatching(reach: np.ndarray, columns: int, per_cell: int) -> list[tuple[float, float, float, float]]:
    """Lines from bottom left to top right, in cells; cell (0, 0) has its centre at (0, 0)."""
    lines, rows = [], np.arange(len(reach))
    for total in np.arange(-1, len(reach) + columns - 1, 1 / per_cell):  # x + y is the same all along a line
        top = np.maximum(rows - 0.5, total - columns + 0.5)
        bottom = np.minimum(rows + 0.5, total - reach + 0.5)
        inside = np.flatnonzero(bottom > top + 1e-9)
        for run in np.split(inside, np.flatnonzero(~np.isclose(top[inside][1:], bottom[inside][:-1])) + 1):
            if run.size:
                start, end = top[run[0]], bottom[run[-1]]
                lines.append((total - end, end, total - start, start))
    return lines
