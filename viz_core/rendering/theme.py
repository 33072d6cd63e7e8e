"""Every colour, font and size of the views, for a light or a dark page, on a laptop or on a projector.

One meaning a colour: weights are violet, sentence A is blue, B is orange, special tokens are grey, the two classes are
rose and green. Both scales have steps of equal size in OKLab and start in the page's own colour, so that what is near
zero stays quiet; hue pairs stay apart under simulated colour blindness (`tests/rendering/test_theme.py` measures both).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import plotly.graph_objects as go

# Streamlit's own text face first, so that charts and page agree; Noto Sans CJK has the same Latin letters.
FONT = (
    "'Source Sans', 'Source Sans 3', 'Noto Sans CJK SC', 'Noto Sans SC', 'PingFang SC', 'Microsoft YaHei', sans-serif"
)
PROJECTOR = 1.4  # text that the last row reads
BESIDE = 0.6  # size of two figures in a row, so that both fit into a laptop's window

SPECIAL, FIRST, SECOND = -1, 0, 1  # the groups of tokens: special, of sentence A, of sentence B


@dataclass(frozen=True)
class Theme:
    """Colours as `#rrggbb`, sizes in px.

    background: Streamlit's page. surface: quiet areas on it. ink, muted, line: text, secondary text, thin lines.
    accent: the one colour for what is marked. query, key: hues of the token that looks and of the one that is looked at.
    heads: hues of heads that are compared. sequential, diverging: equally spaced stops for weights from 0 up, and for
    signed numbers around 0 (the middle stop). groups: hues of special tokens, sentence A, sentence B. classes: hues of
    the first and the last label. text, small, title: font sizes. row: height of a row of bars. side: of a heat map.
    """

    mode: Literal["light", "dark"]
    background: str
    surface: str
    ink: str
    muted: str
    line: str
    accent: str
    sequential: tuple[str, ...]
    diverging: tuple[str, ...]
    groups: tuple[str, str, str]
    classes: tuple[str, str]
    query: str
    key: str
    heads: tuple[str, ...]
    text: int = 14
    small: int = 12
    title: int = 18
    row: int = 26
    side: int = 560
    font: str = FONT

    def group(self, number: int) -> str:
        """Hue of a group of tokens: -1 special, 0 sentence A, 1 sentence B."""
        return self.groups[number - SPECIAL]


_LIGHT = Theme(
    mode="light",
    background="#ffffff",
    surface="#f4f5f8",
    ink="#262730",
    muted="#666a75",
    line="#cfd2da",
    accent="#624eb9",
    sequential=(
        "#ffffff",
        "#e3e7ff",
        "#c9cefa",
        "#b2b5f3",
        "#9c9be9",
        "#8881dc",
        "#7567cc",
        "#624eb9",
        "#4f36a1",
        "#3d2183",
        "#2c1262",
    ),
    diverging=(
        "#7f124c",
        "#a64071",
        "#ca6b97",
        "#e799bc",
        "#f7ccde",
        "#ffffff",
        "#cde5af",
        "#9cc563",
        "#719c27",
        "#4c7300",
        "#2d4d07",
    ),
    groups=("#8a8f98", "#1f6fb4", "#c77700"),
    classes=("#9c2a66", "#5f9e2f"),
    query="#007a8a",
    key="#c62828",
    heads=("#624eb9", "#d55e00", "#009e73", "#0072b2", "#b0408c", "#8c6d00", "#4d4d4d", "#c23b22"),
)
_DARK = Theme(
    mode="dark",
    background="#0e1117",
    surface="#1a1e27",
    ink="#fafafa",
    muted="#a3a8b4",
    line="#3a404c",
    accent="#a778dd",
    sequential=(
        "#0e1117",
        "#1e1e3c",
        "#322d61",
        "#493b89",
        "#644cad",
        "#8561c7",
        "#a778dd",
        "#c594ea",
        "#e1afe8",
        "#f8cce2",
        "#ffe9d4",
    ),
    diverging=(
        "#ffb3d7",
        "#e57bac",
        "#b74c81",
        "#812b59",
        "#471d35",
        "#0e1117",
        "#223618",
        "#3c5f11",
        "#638b2d",
        "#90b958",
        "#c4e785",
    ),
    groups=("#7d838e", "#5aa9e6", "#f0a830"),
    classes=("#d8649d", "#9ad463"),
    query="#22d3ee",
    key="#ff6b6b",
    heads=("#a778dd", "#ff9d5c", "#3ecf9a", "#5ab4f0", "#f58ad1", "#d9bf4d", "#c4c4c4", "#ff7a66"),
)


def theme(mode: Literal["light", "dark"], projector: bool = False) -> Theme:
    """The theme of a page. projector: larger text and figures. Raises ValueError for another mode."""
    if mode not in ("light", "dark"):
        raise ValueError(f"mode {mode!r} is neither 'light' nor 'dark'")
    chosen = _LIGHT if mode == "light" else _DARK
    if not projector:
        return chosen
    sizes = {name: round(getattr(chosen, name) * PROJECTOR) for name in ("text", "small", "title", "row", "side")}
    return Theme(**{**vars(chosen), **sizes})


def beside(theme: Theme) -> Theme:
    """The theme for figures that stand two in a row."""
    return replace(theme, side=round(theme.side * BESIDE))


def colourscale(stops: tuple[str, ...]) -> list[tuple[float, str]]:
    """Stops of a theme as plotly wants them: `(position in 0..1, colour)`."""
    return [(index / (len(stops) - 1), colour) for index, colour in enumerate(stops)]


def template(theme: Theme) -> go.layout.Template:
    """The plotly template that every figure starts from: page colours, fonts, no grid, no logo colours."""
    axis = dict(
        showgrid=False,
        zeroline=False,
        showline=False,
        ticks="",
        linecolor=theme.line,
        tickfont=dict(size=theme.small, color=theme.ink),
        title=dict(font=dict(size=theme.small, color=theme.muted)),
    )
    layout = go.Layout(
        paper_bgcolor=theme.background,
        plot_bgcolor=theme.background,
        colorway=[theme.accent, *theme.groups],
        font=dict(family=theme.font, size=theme.text, color=theme.ink),
        title=dict(
            x=0,
            xref="container",
            xanchor="left",
            y=1,
            yref="container",
            yanchor="top",
            pad=dict(l=16, t=round(theme.title * 0.7)),
            font=dict(size=theme.title, weight=600),
            subtitle=dict(font=dict(size=theme.small, color=theme.muted)),
        ),
        xaxis=axis,
        yaxis=axis,
        hoverlabel=dict(
            bgcolor=theme.surface,
            bordercolor=theme.line,
            namelength=0,
            font=dict(family=theme.font, size=theme.text, color=theme.ink),
        ),
        legend=dict(orientation="h", font=dict(size=theme.small)),
    )
    return go.layout.Template(layout=layout)


def shade(stops: tuple[str, ...], share: float) -> str:
    """The colour at a share (0..1) of the way along equally spaced stops, as a browser mixes it."""
    at = min(max(share, 0.0), 1.0) * (len(stops) - 1)
    lower, upper = stops[int(at)], stops[min(int(at) + 1, len(stops) - 1)]
    mixed = (round(a + (b - a) * (at % 1)) for a, b in zip(_channels(lower), _channels(upper), strict=True))
    return "#" + "".join(f"{channel:02x}" for channel in mixed)


def _channels(colour: str) -> list[int]:
    return [int(colour[start : start + 2], 16) for start in (1, 3, 5)]


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2) of `#rrggbb`, 0 to 1."""
    channels = (channel / 255 for channel in _channels(colour))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Contrast ratio (WCAG 2) of two colours, 1 to 21."""
    dark, bright = sorted((luminance(one), luminance(other)))
    return (bright + 0.05) / (dark + 0.05)


def ink_on(colour: str) -> str:
    """Near-black or near-white, whichever reads better on the colour."""
    return max("#16181d", "#fafafa", key=lambda ink: contrast(ink, colour))
