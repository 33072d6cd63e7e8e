"""Accuracy or loss as more and more heads are masked, the least important first, against random orders."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records import PruneCurve
from viz_core.rendering import frame, labels
from viz_core.rendering.checks import check_finite
from viz_core.rendering.theme import Theme

Measure = Literal["accuracy", "loss"]
HEIGHT = 0.66  # of the figure, as a share of the theme's side
_FORMATS = {"accuracy": ".1%", "loss": ".3f"}
_MIN_RANGE = {"accuracy": 0.04, "loss": 0.02}  # minimum range of the axis, so that rounding errors look flat


def prune_chart(curve: PruneCurve, measure: Measure, say: Translator, theme: Theme) -> go.Figure:
    """A line for the order by importance, a band with its mean for random orders; dashed: the majority-class baseline.

    Raises ValueError for another measure or where arrays differ in length; Failure where values are not finite.
    """
    if measure not in get_args(Measure):
        raise ValueError(f"measure {measure!r} is not one of {', '.join(get_args(Measure))}")
    masked = np.asarray(curve.masked)
    values, random = (np.asarray(getattr(curve, name), float) for name in (measure, f"random_{measure}"))
    if values.shape != masked.shape or random.shape[1:] != masked.shape or not random.size:
        raise ValueError(f"{masked.size} numbers of heads: values of shape {values.shape}, random ones {random.shape}")
    check_finite(values, random)
    figure = go.Figure([*_band(masked, random, measure, say, theme), _line(masked, values, measure, say, theme)])
    if measure == "accuracy":
        figure.add_trace(_baseline(masked, curve.majority, say, theme))
    figure.update_layout(hovermode="x unified")
    frame.lay_out(
        figure,
        theme,
        say(f"importance.prune_{measure}"),
        say("importance.prune_note", count=curve.n),
        width=theme.side,
        height=theme.side * HEIGHT,
        legend=2,
        left=frame.margin(theme, frame.number_room(theme)),
        below=frame.axis_below(theme, title=True),
    )
    figure.update_xaxes(
        title=dict(text=say("importance.prune_heads", count=int(masked[-1]))),
        range=[0, masked[-1]],
        showline=True,
        hoverformat="d",
        **(dict(dtick=1) if masked[-1] <= 12 else dict(nticks=10)),
    )
    all_values = np.concatenate([values, random.ravel(), [curve.majority] if measure == "accuracy" else []])
    padding = max(np.ptp(all_values) * 0.05, (_MIN_RANGE[measure] - np.ptp(all_values)) / 2)
    figure.update_yaxes(
        range=[all_values.min() - padding, all_values.max() + padding],
        showgrid=True,
        gridcolor=theme.line,
        gridwidth=1,
        nticks=6,
        ticklabelstandoff=frame.STANDOFF,
        tickformat=".0%" if measure == "accuracy" else ".3~f",
    )
    return figure


def _line(masked: np.ndarray, values: np.ndarray, measure: Measure, say: Translator, theme: Theme) -> go.Scatter:
    return go.Scatter(
        x=masked,
        y=values,
        mode="lines+markers",
        name=say("importance.prune_ordered"),
        cliponaxis=False,
        legendrank=1,
        line=dict(color=theme.accent, width=3),
        marker=dict(size=6, color=theme.accent),
        hovertemplate=labels.hover(say("importance.hover_ordered", value=f"%{{y:{_FORMATS[measure]}}}")),
    )


def _band(masked: np.ndarray, random: np.ndarray, measure: Measure, say: Translator, theme: Theme) -> list[go.Scatter]:
    """The range of the random orders as a band, and their mean as a dotted line."""
    edge, spec = dict(color=theme.muted, width=0), _FORMATS[measure]
    low, high = random.min(0), random.max(0)
    hover_data = [[f"{lower:{spec}}", f"{upper:{spec}}"] for lower, upper in zip(low, high, strict=True)]
    hover = say("importance.hover_random", value=f"%{{y:{spec}}}", low="%{customdata[0]}", high="%{customdata[1]}")
    return [
        go.Scatter(x=masked, y=low, mode="lines", line=edge, hoverinfo="skip", showlegend=False),
        go.Scatter(
            x=masked,
            y=high,
            mode="lines",
            line=edge,
            hoverinfo="skip",
            fill="tonexty",
            fillcolor=_translucent(theme.muted),
            legendrank=3,
            name=say("importance.prune_range", count=len(random)),
        ),
        go.Scatter(
            x=masked,
            y=random.mean(0),
            mode="lines",
            line=dict(color=theme.muted, width=2, dash="dot"),
            legendrank=2,
            name=say("importance.prune_random"),
            customdata=hover_data,
            hovertemplate=labels.hover(hover),
        ),
    ]


def _baseline(masked: np.ndarray, majority: float, say: Translator, theme: Theme) -> go.Scatter:
    name = say("importance.prune_majority", value=f"{majority:.1%}")
    return go.Scatter(
        x=masked[[0, -1]],
        y=[majority, majority],
        mode="lines",
        name=name,
        hoverinfo="skip",
        line=dict(color=theme.ink, width=1, dash="dash"),
    )


def _translucent(colour: str) -> str:
    red, green, blue = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.22)"
