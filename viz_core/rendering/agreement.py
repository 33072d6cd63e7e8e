"""Matrix of the agreement of attribution methods on the ranking of tokens (Kendall's tau)."""

import numpy as np
import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records import Agreement, Message
from viz_core.rendering import frame, labels, marks
from viz_core.rendering.theme import Theme, ink_on, shade

CELL = 5.8  # width of a cell, in font sizes
HEIGHT = 0.56  # of a cell, as a share of its width
MIN_WIDTH = 0.72  # of the figure, as a share of the theme's side: the subtitle has to fit
NAME_COLUMNS = 13  # a longer name of a method is wrapped


def agreement_matrix(agreement: Agreement, note: Message, say: Translator, theme: Theme) -> go.Figure:
    """Matrix with a cell per pair of methods: tau with its 95% interval, darker with more agreement.

    At 0 and below, where rankings are unrelated or opposed, cells have the colour of the page.

    Args:
        note: What the interval was computed from.

    Raises:
        ValueError: If matrices and methods do not match.
    """
    count = len(agreement.methods)
    for matrix in (agreement.tau, agreement.low, agreement.high):
        if matrix.shape != (count, count) or count < 2:
            raise ValueError(
                f"{count} methods, against a matrix of shape {matrix.shape}: at least 2, with a row and a column each"
            )
    below = np.tril_indices(count, -1)
    tau = np.full((count, count), np.nan)
    tau[below] = agreement.tau[below]
    tau = tau[1:, :-1]  # each pair once
    names = ["<br>".join(labels.wrap(say(f"attribution.{method}"), NAME_COLUMNS)) for method in agreement.methods]
    figure = go.Figure([_cells(agreement, tau, names, say, theme), _numbers(agreement, below, theme)])
    positions, cell = list(range(count - 1)), theme.text * CELL
    figure.update_xaxes(tickvals=positions, ticktext=names[:-1], range=[-0.5, count - 1.5], tickangle=0)
    standoff = dict(ticklabelstandoff=frame.STANDOFF)
    figure.update_yaxes(tickvals=positions, ticktext=names[1:], range=[count - 1.5, -0.5], **standoff)
    figure.update_layout(showlegend=False)
    frame.lay_out(
        figure,
        theme,
        say("attribution.agreement"),
        say(note),
        plot_width=cell * len(positions),
        plot_height=cell * HEIGHT * len(positions),
        min_width=theme.side * MIN_WIDTH,
    )
    return figure


def _cells(agreement: Agreement, tau: np.ndarray, names: list[str], say: Translator, theme: Theme) -> go.Heatmap:
    columns = ("first", "second", "low:.2f", "high:.2f")
    hover = labels.hover_sentence(say, "attribution.hover_tau", *columns, tau="%{z:.2f}")
    flat = [name.replace("<br>", " ") for name in names]
    hover_data = [
        [
            (flat[row + 1], flat[column], agreement.low[row + 1, column], agreement.high[row + 1, column])
            for column in range(tau.shape[1])
        ]
        for row in range(tau.shape[0])
    ]
    return marks.cells(tau, hover, 2, theme.neutral, customdata=hover_data, hoverongaps=False)


def _numbers(agreement: Agreement, below: tuple[np.ndarray, np.ndarray], theme: Theme) -> go.Scatter:
    texts, inks = [], []
    for row, column in zip(*below, strict=True):
        tau, low, high = (float(matrix[row, column]) for matrix in (agreement.tau, agreement.low, agreement.high))
        texts.append(
            f"<b>{tau:.2f}</b><br><span style='font-size:{theme.small - 1}px'>{low:.2f} … {high:.2f}</span>"
            if np.isfinite(tau)
            else "–"
        )
        inks.append(ink_on(shade(theme.neutral, tau)) if np.isfinite(tau) else theme.muted)
    font = dict(size=theme.text, color=inks)
    return go.Scatter(x=below[1], y=below[0] - 1, mode="text", text=texts, hoverinfo="skip", textfont=font)
