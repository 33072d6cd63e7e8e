"""The explorer on a page, and below it the figures that can be kept."""

from __future__ import annotations

import streamlit as st

from pages.explore import explorer
from pages.shared import downloads
from pages.shared.cache import explain_input
from pages.shared.pickers import explain_or_warn
from pages.shared.selection import parsed
from pages.shared.visitor import page_theme, translator
from pages.shared.wording import escape_markdown
from viz_core.analysis.heads import head_statistics
from viz_core.analysis.selection import attention_map, default_source, token_weights
from viz_core.checkpoints import CheckpointInfo
from viz_core.explorer.standalone import standalone_explorer
from viz_core.language import Translator
from viz_core.records import Explanation
from viz_core.rendering.bars import token_bars
from viz_core.rendering.heatmap import attention_heatmap
from viz_core.rendering.shaded_text import shaded_text
from viz_core.rendering.small_multiples import head_grid
from viz_core.rendering.theme import Theme
from viz_core.tables.downloads import explanation_npz, map_csv, weights_csv

TOP = 15  # bars shown
LONG = 120  # from so many tokens on the shaded text scrolls, so that the heat map beside it stays in sight


def attention(info: CheckpointInfo, explanation: Explanation) -> None:
    """The explorer, and below it the figures that can be kept."""
    say = translator()
    st.subheader(say("pages.attention"), anchor="attention")
    st.caption(say("pages.attention_note"))
    # What is selected in the explorer runs the fragment alone. It is given no explanation: a fragment keeps what it is
    # given as long as its visitor stays, and an explanation can take 33 MB.
    _explored(info, explanation.encoding.texts, explorer.pack_explorer(info, explanation))


@st.fragment
def _explored(info: CheckpointInfo, texts: tuple[str, ...], data: bytes) -> None:
    if explanation := explain_or_warn(info, *texts):
        chosen = explorer.mount_explorer(explanation, data)
        kept = st.expander(translator()("pages.figures"), icon=":material/download:", key="figures", on_change="rerun")
        if kept.open:
            with kept:
                _figures(info, explanation, chosen)


def _figures(info: CheckpointInfo, explanation: Explanation, chosen: dict[str, str]) -> None:
    """What is selected in the explorer, as figures for print and as files."""
    say, look = translator(), page_theme()
    (layer, head), *others = parsed(chosen["head"], *explanation.attention.shape[:2])
    st.caption(say("pages.figures_note"))
    if others:
        st.caption(escape_markdown(say("pages.figures_one_head", head=chosen["head"].split(" ")[0])))
    text, heat = st.columns([2, 3], gap="large")
    with text:
        _token_views(explanation, layer, head, chosen)
    with heat:
        _heat_map(explanation, layer, head, chosen)
    _all_heads(explanation, layer, chosen)
    texts = explanation.encoding.texts
    with st.container(horizontal=True, gap="small"):
        st.download_button(
            say("pages.download_explorer"),
            lambda: _standalone(info, texts, say, look, chosen),
            "explorer.html",
            "text/html",
            on_click="ignore",
            icon=":material/open_in_browser:",
            key="save_explorer",
        )
        st.download_button(
            say("pages.download_npz"),
            lambda: explanation_npz(explain_input(info, *texts)),
            "attention.npz",
            "application/octet-stream",
            on_click="ignore",
            icon=":material/data_array:",
            key="npz",
        )


def _standalone(info: CheckpointInfo, texts: tuple[str, ...], say: Translator, look: Theme, chosen: dict[str, str]) -> str:
    explanation = explain_input(info, *texts)
    return standalone_explorer(explanation, head_statistics(explanation), say, look, chosen)


def _token_views(explanation: Explanation, layer: int | None, head: int | None, chosen: dict[str, str]) -> None:
    say = translator()
    source = {"1": "cls", "all": "received"}.get(chosen["query"]) or default_source(explanation)
    weights = token_weights(explanation, layer, head, chosen["unit"], source, chosen["special"])
    with st.container(height=420 if len(weights.labels) > LONG else "content", border=False):
        downloads.show(shaded_text(weights, say, page_theme()), "text", lambda: weights_csv(weights))
    downloads.show(
        token_bars(weights, say, page_theme(), TOP), "bars", lambda: weights_csv(weights), alt=say(weights.title)
    )


def _heat_map(explanation: Explanation, layer: int | None, head: int | None, chosen: dict[str, str]) -> None:
    say = translator()
    shown = attention_map(explanation, layer, head, chosen["special"], chosen["block"], chosen["unit"])
    downloads.show(
        attention_heatmap(shown, say, page_theme(), chosen["scale"]),
        "heatmap",
        lambda: map_csv(shown),
        alt=say(shown.title),
    )


def _all_heads(explanation: Explanation, layer: int | None, chosen: dict[str, str]) -> None:
    say = translator()
    layers, heads = explanation.attention.shape[:2]
    layer = layers - 1 if layer is None else layer
    st.subheader(say("pages.all_heads", layer=layer + 1), anchor="heads")
    st.caption(say("pages.all_heads_note"))
    maps = [
        attention_map(explanation, layer, head, chosen["special"], chosen["block"], chosen["unit"])
        for head in range(heads)
    ]
    titles = [say("pages.head_number", head=head + 1) for head in range(heads)]
    downloads.show(
        head_grid(maps, titles, say, page_theme(), chosen["scale"]),
        "heads",
        alt=say("pages.all_heads", layer=layer + 1),
    )
