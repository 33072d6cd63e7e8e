"""Traces that several views draw: dots, intervals, bands, cells with their numbers, legend entries."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from viz_core.rendering.theme import Theme, colourscale, ink_on, shade, translucent

Values = Sequence | np.ndarray


def dots(x: Values, y: Values, hover: str = "", data: Values | None = None, /, **marker: Any) -> go.Scatter:
    """Dots that the border of the plot area does not cut.

    Args:
        hover: Hover template, none by default.
        data: `customdata`.
    """
    pointed = dict(hovertemplate=hover, customdata=data) if hover else dict(hoverinfo="skip")
    return go.Scatter(x=x, y=y, mode="markers", cliponaxis=False, marker=marker, **pointed)


def line(x: Values, y: Values, hover: str = "", /, **style: Any) -> go.Scatter:
    """Line without markers.

    Args:
        hover: Hover template, none by default.
    """
    pointed = dict(hovertemplate=hover) if hover else dict(hoverinfo="skip")
    return go.Scatter(x=x, y=y, mode="lines", line=style, **pointed)


def interval(values: Values, low: Values, high: Values, colour: str, thickness: float = 2, width: int = 0) -> dict:
    """Error bars from `low` to `high`, as `error_x` or `error_y` of a trace.

    Args:
        width: Width of their ends, px.
    """
    above, below = (np.maximum(np.subtract(end, start), 0) for end, start in ((high, values), (values, low)))
    bars = dict(array=above, arrayminus=below, color=colour, thickness=thickness, width=width)
    return dict(type="data", symmetric=False, **bars)


def band(x: Values, low: Values, high: Values, colour: str, opacity: float) -> list[go.Scatter]:
    """Area between two lines, not in the legend."""
    edges = [line(x, values, color=colour, width=0).update(showlegend=False) for values in (low, high)]
    edges[1].update(fill="tonexty", fillcolor=translucent(colour, opacity))
    return edges


def cells(values: np.ndarray, hover: str, gap: int = 1, stops: tuple[str, ...] = (), /, **fields: Any) -> go.Heatmap:
    """Cells of a heat map, `gap` px apart; `numbers` adds texts.

    Args:
        stops: Colours from 0 to 1, by default of the colour axis.
        fields: Further fields of the trace.
    """
    scale = (
        dict(colorscale=colourscale(stops), zmin=0, zmax=1, showscale=False) if stops else {"coloraxis": "coloraxis"}
    )
    return go.Heatmap(z=values, hovertemplate=hover, xgap=gap, ygap=gap, **scale, **fields)


def numbers(texts: Sequence[str], shares: np.ndarray, stops: tuple[str, ...], size: float) -> go.Scatter:
    """Texts on the cells `(rows, columns)` of a heat map, row by row, in legible ink.

    Args:
        shares: Positions of the cells on the colour scale `stops`, 0 to 1.
    """
    rows, columns = np.indices(shares.shape).reshape(2, -1)
    font = dict(size=size, color=[ink_on(shade(stops, share)) for share in np.ravel(shares)])
    return go.Scatter(x=columns, y=rows, mode="text", text=texts, textfont=font, hoverinfo="skip", showlegend=False)


def points(
    x: Values, y: Values, texts: Sequence[str], inks: Sequence[str], theme: Theme, hover: str, data: Sequence
) -> list[go.Scatter]:
    """Invisible points on the cells of a heat map, which reports no clicks, with their texts.

    One trace per ink: a selection fades unselected points unless their colour is set, which is one
    per trace.

    Args:
        inks: Colours of the texts, as all others one per cell.
        hover: Hover template.
        data: `customdata`.
    """
    traces = []
    for ink in sorted(set(inks)):
        chosen = [number for number, other in enumerate(inks) if other == ink]
        unchanged = dict(marker_opacity=0, textfont_color=ink)
        traces.append(
            go.Scatter(
                x=[x[number] for number in chosen],
                y=[y[number] for number in chosen],
                mode="markers+text",
                text=[texts[number] for number in chosen],
                marker=dict(symbol="square", size=theme.text * 2, opacity=0),
                textfont=dict(size=theme.small, color=ink),
                selected=unchanged,
                unselected=unchanged,
                customdata=[data[number] for number in chosen],
                hovertemplate=hover,
                showlegend=False,
            )
        )
    return traces


def legend_entry(name: str, mode: str, /, **style: Any) -> go.Scatter:
    """Legend entry that explains a colour or a line, without a mark in the plot.

    Args:
        style: `marker` or `line`.
    """
    return go.Scatter(x=[None], y=[None], name=name, mode=mode, hoverinfo="skip", **style)
