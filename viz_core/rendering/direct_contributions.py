"""What each head and each feed-forward layer adds to the difference of two logits: a map of layers."""

import numpy as np
import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records import DirectContributions
from viz_core.rendering import frame, labels, marks, scales
from viz_core.rendering.checks import check_finite
from viz_core.rendering.theme import Theme, ink_on, shade

GAP = 0.6  # between heads and feed-forward layers, in cells
CELL, ROW = 3.4, 1.9  # width and height of a cell, in font sizes
_DEEP, _LOW = 12, 1.45  # of more layers, the height of a cell
_LEAST, _NUMBERED = 1.6, 3.0  # width of a cell: of many heads, and with its number in it
_MIN_BAR, _MIN_WIDTH = 9, 0.7  # length of the colour bar, in font sizes; width of the figure, as a share of the side


def contribution_map(contributions: DirectContributions, say: Translator, theme: Theme) -> go.Figure:
    """Heat map with a row per layer, a column per head and one for the feed-forward layers.

    Blue adds to the chosen class, orange to the other one. The subtitle has the sums. Every cell holds a
    point (x: head from 0, behind the last one the feed-forward layer; y: layer from 0), which reports clicks.

    Raises:
        ValueError: If heads and feed-forward layers differ in their number of layers.
        Failure: If numbers are not finite.
    """
    heads, feedforward = np.asarray(contributions.heads, float), np.asarray(contributions.feedforward, float)
    if heads.ndim != 2 or feedforward.shape != heads.shape[:1]:
        raise ValueError(
            f"heads of shape {heads.shape}, feed-forward layers of shape {feedforward.shape}: layers differ"
        )
    values = np.column_stack([heads, feedforward])
    check_finite(values)
    layers, columns = heads.shape
    cell = min(CELL, max(_LEAST, theme.side * 1.1 / theme.text / (columns + 1)))
    low, high = scales.bounds(values, signed=True)
    names = {part: labels.class_name(getattr(contributions, part), say) for part in ("chosen", "against")}
    figure = go.Figure()
    for part, x, key in ((heads, np.arange(columns), "head"), (feedforward[:, None], [columns + GAP], "feedforward")):
        _add_cells(figure, part, np.asarray(x, float), scales.share(part, low, high, "linear"), cell, key, say, theme)
    numbers = [str(head + 1) for head in range(columns)]
    step = labels.tick_step(cell * theme.text, theme.small * 1.8)
    figure.update_xaxes(
        tickvals=[*range(0, columns, step), columns + GAP],
        ticktext=[*numbers[::step], say("direct.feedforward_short")],
        range=[-0.5, columns + GAP + 0.5],
        tickangle=0,
        title_text=say("importance.head"),
    )
    frame.name_rows(figure, theme, [str(layer + 1) for layer in range(layers)])
    figure.update_yaxes(title_text=say("importance.layer"))
    height = layers * (_LOW if layers > _DEEP else ROW) * theme.text
    ticks = scales.ticks(low, high, "linear")
    texts = [scales.with_sign(tick, scales.digits(high)) for tick in ticks]
    legend = max(height, _MIN_BAR * theme.text)  # longer than two layers are high
    bar = frame.colour_bar(theme, legend, say("direct.unit"), ticks, texts)
    figure.update_layout(showlegend=False, hovermode="closest", clickmode="event+select")
    figure.layout.coloraxis = frame.colour_axis(theme.diverging, low, high, bar)
    frame.lay_out(
        figure,
        theme,
        say("direct.title", **names),
        _notes(contributions, names, say),
        plot_width=(columns + 1 + GAP) * cell * theme.text,
        plot_height=height,
        min_width=theme.side * _MIN_WIDTH,
        below=max(frame.axis_below(theme, title=True), legend - height),
    )
    return figure


def _add_cells(
    figure: go.Figure,
    values: np.ndarray,
    x: np.ndarray,
    shares: np.ndarray,
    cell: float,
    key: str,
    say: Translator,
    theme: Theme,
) -> None:
    """Cells at these places, with points that report clicks, and with their numbers where there is room."""
    digits = scales.digits(float(np.abs(values).max()))
    layers, columns = np.indices(values.shape).reshape(2, -1).tolist()
    hover, texts = [], []
    for layer, head, value in zip(layers, columns, values.ravel().tolist(), strict=True):
        signed = scales.with_sign(value, digits + 1)
        hover.append(say(f"direct.hover_{key}", layer=layer + 1, head=head + 1, value=signed))
        texts.append(scales.with_sign(value, 1 if abs(value) >= 10 else 2) if cell >= _NUMBERED else "")
    inks = [ink_on(shade(theme.diverging, share)) for share in np.ravel(shares).tolist()]
    figure.add_trace(marks.cells(values, "", x=x, hoverinfo="skip"))
    figure.add_traces(marks.points(x[columns], layers, texts, inks, theme, labels.hover("%{customdata}"), hover))


def _notes(contributions: DirectContributions, names: dict[str, str], say: Translator) -> str:
    sums = {"heads": contributions.heads.sum(), "feedforward": contributions.feedforward.sum()}
    sums |= {name: getattr(contributions, name) for name in ("embedding", "biases", "difference")}
    values = {name: scales.with_sign(float(value), 2) for name, value in sums.items()}
    return f"{say('direct.colours', **names)}<br>{say('direct.sums', **values)}"
