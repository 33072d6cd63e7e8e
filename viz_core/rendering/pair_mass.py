"""How much attention each sentence pays to the other, layer by layer."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records import PairMass
from viz_core.rendering import frame, labels
from viz_core.rendering.checks import check_finite
from viz_core.rendering.theme import FIRST, SECOND, Theme

HEIGHT = 0.6  # of the figure, as a share of the theme's side


def mass_chart(mass: PairMass, say: Translator, theme: Theme) -> go.Figure:
    """Per direction, in the hue of the query's sentence: a line for the mean, a dot per head; dashed: if uniform.

    Raises ValueError where shapes differ; Failure where numbers are not finite.
    """
    a, b = np.asarray(mass.a_to_b, float), np.asarray(mass.b_to_a, float)
    if a.shape != b.shape or a.ndim != 2 or not a.size:
        raise ValueError(f"masses of shapes {a.shape} and {b.shape}: they must share one, layers × heads")
    check_finite(a, b)
    figure, layers = go.Figure(), np.arange(1, len(a) + 1)
    for values, uniform, group, name in (
        (a, mass.uniform_a_to_b, FIRST, "pairs.a_to_b"),
        (b, mass.uniform_b_to_a, SECOND, "pairs.b_to_a"),
    ):
        figure.add_traces(
            _direction(values, uniform, layers, theme.group(group), (-1) ** (group == FIRST), say(name), say)
        )
    figure.update_layout(hovermode="closest")
    frame.lay_out(
        figure,
        theme,
        say("pairs.mass"),
        say("pairs.mass_note"),
        width=theme.side,
        height=theme.side * HEIGHT,
        legend=1,
        left=frame.margin(theme, frame.number_room(theme)),
        below=frame.axis_below(theme, title=True),
    )
    figure.update_xaxes(
        title=dict(text=say("importance.layer")), tickvals=list(layers), showline=True, range=[0.6, len(a) + 0.4]
    )
    highest = max(a.max(), b.max(), mass.uniform_a_to_b, mass.uniform_b_to_a)
    figure.update_yaxes(
        range=[0, min(1.02, highest * 1.08)],
        tickformat=".0%",
        showgrid=True,
        gridcolor=theme.line,
        nticks=6,
        ticklabelstandoff=frame.STANDOFF,
    )
    return figure


def _direction(
    values: np.ndarray, uniform: float, layers: np.ndarray, hue: str, side: int, name: str, say: Translator
) -> list[go.Scatter]:
    """side: -1 or 1; dots stand a little left or right of their layer, so that those of both directions are visible."""
    names = [f"{layer + 1}.{head + 1}" for layer, head in np.ndindex(values.shape)]
    mean = say("pairs.hover_mass", name=name, layer="%{x}", value="%{y:.1%}", uniform=f"{uniform:.1%}")
    single = say("pairs.hover_mass_head", name=name, head="%{customdata}", value="%{y:.1%}")
    return [
        go.Scatter(
            x=layers,
            y=values.mean(1),
            mode="lines+markers",
            name=name,
            line=dict(color=hue, width=3),
            marker=dict(size=8, color=hue),
            hovertemplate=labels.hover(mean),
            cliponaxis=False,
        ),
        go.Scatter(
            x=np.repeat(layers, values.shape[1]) + 0.1 * side,
            y=values.ravel(),
            mode="markers",
            showlegend=False,
            customdata=names,
            marker=dict(size=7, color=hue, opacity=0.45),
            cliponaxis=False,
            hovertemplate=labels.hover(single),
        ),
        go.Scatter(
            x=[0.6, len(values) + 0.4],
            y=[uniform, uniform],
            mode="lines",
            showlegend=False,
            hoverinfo="skip",
            line=dict(color=hue, width=1.5, dash="dash"),
        ),
    ]
