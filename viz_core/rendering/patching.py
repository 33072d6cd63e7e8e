"""Activation patching: how far each part of a model carries the difference between two texts."""

import numpy as np
import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records import Patching, Site
from viz_core.rendering import frame, labels, marks, scales
from viz_core.rendering.checks import check_finite
from viz_core.rendering.theme import Theme, ink_on, shade

CELL, ROW = 3.6, 1.9  # width and height of a cell, in font sizes
_DEEP, _LOW = 12, 1.45  # of more layers, the height of a cell
_LEAST, _NUMBERED = 1.6, 3.0  # width of a cell: of many columns, and with its number in it
_MIN_BAR, _MIN_WIDTH = 9, 0.7  # length of the colour bar, in font sizes; width of the figure, as a share of the side
_LONGEST = 8  # columns of a token


def patching_map(patching: Patching, site: Site, say: Translator, theme: Theme, title: str = "") -> go.Figure:
    """Heat map with a row per layer, and a column per token that both texts have or, of `heads`, per head.

    Every cell holds a point (x: column, y: layer, from 0), which reports clicks.

    Args:
        title: Its key, by default that of the site.

    Raises:
        ValueError: If tokens and effects differ in number.
        Failure: If effects are not finite.
    """
    effects = np.asarray(patching.effects[site], float)
    names = _columns(patching, site)
    if effects.ndim != 2 or effects.shape[1] != len(names):
        raise ValueError(f"{len(names)} columns: effects of shape {effects.shape} must have as many")
    check_finite(effects)
    layers, columns = effects.shape
    cell = min(CELL, max(_LEAST, theme.side * 1.1 / theme.text / columns))
    _, high = scales.bounds(np.append(effects, 1.0), signed=True)  # 1, all of the difference, is always on the scale
    shares = scales.share(effects, -high, high, "linear")
    figure = go.Figure(marks.cells(effects, "", hoverinfo="skip"))
    figure.add_traces(_points(effects, shares, names, site, cell, say, theme))
    step = 1 if cell >= _NUMBERED else labels.tick_step(cell * theme.text, theme.small * 3)
    ticks = labels.tick_texts([labels.shorten(name, _LONGEST) for name in names])
    figure.update_xaxes(
        tickvals=list(range(0, columns, step)),
        ticktext=ticks[::step],
        range=[-0.5, columns - 0.5],
        tickangle=0 if site == "heads" else -45,
        title_text=say("importance.head") if site == "heads" else "",
    )
    frame.name_rows(figure, theme, [str(layer + 1) for layer in range(layers)])
    figure.update_yaxes(title_text=say("importance.layer"))
    title = say(title or f"patching.title_{site}")
    scale = say("patching.scale" if patching.is_exact else "patching.scale_estimated")
    below = theme.text * 4 if site != "heads" else frame.axis_below(theme, title=True)
    lay_out_effects(figure, theme, say, title, scale, high, layers, columns * cell, below)
    return figure


def lay_out_effects(
    figure: go.Figure,
    theme: Theme,
    say: Translator,
    title: str,
    scale: str,
    high: float,
    rows: int,
    width: float,
    below: float,
    above: float = 0,
) -> None:
    """Set size, titles and colours of a map of effects between -high and high.

    Args:
        scale: What the numbers mean.
        width: Of the plot area, in font sizes.
        below, above: Room for the axis and above the first row, px.
    """
    height = rows * (_LOW if rows > _DEEP else ROW) * theme.text
    legend = max(height, _MIN_BAR * theme.text)
    values = scales.ticks(-high, high, "linear")
    texts = [scales.with_sign(value, scales.digits(high)) for value in values]
    bar = frame.colour_bar(theme, legend, say("patching.unit"), values, texts)
    figure.update_layout(showlegend=False, hovermode="closest", clickmode="event+select")
    figure.layout.coloraxis = frame.colour_axis(theme.diverging, -high, high, bar)
    frame.lay_out(
        figure,
        theme,
        title,
        scale,
        plot_width=width * theme.text,
        plot_height=height,
        min_width=theme.side * _MIN_WIDTH,
        below=max(below, legend - height),
        above=above,
    )


def _columns(patching: Patching, site: Site) -> list[str]:
    """Heads by number, or tokens; one that replaces another is named by both."""
    if site == "heads":
        return [str(head + 1) for head in range(patching.effects[site].shape[1])]
    source, target = patching.contrast.source, patching.contrast.target
    names = ((source.tokens[old], target.tokens[new]) for old, new in patching.contrast.pairs.tolist())
    return [new if old == new else f"{new}←{old}" for old, new in names]


def _points(
    effects: np.ndarray, shares: np.ndarray, names: list[str], site: Site, cell: float, say: Translator, theme: Theme
) -> list[go.Scatter]:
    rows, columns = np.indices(effects.shape).reshape(2, -1).tolist()
    values = [scales.with_sign(value, 2) for value in effects.ravel().tolist()]
    hover = [
        say(f"patching.hover_{site}", layer=row + 1, name=labels.escape(names[column]), value=value)
        for row, column, value in zip(rows, columns, values, strict=True)
    ]
    texts = values if cell >= _NUMBERED else [""] * len(values)
    inks = [ink_on(shade(theme.diverging, share)) for share in np.ravel(shares).tolist()]
    return marks.points(columns, rows, texts, inks, theme, labels.hover("%{customdata}"), hover)
