"""Reliability diagram: accuracy against confidence."""

import numpy as np
import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records import Calibration
from viz_core.rendering import frame, labels, marks
from viz_core.rendering.theme import Theme

HEIGHT = 0.62  # of the plot area, as a share of the theme's side
_MIN_DOT, _MAX_DOT = 6, 20  # diameter of a dot in px; it grows with the root of the number of inputs


def calibration_curve(calibration: Calibration, say: Translator, theme: Theme) -> go.Figure:
    """Reliability diagram with a dot per bin: mean confidence against accuracy with its interval.

    On the diagonal they are equal.

    Raises:
        ValueError: If the arrays differ in length or no bin holds an input.
    """
    lengths = {len(values) for values in vars(calibration).values()}
    filled = np.asarray(calibration.count) > 0
    if len(lengths) != 1 or not filled.any():
        raise ValueError(
            f"bins of {sorted(lengths)} values, {int(filled.sum())} of them with inputs: the lengths must be equal"
        )
    diagonal = marks.line([0, 1], [0, 1], color=theme.muted, width=1, dash="dash")
    figure = go.Figure([diagonal, _dots(calibration, filled, say, theme)])
    axis = dict(tickformat=".0%", nticks=7)
    # The confidence in the likelier of two classes is never below 50%.
    lowest = 0.48 if np.asarray(calibration.confidence)[filled].min() >= 0.5 else -0.01
    figure.update_xaxes(**axis, title_text=say("health.confidence"), range=[lowest, 1.01], showline=True)
    figure.update_yaxes(**axis, title_text=say("health.accuracy"), range=[0, 1.02], **frame.grid(theme))
    figure.update_layout(showlegend=False)
    note = say("health.calibration_note", n=int(np.asarray(calibration.count).sum()))
    size = dict(width=theme.side, plot_height=theme.side * HEIGHT)
    frame.lay_out(figure, theme, say("health.calibration"), note, **size)
    return figure


def _dots(calibration: Calibration, filled: np.ndarray, say: Translator, theme: Theme) -> go.Scatter:
    confidence, accuracy, low, high, count = (
        np.asarray(getattr(calibration, name), float)[filled]
        for name in ("confidence", "accuracy", "low", "high", "count")
    )
    columns = ("low:.1%", "high:.1%", "count:,")
    values = dict(confidence="%{x:.1%}", accuracy="%{y:.1%}")
    hover = labels.hover_sentence(say, "health.hover_calibration", *columns, **values)
    sizes = _MIN_DOT + (_MAX_DOT - _MIN_DOT) * np.sqrt(count / count.max())
    edge = dict(color=theme.background, width=1)
    # No line, which would join bins of very few inputs as if they were a trend.
    data = np.stack([low, high, count], axis=1)
    dots = marks.dots(confidence, accuracy, hover, data, color=theme.accent, opacity=1, line=edge, size=sizes)
    return dots.update(error_y=marks.interval(accuracy, low, high, theme.accent, thickness=1.5))
