"""Whether methods rank the same tokens high: Kendall's tau of each pair, as a small matrix."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records import Agreement, Message
from viz_core.rendering import frame, labels
from viz_core.rendering.theme import Theme, colourscale, ink_on, shade

CELL = 5.2  # width of a cell, in heights of the text
HEIGHT = 0.62  # of a cell, as a share of its width
LEAST = 0.72  # width of the figure, as a share of the theme's side: the note above has to fit
NAME = 13  # columns of a method's name, before it goes on in another line


def agreement_matrix(agreement: Agreement, note: Message, say: Translator, theme: Theme) -> go.Figure:
    """A cell per pair of methods with its tau, coloured around 0, and the 95 % interval below the number and in the hover.

    note: what the interval was drawn from. Raises ValueError where the matrices do not fit the methods.
    """
    count = len(agreement.methods)
    for matrix in (agreement.tau, agreement.low, agreement.high):
        if matrix.shape != (count, count) or count < 2:
            raise ValueError(f"{count} methods, against a matrix of shape {matrix.shape}")
    below = np.tril_indices(count, -1)
    tau = np.full((count, count), np.nan)
    tau[below] = agreement.tau[below]
    tau = tau[1:, :-1]  # each pair once
    names = ["<br>".join(labels.wrap(say(f"attribution.{method}"), NAME)) for method in agreement.methods]
    figure = go.Figure([_cells(agreement, tau, names, say, theme), _numbers(agreement, below, theme)])
    places, cell = list(range(count - 1)), theme.text * CELL
    figure.update_xaxes(tickvals=places, ticktext=names[:-1], range=[-0.5, count - 1.5], tickangle=0)
    figure.update_yaxes(
        tickvals=places, ticktext=names[1:], range=[count - 1.5, -0.5], ticklabelstandoff=frame.STANDOFF
    )
    figure.update_layout(showlegend=False)
    frame.lay_out(
        figure,
        theme,
        say("attribution.agreement"),
        say(note),
        plot_width=cell * len(places),
        plot_height=cell * HEIGHT * len(places),
        least_width=theme.side * LEAST,
        left=frame.margin(theme, frame.tick_room(names[1:], theme.small)),
        below=frame.axis_below(theme, names[:-1]),
    )
    return figure


def _cells(agreement: Agreement, tau: np.ndarray, names: list[str], say: Translator, theme: Theme) -> go.Heatmap:
    hover = say(
        "attribution.hover_tau",
        first="%{customdata[0]}",
        second="%{customdata[1]}",
        tau="%{z:.2f}",
        low="%{customdata[2]:.2f}",
        high="%{customdata[3]:.2f}",
    )
    flat = [name.replace("<br>", " ") for name in names]
    told = [
        [
            (flat[row + 1], flat[column], agreement.low[row + 1, column], agreement.high[row + 1, column])
            for column in range(tau.shape[1])
        ]
        for row in range(tau.shape[0])
    ]
    places = list(range(len(tau)))
    return go.Heatmap(
        x=places,
        y=places,
        z=tau,
        zmin=-1,
        zmax=1,
        showscale=False,
        xgap=2,
        ygap=2,
        customdata=told,
        hoverongaps=False,
        hovertemplate=labels.hover(hover),
        colorscale=colourscale(theme.diverging),
    )


def _numbers(agreement: Agreement, below: tuple[np.ndarray, np.ndarray], theme: Theme) -> go.Scatter:
    texts, inks = [], []
    for row, column in zip(*below, strict=True):
        tau, low, high = (float(matrix[row, column]) for matrix in (agreement.tau, agreement.low, agreement.high))
        texts.append(
            f"<b>{tau:.2f}</b><br><span style='font-size:{theme.small - 1}px'>{low:.2f} … {high:.2f}</span>"
            if np.isfinite(tau)
            else "–"
        )
        inks.append(ink_on(shade(theme.diverging, (tau + 1) / 2)) if np.isfinite(tau) else theme.muted)
    return go.Scatter(
        x=below[1],
        y=below[0] - 1,
        mode="text",
        text=texts,
        hoverinfo="skip",
        textfont=dict(size=theme.text, color=inks),
    )
