"""The language and the theme of one visitor, from the session; never in a global."""

from __future__ import annotations

import logging
import secrets

import streamlit as st

from viz_core.language import Translator
from viz_core.log import logged_as
from viz_core.rendering.theme import Theme, theme

_TITLE = 64  # px; the settings row stands beside the title (pages/frame.py), which a page that fails may not have drawn


def translator() -> Translator:
    """The visitor's translator."""
    return Translator(st.session_state["lang"])


def show_page_error(error: Exception) -> bool:
    """Shows a sentence in place of a traceback, which goes to the log instead, under the number in the sentence."""
    number = secrets.token_hex(4)
    with logged_as(number):
        logging.getLogger(__name__).error("A page failed", exc_info=error)
    say = Translator(st.session_state.get("lang", "en"))
    st.space(_TITLE)
    st.error(say("pages.failed", kind=type(error).__name__, number=number), icon=":material/bug_report:")
    return True


def page_theme() -> Theme:
    """The theme of the visitor's browser, light or dark; larger in projector mode."""
    return theme(st.context.theme.type or "light", projector=st.session_state.get("projector", False))
