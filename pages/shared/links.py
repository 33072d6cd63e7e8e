"""Deep links: the query string of a page holds what is shown, and opening it shows the same.

Streamlit's own `bind="query-params"` is not used: it writes what a widget displays, so that a link made in Chinese would
not open in English, and leaves out whatever equals the default of the moment.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st


def restore(key: str, default: object, options: Sequence | None = None) -> None:
    """Settles the value of the widget `key` before it is drawn: the session's, else the link's, else the default.

    options: what is allowed; a value that is not (of another model, or mistyped in a link) is passed over.
    """
    by_name = None if options is None else {str(option): option for option in options}
    for value in (st.session_state.get(key), st.query_params.get(key)):
        if value is None or (by_name is not None and str(value) not in by_name):
            continue
        st.session_state[key] = value if by_name is None else by_name[str(value)]
        return
    st.session_state[key] = default


def record(key: str, default: object) -> None:
    """Writes the value of the widget `key` into the link; the default is left out, to keep links short."""
    value = st.session_state[key]
    if value != default:
        st.query_params[key] = str(value)
    elif key in st.query_params:
        del st.query_params[key]
