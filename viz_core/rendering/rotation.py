"""A shift by k positions as a rotation of a sine/cosine pair (Vaswani et al. 2017, section 3.5)."""

from math import ceil

import numpy as np
import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.rendering import frame, labels, marks
from viz_core.rendering.theme import Theme

SIDE = 0.62  # of the plot area, as a share of the theme's side
STARTS = 3  # positions from which the shift is drawn
ARC = 32  # points
EDGE = 1.28  # of the axes, in radii
NAMES = 1.15  # radius at which positions are named


def shift_rotation(
    pairs: np.ndarray, pair: int, wavelength: float, shift: int, say: Translator, theme: Theme
) -> go.Figure:
    """Pairs (sine, cosine) on the unit circle, and arcs from a few positions p to p + k.

    Args:
        pairs: The pair at each position, `(T, 2)`.
        pair: Index of the pair, from 0.
        wavelength: In positions.
        shift: The shift k.

    Raises:
        ValueError: If T is not above k.
    """
    if not 0 < shift < len(pairs):
        raise ValueError(f"a shift by {shift} of {len(pairs)} positions: it must be at least 1 and below their number")
    angle = 2 * np.pi * shift / wavelength
    starts = _starts(len(pairs) - shift, wavelength)
    shown = max(starts[-1] + shift, ceil(wavelength)) + 1  # a whole turn
    figure = go.Figure([_circle(theme), _points(pairs[:shown], say, theme)])
    for number, start in enumerate(starts):
        figure.add_traces(_arc(pairs[start], angle, theme.heads[number]))
        for position in (start, start + shift):
            sine, cosine = NAMES * pairs[position]
            frame.annotate(figure, str(position), theme.small, theme.heads[number], x=cosine, y=sine)
    values = dict(pair=pair + 1, wavelength=f"{wavelength:,.1f}", shift=shift, degrees=f"{np.degrees(angle):,.1f}")
    axis = dict(range=(-EDGE, EDGE), tickvals=[-1, 0, 1])
    figure.update_xaxes(**axis, title_text=say("positions.cosine"))
    figure.update_yaxes(**axis, title_text=say("positions.sine"))
    frame.lay_out(
        figure,
        theme,
        say("positions.rotation", shift=shift),
        say("positions.rotation_note", **values),
        plot_width=theme.side * SIDE,
        plot_height=theme.side * SIDE,
        min_width=theme.side * 1.05,
        left=frame.margin(theme, frame.number_room(theme, 2), title=True),
    )
    figure.update_layout(showlegend=False)
    return figure


def _starts(count: int, wavelength: float) -> list[int]:
    """Up to three positions that are far from each other on the circle: about thirds of a turn apart."""
    step = max(1, round(wavelength / STARTS) if wavelength / STARTS * (STARTS - 1) < count else count // STARTS)
    return [start for start in (number * step for number in range(STARTS)) if start < count]


def _circle(theme: Theme) -> go.Scatter:
    turn = np.linspace(0, 2 * np.pi, 181)
    return marks.line(np.cos(turn), np.sin(turn), color=theme.line, width=1)


def _points(pairs: np.ndarray, say: Translator, theme: Theme) -> go.Scatter:
    values = dict(sine="%{y:.3f}", cosine="%{x:.3f}")
    hover = labels.hover_sentence(say, "positions.hover_pair", "position", **values)
    return marks.dots(pairs[:, 1], pairs[:, 0], hover, np.arange(len(pairs)), color=theme.muted, size=4)


def _arc(start: np.ndarray, angle: float, hue: str) -> list[go.Scatter]:
    """Arc from (sine, cosine) by an angle, inside the circle for whole turns, with a head at its end."""
    begin = np.arctan2(start[0], start[1])
    turn = begin + np.linspace(0, angle, ARC * max(1, round(angle / np.pi)))
    radius = np.linspace(1, 1 - 0.04 * angle / (2 * np.pi), len(turn)).clip(0.3)
    x, y = radius * np.cos(turn), radius * np.sin(turn)
    head = dict(symbol=["circle", "arrow"], size=[9, 13], angleref="up", angle=[0, _direction(x, y)])
    return [marks.line(x, y, color=hue, width=3), marks.dots(x[[0, -1]], y[[0, -1]], color=hue, **head)]


def _direction(x: np.ndarray, y: np.ndarray) -> float:
    """Direction in which the end of a line points, in degrees clockwise from up."""
    return float(np.degrees(np.arctan2(x[-1] - x[-2], y[-1] - y[-2])))
