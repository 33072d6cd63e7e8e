"""The explorer on a page: the bytes that it draws, and its selection in the session and in the link.

Drawing never waits for the server: the browser reports a selection at rest, and the server only updates the link.
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
from pages.shared.selection import defaults, remember, selection, valid_choices
from pages.shared.visitor import page_theme, translator
from viz_core.analysis.heads import head_statistics
from viz_core.checkpoints import CheckpointInfo
from viz_core.explorer import packing
from viz_core.records import Explanation

CACHED_BYTES = 64 * 2**20  # of packed inputs, for all visitors; an input takes up to 1 MB


_explorer = component("explorer", '<div class="explorer"></div>')


@st.cache_resource(show_spinner=False)
def _pack_cache() -> tuple[LRUCache, threading.Lock]:
    return LRUCache(CACHED_BYTES, getsizeof=len), threading.Lock()


def pack_explorer(info: CheckpointInfo, explanation: Explanation) -> bytes:
    """The bytes that the browser draws, for this visitor's language, theme and selection."""
    say, theme, selected = translator(), page_theme(), selection(explanation)
    texts = explanation.encoding.texts
    cache, lock = _pack_cache()
    key = hashkey(info.path, weights_time(info), *texts, language=say.language, theme=theme, **selected)
    request = {"url": heads.PATH, "body": {"task": explanation.task, "model": explanation.model, "texts": texts}}

    @cached(cache, key=lambda: key, lock=lock)
    def pack() -> bytes:
        return packing.pack(explanation, head_statistics(explanation), say, theme, selected, request)

    return pack()


def mount_explorer(explanation: Explanation, data: bytes) -> dict[str, str]:
    """Draws the explorer, writes its selection into the link and returns it.

    Call in a fragment: a new selection then reruns the fragment alone, and because `data` is unchanged, Streamlit sends
    a reference in place of up to 1 MB.
    """
    # Both are events, not state: selecting the same again after a change of text is reported, too.
    event = _explorer(
        key=f"explorer_{explanation.task}", data=data, on_selection_change=_ignore, on_theme_change=_ignore
    )
    selected = (
        defaults(explanation) | valid_choices(event.selection, explanation)
        if event.selection
        else selection(explanation)
    )
    remember(explanation, selected)
    links.write(selected, defaults(explanation))
    if event.theme:  # Streamlit does not rerun a page when the visitor switches to dark mode
        st.rerun()
    return selected


def _ignore() -> None:
    """Does nothing: Streamlit reports an event only if it has a callback."""
