"""What a model answered for every true label, in counts and shares: one that always answers the same stands out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.rendering import labels as naming
from viz_core.rendering.theme import Theme, colourscale, ink_on, shade, template

_CELL = 10.0  # width of a cell, in heights of the text


def confusion_matrix(counts: np.ndarray, labels: Sequence[str], say: Translator, theme: Theme) -> go.Figure:
    """Cells with a count and the share of their row, coloured by that share. Rows: truth; columns: answers.

    counts: `(C, C)`, `[truth][answer]`, as in `metrics.json`. labels: of the task, in its order. Raises ValueError
    where they do not match or a count is below 0.
    """
    counts = np.asarray(counts)
    if counts.shape != (len(labels), len(labels)) or not len(labels):
        raise ValueError(f"{len(labels)} labels, against counts of shape {counts.shape}")
    if not (np.isfinite(counts).all() and (counts >= 0).all()):
        raise ValueError(f"counts are {counts.tolist()}: each must be 0 or more")
    names = [naming.escape(say(f"rendering.label_{label}")) for label in labels]
    totals = counts.sum(axis=1)
    shares = counts / np.maximum(totals, 1)[:, None]
    figure = go.Figure([_cells(counts, shares, names, say, theme), _numbers(counts, shares, totals, theme)])
    figure.update_layout(template=template(theme), showlegend=False, title=dict(
        text=say("rendering.confusion"), subtitle=dict(text=_subtitle(counts, names, say))))
    _axes(figure, names, totals, say, theme)
    return figure


def _subtitle(counts: np.ndarray, names: Sequence[str], say: Translator) -> str:
    """The one thing to know: nothing was measured, always the same answer, or how to read it."""
    answers = counts.sum(axis=0)
    if not answers.any():
        return say("rendering.confusion_empty")
    if len(names) > 1 and np.count_nonzero(answers) == 1:
        return f"<b>{say('rendering.confusion_one_answer', label=names[int(answers.argmax())])}</b>"
    return say("rendering.confusion_note")


def _cells(counts: np.ndarray, shares: np.ndarray, names: Sequence[str], say: Translator, theme: Theme) -> go.Heatmap:
    hover = say("rendering.hover_confusion", truth="%{customdata[0]}", answer="%{customdata[1]}",
                count="%{customdata[2]:,}", percent="%{z:.1%}")
    told = [[(truth, answer, count) for answer, count in zip(names, row, strict=True)]
            for truth, row in zip(names, counts.tolist(), strict=True)]
    return go.Heatmap(
        x=list(range(len(names))), y=list(range(len(names))), z=shares, zmin=0, zmax=1, showscale=False, xgap=2, ygap=2,
        colorscale=colourscale(theme.sequential), customdata=told, hovertemplate=f"{hover}<extra></extra>")


def _numbers(counts: np.ndarray, shares: np.ndarray, totals: np.ndarray, theme: Theme) -> go.Scatter:
    rows, columns = np.indices(counts.shape).reshape(2, -1)
    texts = [f"<b>{counts[row, column]:,}</b><br>" + (f"{shares[row, column]:.1%}" if totals[row] else "–")
             for row, column in zip(rows, columns, strict=True)]
    inks = [ink_on(shade(theme.sequential, shares[row, column])) for row, column in zip(rows, columns, strict=True)]
    return go.Scatter(x=columns, y=rows, mode="text", text=texts, hoverinfo="skip",
                      textfont=dict(size=theme.text, color=inks))


def _axes(figure: go.Figure, names: Sequence[str], totals: np.ndarray, say: Translator, theme: Theme) -> None:
    count, places = len(names), list(range(len(names)))
    truths = [f"{name}<br>{say('rendering.confusion_rows', count=int(total))}"
              for name, total in zip(names, totals, strict=True)]
    widest = max(naming.columns(line) for text in truths for line in text.split("<br>"))
    left = widest * theme.text * naming.COLUMN + theme.text * 3.5
    above = theme.title * 2.3 + theme.small * 1.6 + theme.text * 4.6
    cell = theme.text * _CELL
    figure.update_xaxes(
        side="top", tickvals=places, ticktext=names, range=[-0.5, count - 0.5], tickfont=dict(size=theme.text),
        title=dict(text=say("rendering.confusion_answer"), standoff=8))
    figure.update_yaxes(
        tickvals=places, ticktext=truths, range=[count - 0.5, -0.5], tickfont=dict(size=theme.text),
        ticklabelstandoff=8, title=dict(text=say("rendering.confusion_truth"), standoff=8))
    figure.add_shape(type="rect", x0=-0.5, x1=count - 0.5, y0=-0.5, y1=count - 0.5,
                     line=dict(color=theme.line, width=1))
    figure.update_layout(
        width=max(round(left + cell * count + theme.text * 2), theme.side),
        height=round(above + cell * 0.6 * count + theme.text),
        margin=dict(l=round(left), t=round(above), b=theme.text, autoexpand=False,
                    r=max(theme.text * 2, round(theme.side - left - cell * count))))
