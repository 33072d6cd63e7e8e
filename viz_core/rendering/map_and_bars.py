"""The heat map of a head, and in the same figure the tokens that get most of its weight as bars."""

from __future__ import annotations

from dataclasses import replace

import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records import AttentionMap, TokenWeights
from viz_core.rendering.bars import token_bars
from viz_core.rendering.heatmap import attention_heatmap
from viz_core.rendering.join import join
from viz_core.rendering.scales import Scale
from viz_core.rendering.theme import Theme

LEAST = 13  # width of bars beside a map, in font sizes of the text


def map_and_bars(
    attention: AttentionMap,
    weights: TokenWeights,
    say: Translator,
    theme: Theme,
    scale: Scale,
    colours: tuple[float, float],
    shares: tuple[float, float],
    width: int,
) -> go.Figure:
    """A map of `theme.side` px, with the bars beside it in a figure `width` px wide, or below where they have no room.

    colours, shares: ranges of the colours and of the bars, shared by the figures that are compared. Sentences have the
    hues of the letters A and B of the map. Raises ValueError and Failure as both views do.
    """
    heatmap = attention_heatmap(attention, say, theme, scale, colours)
    row = min(theme.row, round(theme.side / max(len(weights.labels), 1)))
    bars = token_bars(weights, say, replace(theme, row=row), bounds=shares)
    room = width - heatmap.layout.width
    beside = room >= LEAST * theme.text
    if beside:
        bars.update_layout(width=room)
    return join(heatmap, bars, theme, below=not beside)
