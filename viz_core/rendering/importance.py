"""What the answers lose without each head: one square of layers × heads, which may be clicked."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records import HeadImportance
from viz_core.rendering import frame, labels, scales
from viz_core.rendering.checks import check_finite
from viz_core.rendering.theme import Theme, colourscale, ink_on, shade

Measure = Literal["accuracy", "loss", "taylor"]
_WIDEST, _HIGHEST = 96, 46  # px of a cell: four heads make no poster
_SHORTEST_BAR = 7  # in heights of the text: two layers are too low for the numbers on it
_LEAST_WIDTH = 0.75  # of the figure, as a share of the theme's side: its note has to fit
_NUMBERED = 38  # px: a narrower cell has no room for its number
_LEAST = {
    "accuracy": 0.5,
    "loss": 0.005,
}  # full colour means at least this much: rounding errors stay as pale as they are
_CERTAIN = "*"  # after a number whose interval excludes 0


def head_importance(
    importance: HeadImportance, measure: Measure, say: Translator, theme: Theme, marked: tuple[int, int] | None = None
) -> go.Figure:
    """A heat map, rows: layers, columns: heads, from 1. What is worse without the head is rose, for accuracy and for loss.

    measure: change of `accuracy` (percentage points) or of `loss` (nats) where the head is masked, with a star where the
    interval excludes 0; or the `taylor` score, in its layer. marked: layer and head from 0 that get a frame. Each cell is a
    point with x head and y layer, for who wants to know where it was clicked. Raises ValueError for another measure or where
    shapes differ; Failure where numbers are not finite.
    """
    values, low, high = _values(importance, measure)
    check_finite(values)
    layers, heads = values.shape
    left = frame.margin(theme, frame.number_room(theme, columns=2), title=True)
    right, below = frame.bar_room(theme), frame.axis_below(theme, title=True)
    width = min((theme.side - left - right) / heads, _WIDEST * theme.text / 14)
    height = min(max(width, theme.text * 1.8), _HIGHEST * theme.text / 14)
    stops = {"accuracy": theme.diverging, "loss": theme.diverging[::-1], "taylor": theme.sequential}[measure]
    largest = 1.0 if measure == "taylor" else max(float(np.abs(values).max()), _LEAST[measure])
    bounds = (0.0 if measure == "taylor" else -largest, largest)
    legend = max(layers * height, theme.text * _SHORTEST_BAR)
    figure = go.Figure(
        [
            _cells(values, stops, bounds, measure, legend, say, theme),
            *_points(importance, values, low, high, stops, bounds, measure, width, say, theme),
        ]
    )
    figure.update_layout(showlegend=False, hovermode="closest", clickmode="event+select", dragmode=False)
    frame.lay_out(
        figure,
        theme,
        say(f"importance.map_{measure}"),
        say(f"importance.map_{measure}_note"),
        plot_width=heads * width,
        plot_height=layers * height,
        least_width=theme.side * _LEAST_WIDTH,
        left=left,
        right=right,
        below=max(below, legend - layers * height),
    )
    _axes(figure, layers, heads, width, say, theme)
    if marked:
        layer, head = marked
        figure.add_shape(
            type="rect",
            x0=head + 0.5,
            x1=head + 1.5,
            y0=layer + 0.5,
            y1=layer + 1.5,
            line=dict(color=theme.ink, width=2.5),
        )
    return figure


def _values(importance: HeadImportance, measure: Measure) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What is drawn, `(L, H)`, and its interval. Accuracy in percentage points."""
    if measure not in get_args(Measure):
        raise ValueError(f"measure {measure!r} is not one of {', '.join(get_args(Measure))}")
    if measure == "taylor":
        values = np.asarray(importance.taylor_per_layer, float)
        low = high = values
    else:
        factor = 100 if measure == "accuracy" else 1
        values = np.asarray(getattr(importance, f"{measure}_change"), float) * factor
        interval = np.asarray(getattr(importance, f"{measure}_interval"), float) * factor
        if interval.shape != (*values.shape, 2):
            raise ValueError(f"changes of shape {values.shape}, against intervals of shape {interval.shape}")
        low, high = interval[..., 0], interval[..., 1]
    if values.ndim != 2 or not values.size:
        raise ValueError(f"numbers of shape {values.shape}: they must be layers × heads")
    return values, low, high


def _cells(
    values: np.ndarray,
    stops: tuple[str, ...],
    bounds: tuple[float, float],
    measure: Measure,
    legend: float,
    say: Translator,
    theme: Theme,
) -> go.Heatmap:
    # On a legend of two layers only its ends and 0 have room.
    marks = scales.ticks(*bounds, "linear") if legend > theme.text * 10 else sorted({bounds[0], 0.0, bounds[1]})
    texts = [(f"{mark:+.2g}" if bounds[0] < 0 and mark else f"{mark:.2g}").replace("-", "−") for mark in marks]
    return go.Heatmap(
        x=list(range(1, values.shape[1] + 1)),
        y=list(range(1, values.shape[0] + 1)),
        z=values,
        zmin=bounds[0],
        zmax=bounds[1],
        colorscale=colourscale(stops),
        xgap=2,
        ygap=2,
        hoverinfo="skip",
        colorbar=frame.colour_bar(theme, legend, say(f"importance.unit_{measure}"), marks, texts),
    )


def _points(
    importance: HeadImportance,
    values: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    stops: tuple[str, ...],
    bounds: tuple[float, float],
    measure: Measure,
    width: float,
    say: Translator,
    theme: Theme,
) -> list[go.Scatter]:
    """A point in the middle of every cell, with its number and what the hover says: a heat map cannot be clicked.

    One trace for each ink: a selection would fade the others, unless told of one colour for all.
    """
    certain = (low > 0) | (high < 0) if measure != "taylor" else np.zeros(values.shape, bool)
    inks = np.array(
        [[ink_on(shade(stops, place)) for place in row] for row in (values - bounds[0]) / (bounds[1] - bounds[0])]
    )
    decimals = {"accuracy": 1, "taylor": 2}.get(measure, max(2, scales.digits(bounds[1])))
    traces = []
    for ink in np.unique(inks):
        at = [(layer, head) for layer, head in np.ndindex(values.shape) if inks[layer, head] == ink]
        texts = []
        for place in at:
            number = f"{values[place]:.2f}" if measure == "taylor" else _signed(values[place], decimals)
            star = _CERTAIN if certain[place] and float(number.replace("−", "-")) else ""
            texts.append(number + star if width >= _NUMBERED * theme.text / 14 else star)
        told = [
            [
                _said(importance.taylor[place] if measure == "taylor" else values[place], decimals, measure),
                _signed(low[place], decimals + 1),
                _signed(high[place], decimals + 1),
                f"{values[place]:.2f}",
            ]
            for place in at
        ]
        hover = say(
            f"importance.hover_{measure}",
            head="%{y}.%{x}",
            value="%{customdata[0]}",
            low="%{customdata[1]}",
            high="%{customdata[2]}",
            share="%{customdata[3]}",
        )
        unchanged = dict(textfont=dict(color=str(ink)))
        traces.append(
            go.Scatter(
                x=[head + 1 for _, head in at],
                y=[layer + 1 for layer, _ in at],
                mode="markers+text",
                text=texts,
                marker=dict(symbol="square", size=theme.text * 2, opacity=0),
                textfont=dict(size=theme.small, color=str(ink)),
                selected=dict(marker=dict(opacity=0), **unchanged),
                unselected=dict(marker=dict(opacity=0), **unchanged),
                customdata=told,
                hovertemplate=labels.hover(hover),
            )
        )
    return traces


def _signed(value: float, decimals: int) -> str:
    """With its sign, a true minus; what rounds to 0 has none."""
    text = f"{value:+.{decimals}f}"
    return text[1:] if float(text) == 0 else text.replace("-", "−")


def _said(value: float, decimals: int, measure: Measure) -> str:
    return f"{value:.3g}" if measure == "taylor" else _signed(value, decimals + 1)


def _axes(figure: go.Figure, layers: int, heads: int, width: float, say: Translator, theme: Theme) -> None:
    step = 1 if width >= theme.small * 1.8 else 2
    figure.update_xaxes(
        title=dict(text=say("importance.head")),
        tickvals=list(range(1, heads + 1, step)),
        range=[0.5, heads + 0.5],
        fixedrange=True,
        showline=True,
        mirror=True,
    )
    figure.update_yaxes(
        title=dict(text=say("importance.layer")),
        tickvals=list(range(1, layers + 1)),
        range=[layers + 0.5, 0.5],
        fixedrange=True,
        showline=True,
        mirror=True,
    )
