"""Deep links: the query string of a page holds what is shown, and opening it shows the same.

Streamlit's own `bind="query-params"` is not used: it writes what a widget displays, so that a link made in Chinese would
not open in English, and leaves out whatever equals the default of the moment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
    write({key: str(st.session_state[key])}, {key: str(default)})


def write(values: Mapping[str, str], defaults: Mapping[str, str]) -> None:
    """Writes values into the link, those that differ from their defaults; the others are taken out of it.

    All at once: each message that changes the address becomes a step of the browser's history.
    """
    before = st.query_params.to_dict()
    others = {name: value for name, value in before.items() if name not in values}
    after = others | {name: value for name, value in values.items() if value != defaults[name]}
    if after != before:
        st.query_params.from_dict(after)
