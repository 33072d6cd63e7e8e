"""Accuracy or loss as more and more heads are masked, the least important first, against random orders."""

from typing import Literal, get_args

import numpy as np
import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records import PruneCurve
from viz_core.rendering import frame, labels, marks
from viz_core.rendering.checks import check_finite
from viz_core.rendering.theme import Theme

Measure = Literal["accuracy", "loss"]
BAND = 0.22  # opacity of the range of the random orders
HEIGHT = 0.66  # of the figure, as a share of the theme's side
_FORMATS = {"accuracy": ".1%", "loss": ".3f"}
_MIN_RANGE = {"accuracy": 0.04, "loss": 0.02}  # minimum range of the axis, so that rounding errors look flat


def prune_chart(curve: PruneCurve, measure: Measure, say: Translator, theme: Theme) -> go.Figure:
    """Line for the order by importance, and a band with its mean for random orders.

    The dashed line is the majority-class baseline.

    Raises:
        ValueError: For another measure, or if arrays differ in length.
        Failure: If values are not finite.
    """
    if measure not in get_args(Measure):
        raise ValueError(f"measure {measure!r} is not one of {', '.join(get_args(Measure))}")
    masked = np.asarray(curve.masked)
    values, random = (np.asarray(getattr(curve, name), float) for name in (measure, f"random_{measure}"))
    if values.shape != masked.shape or random.shape[1:] != masked.shape or not random.size:
        raise ValueError(
            f"{masked.size} numbers of heads: values of shape {values.shape}, random ones {random.shape}; "
            "each number needs one"
        )
    check_finite(values, random)
    figure = go.Figure([*_band(masked, random, measure, say, theme), _line(masked, values, measure, say, theme)])
    if measure == "accuracy":
        figure.add_trace(_baseline(masked, curve.majority, say, theme))
    figure.update_layout(hovermode="x unified")
    figure.update_xaxes(
        title_text=say("importance.prune_heads", count=int(masked[-1])),
        range=[0, masked[-1]],
        showline=True,
        hoverformat="d",
        **(dict(dtick=1) if masked[-1] <= 12 else dict(nticks=10)),
    )
    all_values = np.concatenate([values, random.ravel(), [curve.majority] if measure == "accuracy" else []])
    padding = max(np.ptp(all_values) * 0.05, (_MIN_RANGE[measure] - np.ptp(all_values)) / 2)
    y_range = [all_values.min() - padding, all_values.max() + padding]
    form = ".0%" if measure == "accuracy" else ".3~f"
    figure.update_yaxes(**frame.grid(theme), range=y_range, nticks=6, tickformat=form)
    title, note = say(f"importance.prune_{measure}"), say("importance.prune_note", count=curve.n)
    frame.lay_out(figure, theme, title, note, width=theme.side, height=theme.side * HEIGHT, legend=2)
    return figure


def _line(masked: np.ndarray, values: np.ndarray, measure: Measure, say: Translator, theme: Theme) -> go.Scatter:
    hover = labels.hover_sentence(say, "importance.hover_ordered", value=f"%{{y:{_FORMATS[measure]}}}")
    return marks.line(masked, values, hover, color=theme.accent, width=3).update(
        mode="lines+markers",
        name=say("importance.prune_ordered"),
        cliponaxis=False,
        legendrank=1,
        marker=dict(size=6, color=theme.accent),
    )


def _band(masked: np.ndarray, random: np.ndarray, measure: Measure, say: Translator, theme: Theme) -> list[go.Scatter]:
    """Range of the random orders as a band, and their mean as a dotted line."""
    spec = _FORMATS[measure]
    low, high = random.min(0), random.max(0)
    hover_data = [[f"{lower:{spec}}", f"{upper:{spec}}"] for lower, upper in zip(low, high, strict=True)]
    hover = labels.hover_sentence(say, "importance.hover_random", "low", "high", value=f"%{{y:{spec}}}")
    lower, upper = marks.band(masked, low, high, theme.muted, BAND)
    upper.update(showlegend=True, legendrank=3, name=say("importance.prune_range", count=len(random)))
    mean = marks.line(masked, random.mean(0), hover, color=theme.muted, width=2, dash="dot")
    return [lower, upper, mean.update(legendrank=2, name=say("importance.prune_random"), customdata=hover_data)]


def _baseline(masked: np.ndarray, majority: float, say: Translator, theme: Theme) -> go.Scatter:
    line = marks.line(masked[[0, -1]], [majority, majority], color=theme.ink, width=1, dash="dash")
    return line.update(name=say("importance.prune_majority", value=f"{majority:.1%}"))
