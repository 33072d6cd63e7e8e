"""The text as typed, every token shaded by its weight."""

import numpy as np

from viz_core.language import Translator
from viz_core.records import Measure, TokenWeights
from viz_core.rendering import scales
from viz_core.rendering.checks import check_weights
from viz_core.rendering.heatmap import unit_of
from viz_core.rendering.labels import HOVER_COLUMNS, printable, shorten
from viz_core.rendering.markup import root, safe
from viz_core.rendering.theme import SPECIAL, Theme, ink_on, shade

_CSS = """
& .title{font-size:var(--am-title);font-weight:600;margin:0 0 .4em}
& .line{display:flex;gap:.7em;margin:.5em 0;align-items:baseline}
& .name{font-weight:700} & .a{color:var(--am-a)} & .b{color:var(--am-b)}
& .typed{white-space:pre-wrap;overflow-wrap:anywhere;min-width:0}
& .typed{line-height:1.9;font-size:calc(var(--am-text)*1.25)}
& .token{border-radius:3px;padding:.12em 0;margin:0 1px 0 0;unicode-bidi:isolate}
& .token{box-decoration-break:clone;-webkit-box-decoration-break:clone}
& .chip{border-radius:3px;padding:.1em .35em;font-size:var(--am-small);white-space:nowrap}
& .chip{border:1px solid var(--am-line)}
& .legend{display:flex;align-items:flex-start;gap:.7em;margin-top:.9em;font-size:var(--am-small);color:var(--am-muted)}
& .strip{height:.8em;width:24em;border:1px solid var(--am-line);border-radius:2px}
& .marks{position:relative;height:1.5em;width:24em} & .marks span{position:absolute;transform:translateX(-50%)}
"""


def shaded_text(
    weights: TokenWeights, say: Translator, theme: Theme, scale: scales.Scale = "linear", limit: scales.Limit = "full"
) -> str:
    """HTML of the text or pair with each token on the colour of its weight, and a legend.

    Characters between tokens stay unshaded; special tokens are chips at their position, or around
    the text that they do not stand in; tooltips show exact weights.

    Args:
        limit: Of the colours (`scales.limits`).

    Raises:
        ValueError: If the arrays do not match or spans overlap.
        Failure: If weights are not finite.
    """
    check_weights(weights)
    colours = _ColourScale(scales.limits(np.asarray(weights.weights, float), weights.measure, limit), scale, theme)
    pair = len(weights.texts) > 1
    lines = [_line(weights, number, colours, say, pair) for number in range(len(weights.texts))]
    title = f'<div class="title">{safe(say(weights.title))}</div>'
    exceeds = float(np.max(weights.weights)) > colours.high
    return root("am-shaded", _CSS, title + "".join(lines) + _legend(colours, exceeds, weights.measure, say), theme)


class _ColourScale:
    """Colours of weights between two bounds."""

    def __init__(self, bounds: tuple[float, float], scale: scales.Scale, theme: Theme) -> None:
        self.low, self.high = bounds
        self.scale = scale
        self.stops = theme.diverging if self.low < 0 else theme.sequential

    def position(self, weight: float) -> float:
        """Position of a weight between the first (0) and the last (1) colour."""
        return float(scales.share(weight, self.low, self.high, self.scale).clip(0, 1))

    def colour(self, weight: float) -> str:
        return shade(self.stops, self.position(weight))


def _line(weights: TokenWeights, number: int, colours: _ColourScale, say: Translator, pair: bool) -> str:
    """HTML of one text: its tokens, the characters between them, and special tokens as chips."""
    groups, text = np.asarray(weights.groups), weights.texts[number]
    before: list[str] = []
    inside: list[str] = []
    after: list[str] = []
    end = 0
    for index in np.flatnonzero(_owners(weights) == number):
        weight, label = float(weights.weights[index]), weights.labels[index]
        start, stop = (int(offset) for offset in weights.spans[index])
        is_special = groups[index] == SPECIAL
        if is_special and start == stop:
            (after if (groups[:index] == number).any() else before).append(
                _span("chip", label, label, weight, colours, say)
            )
            continue
        kind, shown = ("chip", label) if is_special else ("token", text[start:stop])
        inside.append(safe(text[end:start]) + _span(kind, shown, label, weight, colours, say))
        end = stop
    name = f'<span class="name {"ab"[number]}">{"AB"[number]}</span>' if pair else ""
    body = "".join([" ".join([*before, ""]), *inside, safe(text[end:]), " ".join(["", *after])])
    return f'<div class="line">{name}<div class="typed">{body}</div></div>'


def _owners(weights: TokenWeights) -> np.ndarray:
    """Number of the text of each token, `(N,)`.

    A special token that stands in no text belongs to the one before it, leading ones to the first. One
    that stands in a text belongs to the next text where it begins before the last token ended.
    """
    owners, owner, end = [], 0, 0
    for group, (start, stop) in zip(weights.groups, weights.spans, strict=True):
        if group != SPECIAL:
            owner = int(group)
        elif start < min(stop, end):
            owner += 1
        end = stop if start < stop else end
        owners.append(owner)
    return np.array(owners, int)


def _span(kind: str, text: str, label: str, weight: float, colours: _ColourScale, say: Translator) -> str:
    colour = colours.colour(weight)
    tip = say("rendering.hover_bar", token=shorten(printable(label), HOVER_COLUMNS), weight=f"{weight:.4f}")
    return (
        f'<span class="{kind}" style="background:{colour};color:{ink_on(colour)}" title="{safe(tip)}">'
        f"{safe(text)}</span>"
    )


def _legend(colours: _ColourScale, exceeds: bool, measure: Measure, say: Translator) -> str:
    """The colours with their weights. exceeds: whether a weight is beyond the last colour."""
    marks = "".join(
        f'<span style="left:{colours.position(value):.1%}">'
        f"{'≥ ' if exceeds and value == colours.high else ''}{value:.2g}</span>"
        for value in scales.ticks(colours.low, colours.high, colours.scale)
    )
    name = say("rendering.difference" if colours.low < 0 else unit_of(measure))
    return (
        f'<div class="legend"><span>{safe(name)}</span><div><div class="strip" '
        f'style="background:linear-gradient(90deg,{",".join(colours.stops)})"></div>'
        f'<div class="marks">{marks}</div></div></div>'
    )
