"""Predictions for tokens in random order, without position embeddings, and with both changes."""

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from viz_core.language import Translator
from viz_core.records import ORDERS, OrderAccuracy, OrderEffects
from viz_core.rendering import frame, labels, marks
from viz_core.rendering.checks import check_finite
from viz_core.rendering.intervals import interval_dots, lay_out_rows
from viz_core.rendering.probabilities import percent
from viz_core.rendering.theme import Theme

ROW = 1.7  # height of a row, in rows of the theme
CELL = 2.6  # side of a head, in font sizes of the text
PADDING = 0.12  # on both sides of an axis, as a share of its range
FAR = 3  # a majority baseline farther away than this many ranges of the intervals is outside the axis


def order_probabilities(effects: OrderEffects, tracked: int, say: Translator, theme: Theme) -> go.Figure:
    """Probability of a class by change: a dot per order, and their mean with its number.

    Args:
        tracked: Index of the class.

    Raises:
        ValueError: If a change is missing.
    """
    if tuple(effects.probabilities) != ORDERS:
        raise ValueError(f"changes {', '.join(effects.probabilities)}: they must be {', '.join(ORDERS)}")
    names = [say(f"positions.order_{name}") for name in ORDERS]
    values = [effects.probabilities[name][:, tracked] for name in ORDERS]
    check_finite(np.concatenate(values))
    means, notes = [float(row.mean()) for row in values], [labels.escape(percent(float(row.mean()))) for row in values]
    rows = list(range(len(ORDERS)))
    hover = labels.hover_sentence(say, "positions.hover_probability", "name", value="%{x:.1%}")
    figure = go.Figure()
    for row, (name, numbers) in enumerate(zip(names, values, strict=True)):
        at, data = np.full(len(numbers), row), [name] * len(numbers)
        figure.add_trace(marks.dots(numbers, at, hover, data, color=theme.accent, size=9, opacity=0.45))
    tick = dict(color=theme.ink, size=16, symbol="line-ns-open", line=dict(width=2.5))
    figure.add_trace(marks.dots(means, rows, **tick))
    figure.update_xaxes(range=(0, 1), tickformat=".0%", title_text=say("positions.probability"))
    label = say(f"rendering.label_{effects.labels[tracked]}")
    title = say("positions.probabilities", label=labels.escape(label))
    note = say("positions.probabilities_note", count=len(effects.probabilities["shuffled"]))
    lay_out_rows(figure, theme, title, note, names, notes, rows, theme.row * ROW)
    return figure


def order_attention(effects: OrderEffects, say: Translator, theme: Theme) -> go.Figure:
    """Tables of layers × heads by change: how much attention moves to other tokens, coloured and numbered."""
    names = list(effects.attention_change)
    layers, heads = effects.attention_change[names[0]].shape
    side, gap = theme.text * CELL, theme.text * 2
    titles = [say(f"positions.order_{name}") for name in names]
    side = max(side, frame.tick_room(titles, theme.text) / heads)
    width = len(names) * heads * side + (len(names) - 1) * gap
    figure = make_subplots(1, len(names), subplot_titles=titles, shared_yaxes=True, horizontal_spacing=gap / width)
    for column, name in enumerate(names, 1):
        change = effects.attention_change[name]
        check_finite(change)
        figure.add_traces(_heads(change, say, theme), 1, column)
    height = max(layers * CELL, 8) * theme.text
    figure.layout.coloraxis = frame.colour_axis(theme.sequential, 0, 1, frame.colour_bar(theme, height))
    figure.update_annotations(font=dict(size=theme.text))
    figure.update_xaxes(tickvals=list(range(heads)), ticktext=[str(head + 1) for head in range(heads)])
    figure.update_yaxes(tickvals=list(range(layers)), ticktext=[str(layer + 1) for layer in range(layers)])
    figure.update_yaxes(ticklabelstandoff=frame.STANDOFF, range=(layers - 0.5, -0.5))
    figure.update_xaxes(title_text=say("positions.head"))
    figure.update_yaxes(title_text=say("positions.layer"), col=1)
    frame.lay_out(
        figure,
        theme,
        say("positions.attention"),
        say("positions.attention_note"),
        plot_width=width,
        plot_height=height,
        above=frame.headings_height(theme, titles),
        left=frame.margin(theme, frame.number_room(theme, 2), title=True),
    )
    return figure


def _heads(change: np.ndarray, say: Translator, theme: Theme) -> list[go.Heatmap | go.Scatter]:
    rows, columns = np.indices(change.shape)
    texts = [f"{value:.2f}" for value in change.ravel()]
    hover = labels.hover_sentence(say, "positions.hover_attention", "layer", "head", value="%{z:.2f}")
    return [
        marks.cells(change, hover, customdata=np.stack([rows + 1, columns + 1], -1)),
        marks.numbers(texts, change, theme.sequential, theme.small),
    ]


def order_accuracy_chart(result: OrderAccuracy, say: Translator, theme: Theme) -> go.Figure:
    """Accuracy by change on its 95% interval, with the change in points and the majority baseline.

    The baseline is a line, or a number if it is far from the intervals.
    """
    check_finite(result.accuracies)
    names, rows = [say(f"positions.order_{name}") for name in ORDERS], list(range(len(ORDERS)))
    notes = [f"{result.accuracies[0]:.1%}"] + [
        f"{value:.1%} ({_points(change)} [{_points(low)}, {_points(high)}])"
        for value, change, (low, high) in zip(
            result.accuracies[1:], result.changes[1:], result.change_intervals[1:], strict=True
        )
    ]
    low, high = result.intervals.T
    hover = labels.hover_sentence(say, "positions.hover_accuracy", "name", value="%{x:.1%}")
    figure = go.Figure(interval_dots(result.accuracies, low, high, rows, hover, names, theme))
    ends = [float(low.min()), float(high.max())]
    note = "accuracy_note_far"
    if abs(result.majority - result.accuracies[0]) < FAR * (ends[1] - ends[0]):  # else intervals would be invisible
        note = "accuracy_note"
        ends.append(result.majority)
        figure.add_vline(result.majority, line=dict(color=theme.muted, width=1.5, dash="dash"))
    padding = PADDING * (max(ends) - min(ends))
    figure.update_xaxes(range=(min(ends) - padding, min(max(ends) + padding, 1)), tickformat=".0%", nticks=5)
    figure.update_xaxes(title_text=say("positions.accuracy"))
    note = say(f"positions.{note}", n=result.n, seeds=len(result.seeds), majority=f"{result.majority:.1%}")
    lay_out_rows(figure, theme, say("positions.accuracies"), note, names, notes, rows, theme.row * ROW)
    return figure


def _points(change: float) -> str:
    return f"{round(100 * float(change), 1) + 0.0:+.1f}".replace("-", "−")  # adding 0.0 turns -0.0 into 0.0
