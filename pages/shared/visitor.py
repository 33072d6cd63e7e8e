"""The language and the theme of one visitor, from the session; never in a global."""

import logging
import secrets
from collections.abc import Callable
from contextlib import nullcontext

import streamlit as st

from pages.shared.clients import Rate, page_client
from pages.shared.wording import escape_markdown
from viz_core.language import Translator, closest_language
from viz_core.log import logged_as
from viz_core.records import Failure
from viz_core.rendering.theme import Theme, theme

_TITLE = 64  # px; the settings row stands beside the title (pages/frame.py), which a page that fails may not have drawn
# Of an address; further errors are a line each: forged messages can have a page fail as often as they like.
_tracebacks = Rate(10, 10.0)
_log = logging.getLogger(__name__)


def translator() -> Translator:
    """The visitor's translator."""
    return Translator(st.session_state["lang"])


def show_page_error(error: Exception) -> bool:
    """Shows a sentence in place of a traceback, which goes to the log instead, under the number in the sentence."""
    number = secrets.token_hex(4)
    with logged_as(number):
        if _tracebacks.take(page_client().address):
            _log.error("A page failed: %s", type(error).__name__)
        else:
            _log.error("A page failed", exc_info=error)
    say = Translator(_language())
    st.space(_TITLE)
    st.error(say("pages.failed", kind=type(error).__name__, number=number), icon=":material/bug_report:")
    return True


def log_page_errors_once() -> None:
    """Leaves out what Streamlit logs of an error of a page before it asks `show_page_error`."""
    logging.getLogger("streamlit.error_util").addFilter(lambda record: record.msg != "Uncaught app execution")


def _language() -> str:
    """The visitor's language; English where a forged message has put something else into the session."""
    try:
        return closest_language(st.session_state["lang"])
    except Exception:
        return "en"


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
