"""Redundancy of heads: every head against every other, grouped by layer."""

import numpy as np
import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records import Message
from viz_core.rendering import frame, labels, marks
from viz_core.rendering.theme import Theme


def head_redundancy(redundancy: np.ndarray, heads: int, say: Translator, theme: Theme) -> go.Figure:
    """Heat map `(N, N)` of the redundancy of N heads, `heads` per layer; lines separate the layers.

    Colours run from the smallest redundancy, rounded down to a tenth, to 1. The subtitle names the
    most and the least similar heads.

    Raises:
        ValueError: If it is not square, or N is not a multiple of `heads`.
    """
    values = np.asarray(redundancy, float)
    count = len(values)
    if values.shape != (count, count) or not count or count % heads:
        raise ValueError(f"redundancy of shape {values.shape}, with {heads} heads per layer: it must be heads × heads")
    names = [f"{number // heads + 1}.{number % heads + 1}" for number in range(count)]
    hover = labels.hover_sentence(say, "health.hover_redundancy", first="%{y}", second="%{x}", value="%{z:.3f}")
    figure = go.Figure(marks.cells(values, hover, int(count <= 24), x=names, y=names))
    side = round(theme.side * 0.75)
    tick = max(theme.small * 2, labels.text_width(names, theme.small) + theme.small * 0.4)
    step = labels.tick_step(side / count, tick)
    for axis in (figure.layout.xaxis, figure.layout.yaxis):
        axis.update(
            type="category",
            tickvals=names[::step],
            showline=True,
            mirror=True,
            tickfont_color=theme.muted,
            title_text=say("health.head"),
        )
    figure.update_xaxes(tickangle=0)
    figure.update_yaxes(autorange="reversed")
    for edge in range(heads, count, heads):
        line = dict(line_color=theme.muted, line_width=1, opacity=0.7)
        figure.add_vline(edge - 0.5, **line)
        figure.add_hline(edge - 0.5, **line)
    low = np.floor(values.min() * 10) / 10 if values.min() < 1 else 0.0
    bar = frame.colour_bar(theme, side, marks=(low, (low + 1) / 2, 1))
    figure.layout.coloraxis = frame.colour_axis(theme.sequential, low, 1, bar)
    notes = [say("health.redundancy_note")]
    if count > 1:
        notes.append(say(_extremes(values, names)))
    frame.lay_out(figure, theme, say("health.redundancy"), "<br>".join(notes), plot_width=side, plot_height=side)
    return figure


def _extremes(values: np.ndarray, names: list[str]) -> Message:
    """The most and the least similar of two or more heads."""
    first, second = np.triu_indices(len(names), 1)
    pairs = values[first, second]
    most, least = int(pairs.argmax()), int(pairs.argmin())
    return Message(
        "health.redundancy_extremes",
        {
            "high_heads": [names[first[most]], names[second[most]]],
            "high": float(pairs[most]),
            "low_heads": [names[first[least]], names[second[least]]],
            "low": float(pairs[least]),
        },
    )
