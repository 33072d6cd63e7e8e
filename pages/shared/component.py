"""The views that draw in the browser, as Streamlit components."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from viz_core.explorer.shared import read_bundle


def component(name: str, html: str, bundle: str = "") -> Callable:
    """The component with its script and style sheet, `bundle` or of the same name. Call once per name, at a module's
    top level."""
    bundle = bundle or name
    return st.components.v2.component(name, html=html, css=_file(f"{bundle}.css"), js=_file(f"{bundle}.js"))


def _file(name: str) -> str:
    # Streamlit takes a one-line string, as a bundle is, for a file name; the comment adds a second line.
    return f"/* {name} */\n" + read_bundle(name)
