"""A live example: two questions, and the head that finds the words of one in the other."""

import streamlit as st

from pages.routes.packed import pack_input
from pages.shared.cache import explain_input
from pages.shared.component import component, follow_theme
from pages.shared.selection import defaults
from pages.shared.tasks import PAGES, PREVIEW
from pages.shared.visitor import page_theme, translator
from viz_core import checkpoints
from viz_core.records import Failure

# All heads, and the links of one from each word of the first question to those of the second.
_SELECTION = {"views": "14", "block": "ab", "special": "hidden", "query": "all"}
_preview = component("preview", '<div class="explorer"></div>', ["theme"], bundle="explorer")


@st.fragment
def preview() -> None:
    """The links between the words; nothing if the model of the example is missing."""
    say, record = translator(), PAGES[PREVIEW]
    info = next(iter(checkpoints.task_checkpoints(PREVIEW)), None)
    if info is None:
        return
    try:
        explanation = explain_input(info, *record.first_texts)
    except Failure:
        return
    st.caption(say("home.preview_note"))
    data = pack_input(info, explanation, say, page_theme(), {**defaults(explanation), **_SELECTION})
    follow_theme(_preview(key="preview", data=data))
