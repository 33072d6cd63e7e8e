"""Caption below a picture, so that it can stand alone on a slide."""

import plotly.graph_objects as go

from viz_core.language import Translator
from viz_core.records import ELSEWHERE, Explanation, Translation
from viz_core.rendering.frame import EDGE, annotate, text_height, wrap_subtitle
from viz_core.rendering.labels import escape, printable, shorten
from viz_core.rendering.markup import safe
from viz_core.rendering.theme import Theme

TEXT_COLUMNS = 60  # columns of the texts in a caption


def caption(explanation: Explanation | Translation, say: Translator, date: str, head: str = "", scale: str = "") -> str:
    """Model, texts and date; the head and the colour scale if the picture depends on them.

    Args:
        head: Such as `2.1`, with `*` for a mean.
    """
    is_other = explanation.task in ELSEWHERE
    parts = [explanation.model if is_other else f"{explanation.task} / {explanation.model}"]
    if head:
        parts.append(say("explorer.caption_head", head=head))
        parts += [say("explorer.measure_norms")] * (explanation.measure == "norms")
    if scale:
        parts.append(say("explorer.caption_scale", scale=say(f"explorer.scale_{scale}")))
    return " · ".join([*parts, date, say("explorer.caption_text", text=_texts(explanation))])


def _texts(explanation: Explanation | Translation) -> str:
    def join(between: str, *texts: str) -> str:
        return between.join(shorten(printable(text), TEXT_COLUMNS) for text in texts)

    if isinstance(explanation, Translation):
        return join(" → ", explanation.source.texts[0], explanation.text)
    return join(" / ", *explanation.encoding.texts)


def name_head(layer: int | None, head: int | None) -> str:
    """Name layer and head, from 0, as in a link: `2.1`, with `*` for a mean."""
    return ".".join("*" if number is None else str(number + 1) for number in (layer, head))


def add_caption(view: go.Figure | str, text: str, theme: Theme) -> go.Figure | str:
    """Add the caption below a figure or HTML view; a figure is changed in place."""
    if isinstance(view, str):
        style = f"margin-top:{theme.text}px;color:{theme.muted};font:{theme.small}px {theme.font}"
        return f'<div>{view}<p style="{style}">{safe(text)}</p></div>'
    margin, edge = view.layout.margin, theme.text * EDGE
    lines = wrap_subtitle(theme, escape(text), view.layout.width)
    strip = round(text_height(lines.count("<br>") + 1, theme.small) + edge)
    across = dict(x=0, xref="paper", xanchor="left", xshift=edge - margin.l)
    down = dict(y=0, yref="paper", yanchor="bottom", yshift=-margin.b - strip + edge)
    annotate(view, lines, theme.small, theme.muted, align="left", **across, **down)
    view.update_layout(height=view.layout.height + strip, margin_b=margin.b + strip)
    return view
