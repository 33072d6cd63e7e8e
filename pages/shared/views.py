"""The views of one explanation, in the order in which a teacher would walk through them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from pages.shared import downloads, links
from pages.shared.visitor import page_theme, plain, translator
from viz_core.analysis.numbers import explanation_npz, map_csv, weights_csv
from viz_core.analysis.selection import BLOCKS, SPECIAL_CHOICES, attention_map, default_source, token_weights
from viz_core.records import Explanation
from viz_core.rendering.bars import token_bars
from viz_core.rendering.heatmap import attention_heatmap
from viz_core.rendering.probabilities import probability_bars, verdict
from viz_core.rendering.shaded_text import shaded_text
from viz_core.rendering.small_multiples import head_grid
from viz_core.rendering.token_table import token_table

MEAN = "mean"
SCALES = ("sqrt", "linear", "log")
TOP = 15  # bars shown unless the text order is asked for
LONG = 120  # from so many tokens on the shaded text scrolls, so that the heat map beside it stays in sight


@dataclass(frozen=True)
class Selection:
    """What the controls say: None for a mean; unit, special, block and scale as in `analysis.selection`."""

    layer: int | None
    head: int | None
    unit: str
    special: str
    block: str
    scale: str


def prediction(explanation: Explanation) -> None:
    """The answer in words and as bars, and everything the reader should know about the input."""
    say = translator()
    st.subheader(say("pages.says"), anchor="prediction")
    for notice in explanation.notices:
        st.warning(plain(say(notice)), icon=":material/info:")
    words, bars = st.columns([2, 3], gap="large")
    words.markdown(f"#### {say(verdict(explanation))}")
    words.caption(say("pages.confidence_note"))
    with bars:
        downloads.show(probability_bars(explanation, say, page_theme()), "probabilities", alt=say(verdict(explanation)))


def tokens(explanation: Explanation) -> None:
    """What the model read: the token table, folded away until somebody asks."""
    say = translator()
    with st.expander(say("pages.read", count=len(explanation.encoding.tokens)), icon=":material/toc:"):
        st.caption(say(f"pages.read_note_{explanation.task}"))
        downloads.show(token_table(explanation.encoding, say, page_theme()), "tokens")


@st.fragment
def attention(explanation: Explanation) -> None:
    """All views of attention with the controls they share; a change redraws this part of the page alone."""
    say = translator()
    st.subheader(say("pages.attention"), anchor="attention")
    st.caption(say("pages.attention_note"))
    chosen = _controls(explanation)
    text, heat = st.columns([2, 3], gap="large")
    with text:
        _token_views(explanation, chosen)
    with heat:
        _heat_map(explanation, chosen)
    _all_heads(explanation, chosen)
    st.download_button(say("pages.download_npz"), lambda: explanation_npz(explanation), "attention.npz",
                       "application/octet-stream", on_click="ignore", icon=":material/data_array:", key="npz")


def _controls(explanation: Explanation) -> Selection:
    say, pair = translator(), len(explanation.encoding.texts) == 2
    layers, heads = explanation.attention.shape[:2]
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="controls"):
        layer = _number(say("pages.layer"), "layer", layers)
        head = _number(say("pages.head"), "head", heads)
        unit = _choice("unit", ("word", "token")) if pair else "token"
        block = _choice("block", BLOCKS) if pair else "all"
        special = _choice("special", SPECIAL_CHOICES)
        scale = _choice("scale", SCALES)
    return Selection(layer, head, unit, special, block, scale)


def _number(label: str, key: str, count: int) -> int | None:
    """Layer or head, numbered from 1 on the page and from 0 in the answer; None for the mean."""
    names = {MEAN: translator()("pages.mean"), **{str(number): str(number) for number in range(1, count + 1)}}
    chosen = _buttons(label, key, names, default=str(count))
    return None if chosen == MEAN else int(chosen) - 1


def _buttons(label: str, key: str, names: dict[str, str], default: str) -> str:
    """One of the keys of `names`, shown by its name."""
    links.restore(key, default, list(names))
    chosen = st.segmented_control(label, list(names), key=key, required=True, format_func=names.get,
                                  persist_state="session")
    links.record(key, default)
    return chosen


def _choice(key: str, options: Sequence[str]) -> str:
    """A box of options; the first is the default."""
    say = translator()
    links.restore(key, options[0], options)
    names = {name: say(f"pages.{key}_{name}") for name in options}
    chosen = st.selectbox(say(f"pages.{key}"), options, key=key, width=150, help=say(f"pages.{key}_help"),
                          format_func=names.get, persist_state="session")
    links.record(key, options[0])
    return chosen


def _token_views(explanation: Explanation, chosen: Selection) -> None:
    say = translator()
    sources = {name: say(f"pages.source_{name}") for name in ("cls", "received")}
    source = _buttons(say("pages.source"), "source", sources, default_source(explanation))
    weights = token_weights(explanation, chosen.layer, chosen.head, chosen.unit, source, chosen.special)
    with _scrolled(len(weights.labels) > LONG, height=420):
        downloads.show(shaded_text(weights, say, page_theme()), "text", lambda: weights_csv(weights))
    orders = {name: say(f"pages.order_{name}", count=TOP) for name in ("strongest", "text")}
    order = _buttons(say("pages.order"), "order", orders, "strongest")
    bars = token_bars(weights, say, page_theme(), TOP if order == "strongest" else None)
    with _scrolled(order == "text" and len(weights.labels) > TOP, height=560):
        downloads.show(bars, "bars", lambda: weights_csv(weights), alt=say(weights.title))


def _scrolled(long: bool, height: int):
    """A container that scrolls where its content is long, and else is as high as its content."""
    return st.container(height=height if long else "content", border=False)


def _heat_map(explanation: Explanation, chosen: Selection) -> None:
    say = translator()
    shown = attention_map(explanation, chosen.layer, chosen.head, chosen.special, chosen.block, chosen.unit)
    downloads.show(attention_heatmap(shown, say, page_theme(), chosen.scale), "heatmap", lambda: map_csv(shown),
                   alt=say(shown.title))


def _all_heads(explanation: Explanation, chosen: Selection) -> None:
    say = translator()
    layers, heads = explanation.attention.shape[:2]
    layer = layers - 1 if chosen.layer is None else chosen.layer
    st.subheader(say("pages.all_heads", layer=layer + 1), anchor="heads")
    st.caption(say("pages.all_heads_note"))
    maps = [attention_map(explanation, layer, head, chosen.special, chosen.block, chosen.unit) for head in range(heads)]
    titles = [say("pages.head_number", head=head + 1) for head in range(heads)]
    downloads.show(head_grid(maps, titles, say, page_theme(), chosen.scale), "heads",
                   alt=say("pages.all_heads", layer=layer + 1))
