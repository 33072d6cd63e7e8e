"""One number per token as horizontal bars: in the order of the text, or the largest first."""

from __future__ import annotations

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
    """A bar per token, its number at its end. top: only so many, the largest (by size) first; None: all, as in the text.

    bounds: the weights that the bars' axis reaches to; those of the bars unless given. Colours tell the groups; a pair gets
    a legend. Raises ValueError where labels and weights differ in number, or `top` is below 1; Failure where weights are
    not finite.
    """
    check_weights(weights)
    if top is not None and top < 1:
        raise ValueError(f"top is {top}: it must be 1 or more")
    values = np.asarray(weights.weights, float)
    # A stable sort keeps tokens of equal weight in the order of the text.
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
    shown, tokens = values[order], [weights.labels[index] for index in order]
    frame.name_categories(figure, theme, [names[index] for index in order], labels.tick_texts(tokens))
    _reach(figure, bounds or (min(0.0, shown.min()), max(0.0, shown.max())), theme)
    figure.update_layout(bargap=0.35, barmode="overlay")
    left = frame.margin(theme, frame.tick_room(labels.tick_texts(tokens), theme.text))
    frame.lay_out(
        figure,
        theme,
        labels.escape(say(weights.title)),
        say("rendering.largest", count=len(order), all=len(values)) if len(order) < len(values) else "",
        width=left + theme.side,
        plot_height=theme.row * len(order),
        legend=int(pair),
        left=left,
    )
    return figure


def _bars(
    indices, group: int, weights: TokenWeights, names: list[str], say: Translator, theme: Theme, pair: bool
) -> go.Bar:
    values = np.asarray(weights.weights, float)[indices]
    decimals = scales.digits(float(np.abs(weights.weights).max()))
    hover = say("rendering.hover_bar", token="%{y}", weight="%{x:.4f}")
    return go.Bar(
        x=values,
        y=[names[index] for index in indices],
        orientation="h",
        name=say(_NAMES[group]),
        showlegend=pair,
        marker=dict(color=theme.group(group)),
        hovertemplate=labels.hover(hover),
        texttemplate=f"%{{x:.{decimals}f}}",
        textposition="outside",
        cliponaxis=False,
        textfont=dict(size=theme.small, color=theme.muted),
    )


def _reach(figure: go.Figure, bounds: tuple[float, float], theme: Theme) -> None:
    """The bars' axis, which is not drawn: between the bounds, and room for the numbers at the bars' ends."""
    low, high = bounds
    if low == high:
        high = 1.0
    room = 0.15 * (high - low)
    figure.update_xaxes(visible=False, range=[low - room * (low < 0), high + room * (high > 0)])
    if low < 0:
        figure.add_vline(0, line_color=theme.line, line_width=1)
