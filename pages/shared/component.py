"""The views that draw in the browser, as Streamlit components."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import streamlit as st

from viz_core.explorer.shared import read_bundle


def component(name: str, html: str, events: Sequence[str], bundle: str = "") -> Callable[..., Any]:
    """The component with its script and style sheet, `bundle` or of the same name; to be called with `key` and `data`.
    Call once per name, at a module's top level. events: what it reports."""
    bundle = bundle or name
    mount = st.components.v2.component(name, html=html, css=_file(f"{bundle}.css"), js=_file(f"{bundle}.js"))
    return partial(mount, **{f"on_{event}_change": _ignore for event in events})


def follow_theme(event: Any) -> None:
    """Reruns the page when the visitor switches to dark mode, as Streamlit does not. Call at the end of a fragment."""
    if event.theme:
        st.rerun()


def _file(name: str) -> str:
    # Streamlit takes a one-line string, as a bundle is, for a file name; the comment adds a second line.
    return f"/* {name} */\n" + read_bundle(name)


def _ignore() -> None:
    """Does nothing: Streamlit reports an event only if it has a callback."""
