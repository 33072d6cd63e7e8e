"""Reliability diagram: accuracy against confidence."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records import Calibration
from viz_core.rendering import frame, labels
from viz_core.rendering.theme import Theme

HEIGHT = 0.62  # of the plot area, as a share of the theme's side
_MIN_DOT, _MAX_DOT = 6, 20  # diameter of a dot in px; it grows with the root of the number of inputs


def calibration_curve(calibration: Calibration, say: Translator, theme: Theme) -> go.Figure:
    """A dot per bin: mean confidence against accuracy with its interval; on the diagonal they are equal.

    Raises ValueError where the arrays differ in length or no bin holds an input.
    """
    lengths = {len(values) for values in vars(calibration).values()}
    filled = np.asarray(calibration.count) > 0
    if len(lengths) != 1 or not filled.any():
        raise ValueError(f"bins of {sorted(lengths)} values, {int(filled.sum())} of them with inputs")
    figure = go.Figure([_diagonal(theme), _dots(calibration, filled, say, theme)])
    figure.update_xaxes(
        title=dict(text=say("health.confidence")),
        range=[_lowest(calibration, filled), 1.01],
        tickformat=".0%",
        showline=True,
        nticks=7,
    )
    figure.update_yaxes(
        title=dict(text=say("health.accuracy")),
        range=[0, 1.02],
        tickformat=".0%",
        showgrid=True,
        gridcolor=theme.line,
        nticks=7,
        ticklabelstandoff=frame.STANDOFF,
    )
    figure.update_layout(showlegend=False)
    frame.lay_out(
        figure,
        theme,
        say("health.calibration"),
        say("health.calibration_note", n=int(np.asarray(calibration.count).sum())),
        width=theme.side,
        plot_height=theme.side * HEIGHT,
        left=frame.margin(theme, frame.number_room(theme), title=True),
        below=frame.axis_below(theme, title=True),
    )
    return figure


def _lowest(calibration: Calibration, filled: np.ndarray) -> float:
    """Start of the x axis: the confidence in the likelier of two classes is never below 50%."""
    return 0.48 if np.asarray(calibration.confidence)[filled].min() >= 0.5 else -0.01


def _diagonal(theme: Theme) -> go.Scatter:
    return go.Scatter(
        x=[0, 1], y=[0, 1], mode="lines", hoverinfo="skip", line=dict(color=theme.muted, width=1, dash="dash")
    )


def _dots(calibration: Calibration, filled: np.ndarray, say: Translator, theme: Theme) -> go.Scatter:
    confidence, accuracy, low, high, count = (
        np.asarray(getattr(calibration, name), float)[filled]
        for name in ("confidence", "accuracy", "low", "high", "count")
    )
    hover = say(
        "health.hover_calibration",
        confidence="%{x:.1%}",
        accuracy="%{y:.1%}",
        low="%{customdata[0]:.1%}",
        high="%{customdata[1]:.1%}",
        count="%{customdata[2]:,}",
    )
    return go.Scatter(
        x=confidence,
        y=accuracy,
        mode="markers",  # a line would join bins of very few inputs as if they were a trend
        customdata=np.stack([low, high, count], axis=1),
        hovertemplate=labels.hover(hover),
        cliponaxis=False,
        error_y=dict(
            type="data",
            symmetric=False,
            array=high - accuracy,
            arrayminus=accuracy - low,
            color=theme.accent,
            thickness=1.5,
            width=0,
        ),
        marker=dict(
            color=theme.accent,
            opacity=1,
            line=dict(color=theme.background, width=1),
            size=_MIN_DOT + (_MAX_DOT - _MIN_DOT) * np.sqrt(count / count.max()),
        ),
    )
