"""The language and the theme of one visitor, from the session; never in a global."""

import logging
import secrets
from collections.abc import Callable
from contextlib import nullcontext

import streamlit as st

from pages.shared.wording import escape_markdown
from viz_core.language import Translator
from viz_core.log import logged_as
from viz_core.records import Failure
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


def show_failure(failure: Failure, icon: str = "error", draw: Callable = st.error) -> None:
    """Says why something is not possible."""
    draw(escape_markdown(translator()(failure.message)), icon=f":material/{icon}:")


def act(action: Callable[[], object], under_way: str = "") -> None:
    """Runs the action of a button and reruns the page, or shows why the action failed. under_way: what is said until it
    ends."""
    try:
        with st.spinner(under_way) if under_way else nullcontext():
            action()
    except Failure as failure:
        show_failure(failure)
    else:
        st.rerun()


def page_theme() -> Theme:
    """The theme of the visitor's browser, light or dark; larger in projector mode."""
    return theme(st.context.theme.type or "light", projector=st.session_state.get("projector", False))
