"""The language and the theme of one visitor, from the session; never in a global."""

from __future__ import annotations

import logging

import streamlit as st

from viz_core.language import Translator
from viz_core.rendering.theme import Theme, theme


def translator() -> Translator:
    """The visitor's translator."""
    return Translator(st.session_state["lang"])


def show_page_error(error: Exception) -> bool:
    """Shows a sentence in place of a traceback, which goes to the log instead."""
    logging.getLogger(__name__).error("A page failed", exc_info=error)
    language = st.session_state.get("lang", "en")
    st.error(Translator(language)("pages.failed", kind=type(error).__name__), icon=":material/bug_report:")
    return True


def page_theme() -> Theme:
    """The theme of the visitor's browser, light or dark; larger in projector mode."""
    return theme(st.context.theme.type or "light", projector=st.session_state.get("projector", False))
