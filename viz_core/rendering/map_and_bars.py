"""Heat map of a head, and in the same figure bars of the tokens that get most of its weight."""

from dataclasses import replace
from typing import NamedTuple

import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records import AttentionMap, TokenWeights
from viz_core.rendering import frame, labels
from viz_core.rendering.bars import token_bars
from viz_core.rendering.heatmap import attention_heatmap
from viz_core.rendering.theme import Theme

LEAST = 13  # width of bars beside a map, in font sizes of the text
_TITLE_COLUMN = 0.5  # width of a column of a title, in its font size


def map_and_bars(
    attention: AttentionMap,
    weights: TokenWeights,
    say: Translator,
    theme: Theme,
    shares: tuple[float, float],
    width: int,
) -> go.Figure:
    """Map of `theme.side` px, with the bars beside it, or below if they do not fit into the width.

    Sentences have the hues of the letters A and B of the map.

    Args:
        shares: Range of the bars, shared by the figures that are compared.
        width: Width of the figure, px.

    Raises:
        ValueError, Failure: As both views.
    """
    heatmap = attention_heatmap(attention, say, theme)
    row = min(theme.row, round(theme.side / max(len(weights.labels), 1)))
    bars = token_bars(weights, say, replace(theme, row=row), bounds=shares)
    room = width - heatmap.layout.width
    beside = room >= LEAST * theme.text
    if beside:
        bars.update_layout(width=room)
    return join(heatmap, bars, theme, below=not beside)


class _Box(NamedTuple):
    """A plot area in px, from the upper left corner of the figure."""

    left: float
    top: float
    right: float
    bottom: float


def join(first: go.Figure, second: go.Figure, theme: Theme, below: bool = False) -> go.Figure:
    """Join two figures, the second to the right of the first with plot areas aligned at the top, or below.

    Each has one x and one y axis, and its size and margins from `frame.lay_out`. The second one has
    no legend, subtitle or colour bar; its title is wrapped to its width.
    """
    wide, tall = first.layout, second.layout
    title = "<br>".join(labels.wrap(tall.title.text or "", (tall.width - theme.text) / theme.title / _TITLE_COLUMN))
    header = frame.header_height(theme, title) + frame.text_height(title.count("<br>"), theme.title)
    tops = (wide.margin.t, header) if below else (max(wide.margin.t, header),) * 2
    corners = (0, 0), (0, wide.height - wide.margin.t + tops[0]) if below else (wide.width, 0)
    boxes = [_box(layout, corner, top) for layout, corner, top in zip((wide, tall), corners, tops, strict=True)]
    width = max(box.right + layout.margin.r for box, layout in zip(boxes, (wide, tall), strict=True))
    height = max(box.bottom + layout.margin.b for box, layout in zip(boxes, (wide, tall), strict=True))
    around = _Box(*(pick(sides) for pick, sides in zip((min, min, max, max), zip(*boxes, strict=True), strict=True)))

    figure = go.Figure(first)
    figure.add_traces([trace.update(xaxis="x2", yaxis="y2") for trace in go.Figure(second).data])
    figure.update_layout(
        width=width,
        height=height,
        margin=dict(l=around.left, t=around.top, r=width - around.right, b=height - around.bottom),
        xaxis2=tall.xaxis.to_plotly_json() | dict(anchor="y2"),
        yaxis2=tall.yaxis.to_plotly_json() | dict(anchor="x2"),
        bargap=tall.bargap,
        barmode=tall.barmode,
        showlegend=False,
    )
    for box, suffix in zip(boxes, ("", "2"), strict=True):
        left, right = ((x - around.left) / (around.right - around.left) for x in (box.left, box.right))
        bottom, top = ((around.bottom - y) / (around.bottom - around.top) for y in (box.bottom, box.top))
        figure.update_layout({f"xaxis{suffix}_domain": (left, right), f"yaxis{suffix}_domain": (bottom, top)})
    if wide.coloraxis.colorbar.x is not None:
        figure.update_layout(coloraxis_colorbar_x=figure.layout.xaxis.domain[1])
    x = (corners[1][0] + theme.text * frame.EDGE - around.left) / (around.right - around.left)
    shift = tops[1] - frame.text_height(title.count("<br>") + 1, theme.title) - theme.title * 0.6
    place = dict(x=x, xref="paper", xanchor="left", y=1, yref="y2 domain", yanchor="bottom", yshift=shift)
    frame.annotate(figure, title, theme.title, theme.ink, font_weight=600, align="left", **place)
    return figure


def _box(layout: go.Layout, corner: tuple[float, float], top: float) -> _Box:
    """Plot area of a figure whose upper left corner is put at `corner`.

    Args:
        top: New top margin.
    """
    left = corner[0] + layout.margin.l
    above = corner[1] + top
    width = layout.width - layout.margin.l - layout.margin.r
    height = layout.height - layout.margin.t - layout.margin.b
    return _Box(left, above, left + width, above + height)
