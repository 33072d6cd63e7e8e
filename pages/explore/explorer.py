"""The explorer on a page: the bytes that it draws, and what is selected in it, kept in the session and in the link.

Drawing never waits for the server. The browser reports a selection once it rests; nothing is sent back but the link.
"""

from __future__ import annotations

import threading

import streamlit as st
from cachetools import LRUCache, cached
from cachetools.keys import hashkey

from pages.explore.component import component
from pages.routes import heads
from pages.shared import links
from pages.shared.cache import weights_time
from pages.shared.selection import defaults, fitting, remember, selection
from pages.shared.visitor import page_theme, translator
from viz_core.analysis.heads import head_statistics
from viz_core.checkpoints import CheckpointInfo
from viz_core.explorer import packing
from viz_core.records import Explanation

CACHED_BYTES = 64 * 2**20  # of packed inputs, for all visitors together; one takes up to 1 MB


_explorer = component("explorer", '<div class="explorer"></div>')


@st.cache_resource(show_spinner=False)
def _packs() -> tuple[LRUCache, threading.Lock]:
    return LRUCache(CACHED_BYTES, getsizeof=len), threading.Lock()


def pack_explorer(info: CheckpointInfo, explanation: Explanation) -> bytes:
    """What the browser draws, for this visitor's language, theme and selection."""
    say, theme, chosen = translator(), page_theme(), selection(explanation)
    texts = explanation.encoding.texts
    cache, lock = _packs()
    key = hashkey(info.path, weights_time(info), *texts, language=say.language, theme=theme, **chosen)
    request = {"url": heads.PATH, "body": {"task": explanation.task, "model": explanation.model, "texts": texts}}

    @cached(cache, key=lambda: key, lock=lock)
    def pack() -> bytes:
        return packing.pack(explanation, head_statistics(explanation), say, theme, chosen, request)

    return pack()


def mount_explorer(explanation: Explanation, data: bytes) -> dict[str, str]:
    """Draws the explorer, writes into the link what is selected in it, and returns that.

    To be called in a fragment: a report then runs the fragment alone, and since `data` is the same as before, Streamlit
    sends a reference to it in place of up to 1 MB.
    """
    # Both are events, not state: the second of two alike reports, with another text between them, counts as well.
    told = _explorer(key=f"explorer_{explanation.task}", data=data, on_selection_change=_pass, on_theme_change=_pass)
    chosen = defaults(explanation) | fitting(told.selection, explanation) if told.selection else selection(explanation)
    remember(explanation, chosen)
    links.write(chosen, defaults(explanation))
    if told.theme:  # Streamlit itself does not run a page again when its visitor turns it dark
        st.rerun()
    return chosen


def _pass() -> None:
    """Streamlit tells of an event only who names a callback for it."""
