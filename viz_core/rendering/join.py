"""Two figures as one: a browser draws both in the same frame, and a picture holds both."""

from __future__ import annotations

from typing import NamedTuple

import plotly.graph_objects as go

from viz_core.rendering import frame, labels
from viz_core.rendering.theme import Theme

_TITLE_COLUMN = 0.5  # width of a column of a title, in its font size


class _Box(NamedTuple):
    """A plot area in px, from the upper left corner of the figure."""

    left: float
    top: float
    right: float
    bottom: float


def join(first: go.Figure, second: go.Figure, theme: Theme, below: bool = False) -> go.Figure:
    """The second figure to the right of the first, their plot areas aligned at the top, or below it.

    Each has one x and one y axis, and its size and margins from `frame.lay_out`. The second one has no legend, subtitle
    or colour bar; its title is wrapped to its width.
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
    figure.add_annotation(
        text=title,
        x=(corners[1][0] + theme.text * frame.EDGE - around.left) / (around.right - around.left),
        xref="paper",
        xanchor="left",
        y=1,
        yref="y2 domain",
        yanchor="bottom",
        yshift=tops[1] - frame.text_height(title.count("<br>") + 1, theme.title) - theme.title * 0.6,
        align="left",
        showarrow=False,
        font=dict(size=theme.title, weight=600),
    )
    return figure


def _box(layout: go.Layout, corner: tuple[float, float], top: float) -> _Box:
    """The plot area of a figure whose upper left corner is put there. top: its new top margin."""
    left = corner[0] + layout.margin.l
    above = corner[1] + top
    width = layout.width - layout.margin.l - layout.margin.r
    height = layout.height - layout.margin.t - layout.margin.b
    return _Box(left, above, left + width, above + height)
