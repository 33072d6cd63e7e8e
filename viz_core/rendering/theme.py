"""Every colour, font and size of the views, for a light or a dark page, on a laptop or a projector.

Weights are violet. Differences are blue above 0 and orange below, agreement is grey. The two
classes, and an answer that is right, are rose and green; more classes have their own palette. Sentence A is blue,
sentence B orange, special tokens grey. Both scales start in the page's background colour and have
steps of equal size in OKLab; pairs of hues stay distinguishable under simulated colour blindness
(`tests/rendering/test_theme.py` measures both).
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import plotly.graph_objects as go

# Streamlit's own text face first, so that charts and page agree; Noto Sans CJK has the same Latin letters.
FONT = (
    "'Source Sans', 'Source Sans 3', 'Noto Sans CJK SC', 'Noto Sans SC', 'PingFang SC', 'Microsoft YaHei', sans-serif"
)
PROJECTOR = 1.4  # factor on all sizes: text that the last row of a classroom can read
HALF_WIDTH = 0.6  # factor on the side of two figures in a row, so that both fit into a laptop's window


def _colours(codes: str) -> tuple[str, ...]:
    return tuple(codes.split())


# Hues of more than two classes: the ten of Petroff (2021), "Accessible Color Sequences for Data Visualization"
# (arXiv:2107.02270), selected to be told apart by colour-blind eyes. The pale ones have less than 3:1 on white, so that
# marks have an edge and a name beside them.
CATEGORIES = _colours("#3f90da #ffa90e #bd1f01 #94a4a2 #832db6 #a96b59 #e76300 #b9ac70 #717581 #92dadd")

SPECIAL, FIRST, SECOND = -1, 0, 1  # groups of tokens: special tokens, sentence A, sentence B


@dataclass(frozen=True)
class Theme:
    """Colours as `#rrggbb`, sizes in px.

    Attributes:
        background: Background of Streamlit's page.
        surface: Quiet areas on it.
        ink, muted, line: Text, secondary text, thin lines.
        accent: Selected elements.
        sequential: Equally spaced stops for weights from 0 up.
        diverging: The same for signed numbers, from negative (orange) over 0 (the middle stop) to
            positive (blue).
        groups: Hues of special tokens, sentence A and sentence B.
        classes: Hues of the two labels of a task.
        query, key: Hues of the query and the key of an attention weight.
        heads: Hues of compared heads and runs.
        text, small, title: Font sizes.
        row: Height of a row of bars.
        side: Side of a heat map.
        categories: Hues of more than two labels.
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
    categories: tuple[str, ...] = CATEGORIES

    def group(self, number: int) -> str:
        """Hue of a group of tokens: -1 special, 0 sentence A, 1 sentence B."""
        return self.groups[number - SPECIAL]

    def class_hues(self, count: int) -> tuple[str, ...]:
        """Hues of `count` classes; from the eleventh on they repeat."""
        if count == len(self.classes):
            return self.classes
        return tuple(self.categories[number % len(self.categories)] for number in range(count))

    def with_colours(self, hues: tuple[str, ...]) -> "Theme":
        """The theme with these hues for the classes of a task, by number; without any, as it is."""
        if len(hues) == len(self.classes):
            return replace(self, classes=(hues[0], hues[1]))
        return replace(self, categories=hues + self.categories[len(hues) :])

    @property
    def neutral(self) -> tuple[str, str]:
        """Scale without hue, for agreement: from the background to grey."""
        return self.background, self.muted


_LIGHT = Theme(
    mode="light",
    background="#ffffff",
    surface="#f4f5f8",
    ink="#262730",
    muted="#666a75",
    line="#cfd2da",
    accent="#624eb9",
    sequential=_colours("#ffffff #e3e7ff #c9cefa #b2b5f3 #9c9be9 #8881dc #7567cc #624eb9 #4f36a1 #3d2183 #2c1262"),
    diverging=_colours("#a44c04 #ca6815 #e38e4b #f4b581 #fddbbd #ffffff #c7e3ff #93c6fa #66a5e9 #4183d0 #2462b1"),
    groups=("#8a8f98", "#1f6fb4", "#c77700"),
    classes=("#9c2a66", "#5f9e2f"),
    query="#007a8a",
    key="#c62828",
    heads=_colours("#624eb9 #d55e00 #2b95c9 #6b3410 #0b3c7d #9a7b00 #5c5c5c #a06fe0"),
)
_DARK = Theme(
    mode="dark",
    background="#0e1117",
    surface="#1a1e27",
    ink="#fafafa",
    muted="#a3a8b4",
    line="#3a404c",
    accent="#a778dd",
    sequential=_colours("#0e1117 #1e1e3c #322d61 #493b89 #644cad #8561c7 #a778dd #c594ea #e1afe8 #f8cce2 #ffe9d4"),
    diverging=_colours("#faaa51 #cf812f #a05d1c #6f3e19 #3e261a #0e1117 #1b2e47 #29507a #3c75ac #579ddb #81c5fe"),
    groups=("#7d838e", "#5aa9e6", "#f0a830"),
    classes=("#d8649d", "#9ad463"),
    query="#22d3ee",
    key="#ff6b6b",
    heads=_colours("#a778dd #ff9d5c #72c2f2 #f0dc72 #b5824c #c4c4c4 #5f7cf0 #c4e9f7"),
)


def theme(mode: Literal["light", "dark"], projector: bool = False) -> Theme:
    """Theme of a page.

    Args:
        projector: Larger text and figures.

    Raises:
        ValueError: For another mode.
    """
    if mode not in ("light", "dark"):
        raise ValueError(f"mode {mode!r} is neither 'light' nor 'dark'")
    base = _LIGHT if mode == "light" else _DARK
    if not projector:
        return base
    sizes = {name: round(getattr(base, name) * PROJECTOR) for name in ("text", "small", "title", "row", "side")}
    return replace(base, **sizes)


def half_width(theme: Theme) -> Theme:
    """Theme for two figures in a row."""
    return replace(theme, side=round(theme.side * HALF_WIDTH))


def colourscale(stops: tuple[str, ...]) -> list[tuple[float, str]]:
    """Stops of a theme as a plotly colour scale: `(position in 0..1, colour)`."""
    return [(index / (len(stops) - 1), colour) for index, colour in enumerate(stops)]


@lru_cache(maxsize=16)
def template(theme: Theme) -> go.layout.Template:
    """Plotly template of every figure: the page's colours and fonts, no grid; figures copy it."""
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
    """Colour at a share (0..1) of the way along equally spaced stops.

    It is interpolated in sRGB, as browsers do.
    """
    index = min(max(share, 0.0), 1.0) * (len(stops) - 1)
    lower, upper = stops[int(index)], stops[min(int(index) + 1, len(stops) - 1)]
    mixed = (round(a + (b - a) * (index % 1)) for a, b in zip(_channels(lower), _channels(upper), strict=True))
    return "#" + "".join(f"{channel:02x}" for channel in mixed)


def _channels(colour: str) -> list[int]:
    return [int(colour[start : start + 2], 16) for start in (1, 3, 5)]


def translucent(colour: str, opacity: float) -> str:
    """Colour as CSS's `rgba`.

    Args:
        opacity: 0 to 1.
    """
    return f"rgba({','.join(map(str, _channels(colour)))},{opacity})"


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2) of `#rrggbb`, 0 to 1."""
    channels = (channel / 255 for channel in _channels(colour))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    """Contrast ratio (WCAG 2) of two colours, 1 to 21."""
    dark, bright = sorted((luminance(first), luminance(second)))
    return (bright + 0.05) / (dark + 0.05)


@lru_cache(maxsize=4096)
def ink_on(colour: str) -> str:
    """Black or white, whichever reads better on the colour.

    The contrast is at least 4.58:1; WCAG 2.2 asks for 4.5.
    """
    return max("#000000", "#ffffff", key=lambda ink: contrast(ink, colour))
