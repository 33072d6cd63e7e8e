"""One number per token as horizontal bars, in the order of the text or the largest first."""

import numpy as np
import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records import TokenWeights
from viz_core.rendering import frame, labels, scales
from viz_core.rendering.checks import check_weights
from viz_core.rendering.theme import FIRST, SECOND, SPECIAL, Theme

_NAMES = {SPECIAL: "rendering.special_tokens", FIRST: "rendering.sentence_a", SECOND: "rendering.sentence_b"}


def token_bars(
    weights: TokenWeights,
    say: Translator,
    theme: Theme,
    top: int | None = None,
    bounds: tuple[float, float] | None = None,
) -> go.Figure:
    """Bar chart with a bar per token and its number, coloured by sentence; a pair gets a legend.

    Args:
        top: Only the `top` largest by absolute value, the largest first; by default all, in the
            order of the text.
        bounds: Range of the axis; by default that of the bars.

    Raises:
        ValueError: If labels and weights differ in number, or `top` is below 1.
        Failure: If weights are not finite.
    """
    check_weights(weights)
    if top is not None and top < 1:
        raise ValueError(f"top is {top}: it must be 1 or more")
    values = np.asarray(weights.weights, float)
    # The stable sort keeps tokens of equal weight in the order of the text.
    order = np.arange(len(values)) if top is None else np.argsort(-np.abs(values), kind="stable")[:top]
    names = labels.categories(weights.labels)
    pair = len(weights.texts) > 1
    figure = go.Figure(
        [
            _bars([index for index in order if weights.groups[index] == group], group, weights, names, say, theme, pair)
            for group in (FIRST, SECOND, SPECIAL)
            if (np.asarray(weights.groups)[order] == group).any()
        ]
    )
    tokens = [weights.labels[index] for index in order]
    frame.name_categories(figure, theme, [names[index] for index in order], labels.tick_texts(tokens))
    _set_range(figure, bounds or (min(0.0, values[order].min()), max(0.0, values[order].max())), theme)
    figure.update_layout(bargap=0.35, barmode="overlay")
    note = say("rendering.largest", count=len(order), all=len(values)) if len(order) < len(values) else ""
    size = dict(plot_width=theme.side - theme.text * frame.END, plot_height=theme.row * len(order))
    frame.lay_out(figure, theme, labels.escape(say(weights.title)), note, **size, legend=int(pair))
    return figure


def _bars(
    indices, group: int, weights: TokenWeights, names: list[str], say: Translator, theme: Theme, pair: bool
) -> go.Bar:
    values = np.asarray(weights.weights, float)[indices]
    decimals = scales.digits(float(np.abs(weights.weights).max()))
    hover = labels.hover_sentence(say, "rendering.hover_bar", token="%{y}", weight="%{x:.4f}")  # noqa: S106
    return go.Bar(
        x=values,
        y=[names[index] for index in indices],
        orientation="h",
        name=say(_NAMES[group]),
        showlegend=pair,
        marker=dict(color=theme.group(group)),
        hovertemplate=hover,
        texttemplate=f"%{{x:.{decimals}f}}",
        textposition="outside",
        cliponaxis=False,
        textfont=dict(size=theme.small, color=theme.muted),
    )


def _set_range(figure: go.Figure, bounds: tuple[float, float], theme: Theme) -> None:
    """Set the (invisible) axis: the bounds, and room for the numbers at the ends of the bars."""
    low, high = bounds
    if low == high:
        high = 1.0
    room = 0.15 * (high - low)
    figure.update_xaxes(visible=False, range=[low - room * (low < 0), high + room * (high > 0)])
    if low < 0:
        figure.add_vline(0, line_color=theme.line, line_width=1)
