"""How much attention each sentence pays to the other, layer by layer."""

import numpy as np
import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records import PairMass
from viz_core.rendering import frame, labels, marks
from viz_core.rendering.checks import check_finite
from viz_core.rendering.theme import FIRST, SECOND, Theme

HEIGHT = 0.6  # of the figure, as a share of the theme's side


def mass_chart(mass: PairMass, say: Translator, theme: Theme) -> go.Figure:
    """Attention between the sentences by layer: a line for the mean, a dot per head.

    Each direction has the hue of the query's sentence; dashed lines show uniform attention.

    Raises:
        ValueError: If shapes differ.
        Failure: If numbers are not finite.
    """
    a, b = np.asarray(mass.a_to_b, float), np.asarray(mass.b_to_a, float)
    if a.shape != b.shape or a.ndim != 2 or not a.size:
        raise ValueError(f"masses of shapes {a.shape} and {b.shape}: they must share one, layers × heads")
    check_finite(a, b)
    layers, span = np.arange(1, len(a) + 1), [0.6, len(a) + 0.4]
    figure = go.Figure(
        [
            *_direction(a, mass.uniform_a_to_b, layers, span, theme.group(FIRST), -0.1, say("pairs.a_to_b"), say),
            *_direction(b, mass.uniform_b_to_a, layers, span, theme.group(SECOND), 0.1, say("pairs.b_to_a"), say),
        ]
    )
    figure.update_layout(hovermode="closest")
    figure.update_xaxes(title_text=say("importance.layer"), tickvals=layers, showline=True, range=span)
    highest = max(a.max(), b.max(), mass.uniform_a_to_b, mass.uniform_b_to_a)
    figure.update_yaxes(**frame.grid(theme), range=[0, min(1.02, highest * 1.08)], tickformat=".0%", nticks=6)
    size = dict(width=theme.side, height=theme.side * HEIGHT)
    frame.lay_out(figure, theme, say("pairs.mass"), say("pairs.mass_note"), **size, legend=1)
    return figure


def _direction(
    values: np.ndarray,
    uniform: float,
    layers: np.ndarray,
    span: list[float],
    hue: str,
    aside: float,
    name: str,
    say: Translator,
) -> list[go.Scatter]:
    """Traces of one direction.

    Args:
        span: Span of the axis.
        aside: Distance of the dots from their layer, so that those of both directions are visible.
    """
    heads = [f"{layer + 1}.{head + 1}" for layer, head in np.ndindex(values.shape)]
    share = dict(name=name, value="%{y:.1%}")
    mean = labels.hover_sentence(say, "pairs.hover_mass", layer="%{x}", uniform=f"{uniform:.1%}", **share)
    single = labels.hover_sentence(say, "pairs.hover_mass_head", "head", **share)
    beside = np.repeat(layers, values.shape[1]) + aside
    return [
        marks.line(layers, values.mean(1), mean, color=hue, width=3).update(
            mode="lines+markers", marker=dict(size=8, color=hue), name=name, cliponaxis=False
        ),
        marks.dots(beside, values.ravel(), single, heads, size=7, color=hue, opacity=0.45).update(showlegend=False),
        marks.line(span, [uniform, uniform], color=hue, width=1.5, dash="dash").update(showlegend=False),
    ]
