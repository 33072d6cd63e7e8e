"""Path patching: which later heads a head feeds, drawn below it as they come in the model."""

import numpy as np
import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records import HEAD_INPUTS, Paths
from viz_core.rendering import frame, labels, marks, scales
from viz_core.rendering.checks import check_finite
from viz_core.rendering.patching import lay_out_effects
from viz_core.rendering.theme import Theme, ink_on, shade

STEP = len(HEAD_INPUTS) + 1  # columns of a head: what it reads, then a gap
ROOM = 2  # rows from the sender to the next layer
_LETTERS = "QKV"
_CELL, _LEAST, _NUMBERED, _LETTERED = 3.0, 0.7, 2.9, 0.9  # width of a cell, in font sizes; with number, with letter
_SHOWN, _LINES = 0.02, 6  # lines to effects of at least this size; at most so many
_THIN, _THICK, _DOT = 1.0, 7.0, 0.9  # width of lines, px; size of the sender, in font sizes


def paths_map(paths: Paths, say: Translator, theme: Theme) -> go.Figure:
    """Three cells per later head, for its queries, keys and values; lines lead from the sender to the strongest.

    Raises:
        Failure: If effects of later layers are not finite.
    """
    layer, head = paths.sender
    effects = np.asarray(paths.effects, float)[:, layer + 1 :]  # (3, later layers, H)
    check_finite(effects)
    _, later, heads = effects.shape
    grid = np.full((later + ROOM, heads * STEP - 1), np.nan)
    for number, values in enumerate(effects):
        grid[ROOM:, number::STEP] = values
    rows, columns = grid.shape
    cell = min(_CELL, max(_LEAST, theme.side * 1.1 / theme.text / columns))
    _, high = scales.bounds(np.append(effects, 1.0), signed=True)
    start = head * STEP + 1
    figure = go.Figure(_lines(grid, start, high, theme))
    figure.add_trace(marks.cells(grid, "", hoverinfo="skip"))
    figure.add_traces(_points(grid, layer, high, cell, say, theme))
    figure.add_trace(marks.dots([start], [0], size=theme.text * _DOT, color=theme.ink))
    frame.annotate(figure, f"{layer + 1}.{head + 1}", theme.text, theme.ink, x=start, y=0, yshift=theme.text * 1.2)
    names = [_column(number, cell) for number in range(columns)]
    figure.update_xaxes(tickvals=list(range(columns)), ticktext=names, tickangle=0, range=[-0.5, columns - 0.5])
    figure.update_xaxes(title_text=say("importance.head"))
    places = [0, *range(ROOM, rows)]
    frame.name_rows(figure, theme, [str(number + 1) for number in range(layer, layer + later + 1)], places)
    figure.update_yaxes(title_text=say("importance.layer"))
    title, scale = say("patching.title_paths", head=f"{layer + 1}.{head + 1}"), say("patching.scale_paths")
    below = frame.axis_below(theme, ["<br>"], title=True)
    lay_out_effects(figure, theme, say, title, scale, high, rows, columns * cell, below, theme.text)
    return figure


def _column(column: int, cell: float) -> str:
    """Letter of an input; below the middle one the number of the head."""
    number, place = divmod(column, STEP)
    letter = _LETTERS[place] if place < len(_LETTERS) and cell >= _LETTERED else ""
    return f"{letter}<br>{number + 1}" if place == 1 else letter


def _lines(grid: np.ndarray, start: int, high: float, theme: Theme) -> list[go.Scatter]:
    """Lines to the upper edges of the cells, the strongest on top."""
    sizes = np.nan_to_num(np.abs(grid))
    order = np.argsort(-sizes, axis=None, kind="stable")[:_LINES]
    strong = [divmod(int(place), grid.shape[1]) for place in order[::-1] if sizes.flat[place] >= _SHOWN]
    return [
        marks.line(
            [start, column],
            [0, row - 0.5],
            color=shade(theme.diverging, float(scales.share(grid[row, column], -high, high, "linear"))),
            width=_THIN + (_THICK - _THIN) * sizes[row, column] / high,
        )
        for row, column in strong
    ]


def _points(grid: np.ndarray, layer: int, high: float, cell: float, say: Translator, theme: Theme) -> list[go.Scatter]:
    places = np.argwhere(np.isfinite(grid)).tolist()
    values = [float(grid[row, column]) for row, column in places]
    hover = [
        say(
            f"patching.hover_{HEAD_INPUTS[column % STEP]}",
            head=f"{layer + row - ROOM + 2}.{column // STEP + 1}",
            value=scales.with_sign(value, 2),
        )
        for (row, column), value in zip(places, values, strict=True)
    ]
    texts = [scales.with_sign(value, 2) if cell >= _NUMBERED else "" for value in values]
    shares = scales.share(np.array(values), -high, high, "linear").tolist()
    inks = [ink_on(shade(theme.diverging, share)) for share in shares]
    rows, columns = ([place[axis] for place in places] for axis in (0, 1))
    return marks.points(columns, rows, texts, inks, theme, labels.hover("%{customdata}"), hover)
