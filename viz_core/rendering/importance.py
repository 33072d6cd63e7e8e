"""How much predictions depend on each head: a clickable heat map of layers × heads."""

from typing import Literal, get_args

import numpy as np
import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records import HeadImportance
from viz_core.rendering import frame, labels, marks, scales
from viz_core.rendering.checks import check_finite
from viz_core.rendering.theme import Theme, colourscale, ink_on, shade

Measure = Literal["accuracy", "loss", "taylor"]
_MAX_CELL_WIDTH, _MAX_CELL_HEIGHT = 96, 46  # px, for models of few heads
_MIN_BAR = 7  # length of the colour bar, in font sizes: two layers are too low for its labels
_MIN_WIDTH = 0.75  # of the figure, as a share of the theme's side: its subtitle has to fit
_NUMBERED = 38  # px: a narrower cell has no room for its number
_MIN_RANGE = {"accuracy": 0.5, "loss": 0.005}  # full colour means at least this much, so that rounding errors stay pale
_SIGNIFICANT = "*"  # marks a number whose interval excludes 0


def head_importance(
    importance: HeadImportance, measure: Measure, say: Translator, theme: Theme, marked: tuple[int, int] | None = None
) -> go.Figure:
    """Heat map of layers × heads, numbered from 1.

    Orange means worse without the head (accuracy drops, loss rises), blue better. Every cell holds
    a point (x: head, y: layer), which reports clicks.

    Args:
        measure: Change of `accuracy` (percentage points) or `loss` (nats) with the head masked,
            starred where the interval excludes 0; or the `taylor` score, normalised per layer.
        marked: Layer and head, from 0, to frame.

    Raises:
        ValueError: For another measure, or if shapes differ.
        Failure: If numbers are not finite.
    """
    values, low, high = _values(importance, measure)
    check_finite(values)
    layers, heads = values.shape
    left = frame.margin(theme, frame.number_room(theme, columns=2), title=True)
    right, below = frame.bar_room(theme), frame.axis_below(theme, title=True)
    width = min((theme.side - left - right) / heads, _MAX_CELL_WIDTH * theme.text / 14)
    height = min(max(width, theme.text * 1.8), _MAX_CELL_HEIGHT * theme.text / 14)
    stops = {"accuracy": theme.diverging, "loss": theme.diverging[::-1], "taylor": theme.sequential}[measure]
    largest = 1.0 if measure == "taylor" else max(float(np.abs(values).max()), _MIN_RANGE[measure])
    bounds = (0.0 if measure == "taylor" else -largest, largest)
    legend = max(layers * height, theme.text * _MIN_BAR)
    figure = go.Figure(
        [
            _cells(values, stops, bounds, measure, legend, say, theme),
            *_points(importance, values, low, high, stops, bounds, measure, width, say, theme),
        ]
    )
    figure.update_layout(showlegend=False, hovermode="closest", clickmode="event+select", dragmode=False)
    frame.lay_out(
        figure,
        theme,
        say(f"importance.map_{measure}"),
        say(f"importance.map_{measure}_note"),
        plot_width=heads * width,
        plot_height=layers * height,
        min_width=theme.side * _MIN_WIDTH,
        left=left,
        right=right,
        below=max(below, legend - layers * height),
    )
    _axes(figure, layers, heads, width, say, theme)
    if marked:
        layer, head = marked
        corners = dict(x0=head + 0.5, x1=head + 1.5, y0=layer + 0.5, y1=layer + 1.5)
        figure.add_shape(type="rect", **corners, line=dict(color=theme.ink, width=2.5))
    return figure


def _values(importance: HeadImportance, measure: Measure) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values, lower and upper bounds of a measure, each `(L, H)`; accuracy in percentage points."""
    if measure not in get_args(Measure):
        raise ValueError(f"measure {measure!r} is not one of {', '.join(get_args(Measure))}")
    if measure == "taylor":
        values = np.asarray(importance.taylor_per_layer, float)
        low = high = values
    else:
        factor = 100 if measure == "accuracy" else 1
        values = np.asarray(getattr(importance, f"{measure}_change"), float) * factor
        interval = np.asarray(getattr(importance, f"{measure}_interval"), float) * factor
        if interval.shape != (*values.shape, 2):
            raise ValueError(
                f"changes of shape {values.shape}, against intervals of shape {interval.shape}: they need two bounds"
            )
        low, high = interval[..., 0], interval[..., 1]
    if values.ndim != 2 or not values.size:
        raise ValueError(f"numbers of shape {values.shape}: they must be layers × heads")
    return values, low, high


def _cells(
    values: np.ndarray,
    stops: tuple[str, ...],
    bounds: tuple[float, float],
    measure: Measure,
    legend: float,
    say: Translator,
    theme: Theme,
) -> go.Heatmap:
    # With two layers, the colour bar only has room for its ends and 0.
    ticks = scales.ticks(*bounds, "linear") if legend > theme.text * 10 else sorted({bounds[0], 0.0, bounds[1]})
    texts = [(f"{tick:+.2g}" if bounds[0] < 0 and tick else f"{tick:.2g}").replace("-", "−") for tick in ticks]
    bar = frame.colour_bar(theme, legend, say(f"importance.unit_{measure}"), ticks, texts)
    scale = dict(colorscale=colourscale(stops), zmin=bounds[0], zmax=bounds[1], colorbar=bar)
    return go.Heatmap(z=values, x0=1, y0=1, xgap=2, ygap=2, hoverinfo="skip", **scale)


def _points(
    importance: HeadImportance,
    values: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    stops: tuple[str, ...],
    bounds: tuple[float, float],
    measure: Measure,
    width: float,
    say: Translator,
    theme: Theme,
) -> list[go.Scatter]:
    """Points on all cells with number and hover, which report clicks."""
    significant = (low > 0) | (high < 0) if measure != "taylor" else np.zeros(values.shape, bool)
    inks = [ink_on(shade(stops, share)) for share in ((values - bounds[0]) / (bounds[1] - bounds[0])).ravel().tolist()]
    decimals = {"accuracy": 1, "taylor": 2}.get(measure, max(2, scales.digits(bounds[1])))
    texts, data = [], []
    for cell in np.ndindex(values.shape):
        number = f"{values[cell]:.2f}" if measure == "taylor" else scales.with_sign(values.item(cell), decimals)
        star = _SIGNIFICANT if significant[cell] and float(number.replace("−", "-")) else ""
        texts.append(number + star if width >= _NUMBERED * theme.text / 14 else star)
        data.append(
            [
                f"{importance.taylor[cell]:.3g}"
                if measure == "taylor"
                else scales.with_sign(values.item(cell), decimals + 1),
                *(scales.with_sign(bound.item(cell), decimals + 1) for bound in (low, high)),
                f"{values[cell]:.2f}",
            ]
        )
    columns = ("value", "low", "high", "share")
    hover = labels.hover_sentence(say, f"importance.hover_{measure}", *columns, head="%{y}.%{x}")
    layers, heads = np.indices(values.shape).reshape(2, -1) + 1
    return marks.points(heads.tolist(), layers.tolist(), texts, inks, theme, hover, data)


def _axes(figure: go.Figure, layers: int, heads: int, width: float, say: Translator, theme: Theme) -> None:
    step = 1 if width >= theme.small * 1.8 else 2
    border = dict(fixedrange=True, showline=True, mirror=True)
    columns, rows = list(range(1, heads + 1, step)), list(range(1, layers + 1))
    figure.update_xaxes(**border, title_text=say("importance.head"), tickvals=columns, range=[0.5, heads + 0.5])
    figure.update_yaxes(**border, title_text=say("importance.layer"), tickvals=rows, range=[layers + 0.5, 0.5])
