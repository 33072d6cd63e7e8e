"""The views that draw in the browser, as Streamlit components."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import streamlit as st

from viz_core.explorer.shared import read_bundle


def component(name: str, html: str, events: Sequence[str], bundle: str = "") -> Callable[..., Any]:
    """The component with its script and style sheet, `bundle` or of the same name. Call once per name, at a module's
    top level. events: what it reports.

    To be called with `key`, `data` and, by event, what keeps its value: called before the page runs, because a click
    that follows what a person typed interrupts that run, and the value would be gone.
    """
    bundle = bundle or name
    draw = st.components.v2.component(name, html=html, css=_file(f"{bundle}.css"), js=_file(f"{bundle}.js"))

    def mount(key: str, data: Any, **keep: Callable[[Any], None]) -> Any:
        callbacks = {f"on_{event}_change": partial(_pass_on, key, event, keep.get(event)) for event in events}
        return draw(key=key, data=data, **callbacks)

    return mount


def follow_theme(event: Any) -> None:
    """Reruns the page when the visitor switches to dark mode, as Streamlit does not. Call at the end of a fragment."""
    if event.theme:
        st.rerun()


def _file(name: str) -> str:
    # Streamlit takes a one-line string, as a bundle is, for a file name; the comment adds a second line.
    return f"/* {name} */\n" + read_bundle(name)


def _pass_on(key: str, event: str, keep: Callable[[Any], None] | None) -> None:
    """Called with an event; also without `keep`, because Streamlit reports an event only if it has a callback."""
    if keep:
        keep(st.session_state[key][event])
