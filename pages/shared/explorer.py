"""The explorer on a page: the bytes that it draws, and what is selected in it, kept in the session and in the link.

Drawing never waits for the server. The browser reports a selection once it rests; nothing is sent back but the link.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping, Sequence

import streamlit as st
from cachetools import LRUCache, cached
from cachetools.keys import hashkey

from pages.shared import gallery, heads, links
from pages.shared.models import stamp
from pages.shared.visitor import page_theme, translator
from viz_core.analysis.heads import head_statistics
from viz_core.analysis.selection import BLOCKS, SPECIAL_CHOICES
from viz_core.checkpoints import Listing
from viz_core.explorer import packing
from viz_core.explorer.shared import read_bundle
from viz_core.records import Explanation

CACHED_BYTES = 64 * 2**20  # of packed inputs, for all visitors together; one takes up to 1 MB
OF_ONE_INPUT = ("query", "key")  # what names tokens of the text, and means nothing in another
SCALES = ("sqrt", "linear", "log")
_HEAD = re.compile(r"(\*|[0-9]{1,3})\.(\*|[0-9]{1,3})")


def component_file(file: str) -> str:
    """A built script or style sheet; Streamlit takes text of a single line, as a bundle is, for the name of a file."""
    return f"/* {file} */\n" + read_bundle(file)


_explorer = st.components.v2.component(
    "explorer", html='<div class="explorer"></div>', css=component_file("explorer.css"), js=component_file("explorer.js"))


@st.cache_resource(show_spinner=False)
def _packs() -> tuple[LRUCache, threading.Lock]:
    return LRUCache(CACHED_BYTES, getsizeof=len), threading.Lock()


def packed(listing: Listing, explanation: Explanation) -> bytes:
    """What the browser draws, for this visitor's language, theme and selection."""
    say, theme, chosen = translator(), page_theme(), selection(explanation)
    texts = explanation.encoding.texts
    cache, lock = _packs()
    key = hashkey(listing.path, stamp(listing), *texts, language=say.language, theme=theme, **chosen)
    request = {"url": heads.PATH, "body": {"task": explanation.task, "model": explanation.model, "texts": texts}}

    @cached(cache, key=lambda: key, lock=lock)
    def pack() -> bytes:
        return packing.pack(explanation, head_statistics(explanation), say, theme, chosen, request)

    return pack()


def mounted(explanation: Explanation, data: bytes) -> dict[str, str]:
    """Draws the explorer, writes into the link what is selected in it, and returns that.

    To be called in a fragment: a report then runs the fragment alone, and since `data` is the same as before, Streamlit
    sends a reference to it in place of up to 1 MB.
    """
    # Both are events, not state: the second of two alike reports, with another text between them, counts as well.
    told = _explorer(key=f"explorer_{explanation.task}", data=data, on_selection_change=_pass, on_theme_change=_pass)
    chosen = defaults(explanation) | fitting(told.selection, explanation) if told.selection else selection(explanation)
    st.session_state[_state(explanation.task)] = (_input(explanation), chosen)
    links.write(chosen, defaults(explanation))
    if told.theme:  # Streamlit itself does not run a page again when its visitor turns it dark
        st.rerun()
    return chosen


def selection(explanation: Explanation) -> dict[str, str]:
    """The session's selection, else the link's, else the defaults; a query or key only of the input that it was made in."""
    given = _input(explanation)
    made_in, chosen = st.session_state.get(_state(explanation.task), (given, st.query_params.to_dict()))
    if made_in != given:
        chosen = {name: value for name, value in chosen.items() if name not in OF_ONE_INPUT}
    return defaults(explanation) | fitting(chosen, explanation)


def select(listing: Listing, texts: Sequence[str], chosen: Mapping[str, str]) -> None:
    """What is to be selected when this input is opened, in the short form of the link."""
    st.session_state[_state(listing.task)] = ((listing.name, tuple(texts)), dict(chosen))


def defaults(explanation: Explanation) -> dict[str, str]:
    """What is selected unless somebody says otherwise, in the short form of viz_core/explorer/source/explorer/selection.js."""
    layers, count = explanation.attention.shape[:2]
    chosen = gallery.HEADS.get(f"{explanation.task}/{explanation.model}", "")
    return {
        "head": chosen if parsed(chosen, layers, count) else f"{layers}.1",
        "query": "1" if explanation.pooling == "cls" else "all", "key": "", "unit": _units(explanation)[0],
        "special": "shown", "block": "all", "scale": "sqrt", "direction": "from", "views": "12345"}


def fitting(values: Mapping[str, object], explanation: Explanation) -> dict[str, str]:
    """Those of the values that can be selected in this input; what is mistyped, or of another model, is passed over."""
    layers, count, tokens, _ = explanation.attention.shape
    units, places = _units(explanation), [str(place) for place in range(1, tokens + 1)]
    choices = {
        "query": ["all", *places], "key": ["", *places], "unit": units, "special": SPECIAL_CHOICES,
        "block": BLOCKS if len(units) > 1 else ["all"], "scale": SCALES, "direction": ["from", "to"]}
    kept = {name: value for name, value in values.items() if name in choices and value in choices[name]}
    head, views = str(values.get("head")), str(values.get("views"))
    if parsed(head, layers, count):
        kept["head"] = head
    if re.fullmatch("[1-5]+", views):
        kept["views"] = "".join(sorted(set(views)))
    return kept


def parsed(link: str, layers: int, count: int) -> list[tuple[int | None, int | None]]:
    """Layer and head of each `layer.head` of a link, from 0, None for all; nothing where one of them is not there."""
    found = []
    for part in link.split(" "):
        match = _HEAD.fullmatch(part)
        if match is None:
            return []
        layer, head = (None if number == "*" else int(number) - 1 for number in match.groups())
        if not (layer is None or 0 <= layer < layers) or not (head is None or 0 <= head < count):
            return []
        found.append((layer, head))
    return found


def _units(explanation: Explanation) -> tuple[str, ...]:
    """How tokens can be read, the usual way first: in a review, a token is a word."""
    return ("word", "token") if len(explanation.encoding.texts) == 2 else ("token",)


def _pass() -> None:
    """Streamlit tells of an event only who names a callback for it."""


def _input(explanation: Explanation) -> tuple:
    return explanation.model, explanation.encoding.texts


def _state(task: str) -> str:
    return f"selection_{task}"
