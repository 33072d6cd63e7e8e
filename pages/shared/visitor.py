"""What belongs to one visitor: language and theme. Kept in the session and in the link, never in a global."""

from __future__ import annotations

import logging

import streamlit as st

from pages.shared import links
from viz_core.language import LANGUAGES, Translator, closest
from viz_core.rendering.theme import Theme, theme

# Streamlit leaves six empty lines above a page and sets titles for an essay; a projector has no line to spare. Where
# there is room, the settings stand beside the title. What unfolds is there at once: Streamlit lets it grow, and at the end
# it is small again for a moment, in which the page, shorter then, jumps up, and with it a menu that was just opened. The
# last cell of a table's row, a sentence, may be as wide as a line can well be read; figures before it stay in one.
_STYLE = """<style>
.stMainBlockContainer { padding-top: 4rem; padding-bottom: 4rem; }
.stMainBlockContainer h1 { font-size: 2rem; padding: 0.2rem 0; }
.stMainBlockContainer h3 { font-size: 1.5rem; padding: 0.3rem 0; }
@media (min-width: 900px) { .st-key-settings { margin-bottom: -4.2rem; z-index: 1; } }
.stExpander details:not(:has(> [inert])) { height: auto !important; }
.stTable [data-testid="stMarkdownContainer"] { max-width: 45rem; }
.stTable td:not(:last-child) p { white-space: nowrap; }
</style>"""
_MARKDOWN = frozenset("\\`*_{}[]()<>#+-.!|$:~^=")
_PROJECTOR = "<style>html { font-size: 20px !important; }</style>"  # Streamlit measures everything in this unit


def settings_row() -> None:
    """Draws the row of settings that every page shares."""
    links.restore("lang", closest(st.context.locale), list(LANGUAGES))
    links.record("lang", None)  # always in the link: whoever opens it may have a browser in another language
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
    """The visitor's translator."""
    return Translator(st.session_state["lang"])


def apologise(error: Exception) -> bool:
    """What a visitor sees where the code failed: a sentence, in place of a traceback, which goes to the terminal."""
    logging.getLogger(__name__).error("A page failed", exc_info=error)
    language = st.session_state.get("lang", "en")
    st.error(Translator(language)("pages.failed", kind=type(error).__name__), icon=":material/bug_report:")
    return True


def page_theme() -> Theme:
    """Light or dark as the visitor's browser shows the app, larger in projector mode."""
    return theme(st.context.theme.type or "light", projector=st.session_state.get("projector", False))


def plain(sentence: str) -> str:
    """A sentence with somebody's words in it, for places that read Markdown: shown to the letter."""
    return "".join(f"\\{character}" if character in _MARKDOWN else character for character in sentence)
