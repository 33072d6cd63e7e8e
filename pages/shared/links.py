"""Deep links: the query string of a page describes what it shows, and opening the link shows the same.

Streamlit's own `bind="query-params"` is not used: it writes the displayed option, so that a link made in Chinese would
not open in English, and it omits whatever equals the current default.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import streamlit as st

from pages.shared import history


def restore(key: str, default: object, options: Sequence | None = None) -> None:
    """Sets the value of the widget `key` before it is drawn: the session's, else the link's, else the default.

    After the browser went back or forward: the link's, else the default.
    options: the allowed values; any other (of another model, or mistyped in a link) is ignored.
    """
    allowed = None if options is None else {str(option): option for option in options}
    held = None if history.goes_back() else st.session_state.get(key)
    for value in (held, st.query_params.get(key)):
        if value is None or (allowed is not None and str(value) not in allowed):
            continue
        st.session_state[key] = value if allowed is None else allowed[str(value)]
        return
    st.session_state[key] = default


def link(draw: Callable, key: str, *about: object, default: object, allowed: Sequence | None = None, **settings) -> Any:
    """A widget whose value is in the session and in the link, and that value.

    draw: such as `st.toggle`, called with `about` and the settings. allowed: the values, as `options` of `restore`.
    """
    restore(key, default, allowed)
    value = draw(*about, key=key, **{"persist_state": "session", **settings})
    record(key, default)
    return value


def linked_state(
    key: str,
    first: Mapping[str, str],
    valid: Callable[[Mapping[str, object]], Mapping[str, str]],
    report: object = None,
) -> dict[str, str]:
    """What a component has set, by name: what it reports, else the session's, else the link's, else `first`. After the
    browser went back or forward, the link's. valid: drops what cannot be set. key: in the session."""
    if isinstance(report, dict):
        return {**first, **valid(report)}
    held = None if history.goes_back() else st.session_state.get(key)
    return held or {**first, **valid(st.query_params.to_dict())}


def pick(
    draw: Callable, key: str, label: str, options: Iterable, name: Callable[[Any], str], default: Any = None, **settings
) -> Any:
    """A widget that chooses one of the options, in the session and in the link, and what is selected.

    draw: such as `st.selectbox`. name: of an option. default: by default the first one. settings: of the widget.
    """
    options = list(options)
    default = options[0] if default is None else default
    settings = {"format_func": name, **({"required": True} if draw is st.segmented_control else {}), **settings}
    return link(draw, key, label, options, default=default, allowed=options, **settings)


def record(key: str, default: object) -> None:
    """Writes the value of the widget `key` into the link; the default is omitted, to keep links short."""
    write({key: str(st.session_state[key])}, {key: str(default)})


def write(values: Mapping[str, str], defaults: Mapping[str, str]) -> None:
    """Writes the values that differ from their defaults into the link and removes the others from it.

    All in one update, because each is a message to the browser. `history.STEPS` names those that one can go back from.
    """
    before = st.query_params.to_dict()
    others = {name: value for name, value in before.items() if name not in values}
    after = others | {name: value for name, value in values.items() if value != defaults[name]}
    if after != before:
        st.query_params.from_dict(after)
