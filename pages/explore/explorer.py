"""The explorer on a page: the bytes that it draws, and its selection in the session and in the link.

Drawing never waits for the server: the browser reports a selection at rest, and the server only updates the link.
"""

from __future__ import annotations

import streamlit as st

from pages.explore.component import component
from pages.routes.packed import pack_input
from pages.shared import links
from pages.shared.selection import defaults, remember, selection, valid_choices
from pages.shared.visitor import page_theme, translator
from viz_core.checkpoints import CheckpointInfo
from viz_core.records import Explanation

_explorer = component("explorer", '<div class="explorer"></div>')


def pack_explorer(info: CheckpointInfo, explanation: Explanation) -> bytes:
    """The bytes that the browser draws, for this visitor's language, theme and selection."""
    return pack_input(info, explanation, translator(), page_theme(), selection(explanation))


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
