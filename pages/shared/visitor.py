"""What belongs to one visitor: language and theme. Kept in the session and in the link, never in a global."""

from __future__ import annotations

import streamlit as st

from pages.shared import links
from viz_core.language import LANGUAGES, Translator, closest
from viz_core.rendering.theme import Theme, theme

# Streamlit leaves six empty lines above a page; a projector has none to spare.
_STYLE = "<style>.stMainBlockContainer { padding-top: 4rem; padding-bottom: 4rem; }</style>"
_MARKDOWN = frozenset("\\`*_{}[]()<>#+-.!|$:~^=")
_PROJECTOR = "<style>html { font-size: 20px !important; }</style>"  # Streamlit measures everything in this unit


def pages() -> list:
    """The pages of the app, in the order of the navigation; the first answers at `/`."""
    say = translator()
    return [
        st.Page("pages/home.py", title=say("pages.home"), default=True),
        st.Page("pages/sentiment.py", title=say("pages.sentiment")),
        st.Page("pages/matching.py", title=say("pages.matching")),
    ]


def settings() -> None:
    """Settles the visitor's language: what was chosen, else what the link says, else the browser's."""
    links.restore("lang", closest(st.context.locale), list(LANGUAGES))
    links.record("lang", None)  # always in the link: whoever opens it may have a browser in another language


def settings_row() -> None:
    """Draws the row of settings that every page shares."""
    settings()
    say = translator()
    links.restore("projector", False, (False, True))
    st.html(_STYLE + (_PROJECTOR if st.session_state["projector"] else ""))
    with st.container(horizontal=True, horizontal_alignment="right", vertical_alignment="center", key="settings"):
        st.toggle(say("pages.projector"), key="projector", help=say("pages.projector_help"), persist_state="session",
                  width="content")
        st.segmented_control("Language · 语言", list(LANGUAGES), key="lang", required=True, format_func=LANGUAGES.get,
                             label_visibility="collapsed", persist_state="session")
    links.record("projector", False)


def translator() -> Translator:
    """The visitor's translator, for a page."""
    if "lang" not in st.session_state:
        # Streamlit, seeing a folder `pages/`, takes the app for one of its older kind until st.navigation is called once.
        # If a page's address is the first that a fresh server is asked for, the page therefore runs without app.py.
        settings()
        st.navigation(pages(), position="top")
        st.rerun()
    return Translator(st.session_state["lang"])


def page_theme() -> Theme:
    """Light or dark as the visitor's browser shows the app, larger in projector mode."""
    return theme(st.context.theme.type or "light", projector=st.session_state.get("projector", False))


def plain(sentence: str) -> str:
    """A sentence with somebody's words in it, for places that read Markdown: shown to the letter."""
    return "".join(f"\\{character}" if character in _MARKDOWN else character for character in sentence)
