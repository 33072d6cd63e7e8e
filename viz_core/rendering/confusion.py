"""Confusion matrix: predicted against true labels, in counts and shares."""

from collections.abc import Sequence
from math import cos, radians, sin
from typing import Literal

import numpy as np
import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.rendering import frame, marks
from viz_core.rendering import labels as naming
from viz_core.rendering.theme import Theme

Split = Literal["validation", "test"]
_CELL = 10.0  # width of a cell, in font sizes
_HEIGHT = 0.6  # of a cell, as a share of its width
_MANY = 5  # from this number of classes, cells are small and show only their count
_SMALL_CELL, _SMALL_HEIGHT = 3.2, 0.85
_ANGLE = 40  # rotation in degrees of names wider than a column
_NAME = 10  # letters of a line of names beside and above few cells, so that a telephone has room for them


def confusion_matrix(
    counts: np.ndarray, labels: Sequence[str], split: Split, say: Translator, theme: Theme
) -> go.Figure:
    """Cells with a count and its share of the row, coloured by the share; with many classes only the count.

    Rows are true labels, columns predicted labels.

    Args:
        counts: `(C, C)`, `[true][predicted]`, as in `metrics.json`.
        labels: Labels of the task, in its order.
        split: The split that the counts are from.

    Raises:
        ValueError: If counts and labels do not match or a count is below 0.
    """
    counts = np.asarray(counts)
    if counts.shape != (len(labels), len(labels)) or not len(labels):
        raise ValueError(
            f"{len(labels)} labels, against counts of shape {counts.shape}: they need a row and a column for each"
        )
    if not (np.isfinite(counts).all() and (counts >= 0).all()):
        raise ValueError(f"counts are {counts.tolist()}: each must be 0 or more")
    many = len(labels) >= _MANY
    names = [naming.escape(say(f"rendering.label_{label}")) for label in labels]
    totals = counts.sum(axis=1)
    shares = counts / np.maximum(totals, 1)[:, None]
    figure = go.Figure([_cells(counts, shares, names, say, theme), _numbers(counts, shares, totals, theme)])
    ticks = names if many else [_wrapped(say(f"rendering.label_{label}")) for label in labels]
    row_names = [
        f"{name}<br>{say('rendering.confusion_rows', count=int(total))}"
        for name, total in zip(ticks, totals, strict=True)
    ]
    cell = theme.text * (_SMALL_CELL if many else _CELL)
    widest = naming.text_width(ticks, theme.text)
    angle = _ANGLE if widest > cell else 0
    _axes(figure, ticks, row_names, say, theme)
    figure.update_xaxes(tickangle=-angle)
    rise, run = widest * sin(radians(angle)), widest * cos(radians(angle))
    figure.update_layout(showlegend=False)
    frame.lay_out(
        figure,
        theme,
        say(f"rendering.confusion_{split}"),
        _subtitle(counts, names, say),
        plot_width=cell * len(names),
        plot_height=cell * (_SMALL_HEIGHT if many else _HEIGHT) * len(names),
        min_width=theme.side,
        above=frame.margin(theme, frame.ticks_height(ticks, theme.text) + rise, title=True),
        **({"right": run} if angle else {}),
    )
    return figure


def _wrapped(name: str) -> str:
    return "<br>".join(map(naming.escape, naming.wrap(name, _NAME)))


def _subtitle(counts: np.ndarray, names: Sequence[str], say: Translator) -> str:
    """How to read the matrix, or that nothing was measured or every prediction is the same."""
    predicted = counts.sum(axis=0)
    if not predicted.any():
        return say("rendering.confusion_empty")
    if len(names) > 1 and np.count_nonzero(predicted) == 1:
        return f"<b>{say('rendering.confusion_one_label', label=names[int(predicted.argmax())])}</b>"
    return say("rendering.confusion_note_many" if len(names) >= _MANY else "rendering.confusion_note")


def _cells(counts: np.ndarray, shares: np.ndarray, names: Sequence[str], say: Translator, theme: Theme) -> go.Heatmap:
    columns = ("truth", "prediction", "count:,")
    hover = naming.hover_sentence(say, "rendering.hover_confusion", *columns, percent="%{z:.1%}")
    hover_data = [
        [(truth, prediction, count) for prediction, count in zip(names, row, strict=True)]
        for truth, row in zip(names, counts.tolist(), strict=True)
    ]
    return marks.cells(shares, hover, 2, theme.sequential, customdata=hover_data)


def _numbers(counts: np.ndarray, shares: np.ndarray, totals: np.ndarray, theme: Theme) -> go.Scatter:
    texts = [
        _number(int(counts[row, column]), f"{shares[row, column]:.1%}" if totals[row] else "–", len(counts) >= _MANY)
        for row, column in np.ndindex(counts.shape)
    ]
    return marks.numbers(texts, shares, theme.sequential, theme.text)


def _number(count: int, share: str, alone: bool) -> str:
    if alone:
        return f"{count:,}" if count else ""
    return f"<b>{count:,}</b><br>{share}"


def _axes(figure: go.Figure, ticks: Sequence[str], row_names: Sequence[str], say: Translator, theme: Theme) -> None:
    start, end = -0.5, len(ticks) - 0.5
    figure.update_xaxes(side="top", tickvals=list(range(len(ticks))), ticktext=ticks, range=[start, end])
    figure.update_xaxes(tickfont_size=theme.text, title_text=say("rendering.confusion_predicted"))
    frame.name_rows(figure, theme, row_names)
    figure.update_yaxes(title_text=say("rendering.confusion_true"))
    border = dict(color=theme.line, width=1)
    figure.add_shape(type="rect", x0=start, x1=end, y0=start, y1=end, line=border)
