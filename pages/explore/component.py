"""What draws in the browser, as components of Streamlit."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from viz_core.explorer.shared import read_bundle


def component(name: str, html: str) -> Callable:
    """The component of this name with its built script and style sheet; to be called once, at a module's top level."""
    return st.components.v2.component(name, html=html, css=_file(f"{name}.css"), js=_file(f"{name}.js"))


def _file(name: str) -> str:
    # Streamlit takes text of a single line, as a bundle is, for the name of a file.
    return f"/* {name} */\n" + read_bundle(name)
