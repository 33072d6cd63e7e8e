"""Deep links: the query string of a page describes what it shows, and opening the link shows the same.

Streamlit's own `bind="query-params"` is not used: it writes the displayed option, so that a link made in Chinese would
not open in English, and it omits whatever equals the current default.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import streamlit as st

from pages.shared import history

LINKED_CHARACTERS = 2_000  # of a value; browsers and chat programs cut longer addresses

_STATE = "link_state"  # in the session: what the page shows, with what equals its default
Read, Form = Callable[[str], Any], Callable[[Any], str]  # a value from its form in the link, and that form


def restore(key: str, default: object, read: Read = str, form: Form = str) -> None:
    """Sets the value of the widget `key` before it is drawn: the session's, else the link's, else the default.

    After the browser went back or forward: the link's, else the default.
    read: returns None for what is no value here (of another model, or mistyped in a link), which is ignored.
    """
    held = {} if history.goes_back() else st.session_state
    if key in held and held[key] is None:
        return  # deselected: the link still has what was selected
    for text in (form(held[key]) if key in held else None, st.query_params.get(key)):
        if text is not None and (value := read(text)) is not None:
            st.session_state[key] = value
            return
    st.session_state[key] = default


def one_of(options: Iterable) -> Read:
    """Reads one of the options."""
    return {str(option): option for option in options}.get


on_or_off = one_of((False, True))


def link(
    draw: Callable,
    key: str,
    *about: object,
    default: object,
    read: Read = str,
    form: Form = str,
    always: bool = False,
    **settings,
) -> Any:
    """A widget whose value is in the session and in the link, and that value.

    draw: such as `st.toggle`, called with `about` and the settings. read: as of `restore`. always: the default is in
    the link, too, because elsewhere it is another one.
    """
    restore(key, default, read, form)
    value = draw(*about, key=key, **{"persist_state": "session", **settings})
    write({key: form(value)}, {} if always else {key: form(default)})
    return value


def linked_state(
    key: str, first: Mapping[str, str], valid: Callable[[Mapping[str, object]], Mapping[str, str]]
) -> dict[str, str]:
    """What a component has set, by name: the session's, else the link's, else `first`. After the browser went back or
    forward, the link's. valid: drops what cannot be set. key: in the session."""
    held = None if history.goes_back() else st.session_state.get(key)
    return held or {**first, **valid(st.query_params.to_dict())}


def keep_report(
    key: str, first: Mapping[str, str], valid: Callable[[Mapping[str, object]], Mapping[str, str]], report: object
) -> None:
    """Keeps in the session what a component reports as set; as in `linked_state`."""
    if isinstance(report, dict):
        st.session_state[key] = {**first, **valid(report)}


def pick(
    draw: Callable, key: str, label: str, options: Iterable, name: Callable[[Any], str], default: Any = None, **settings
) -> Any:
    """A widget that chooses one of the options, in the session and in the link, and what is selected.

    draw: such as `st.selectbox`. name: of an option. default: by default the first one. settings: of the widget.
    """
    options = list(options)
    default = options[0] if default is None else default
    settings = {"format_func": name, **({"required": True} if draw is st.segmented_control else {}), **settings}
    return link(draw, key, label, options, default=default, read=one_of(options), **settings)


def write(values: Mapping[str, str], defaults: Mapping[str, str]) -> None:
    """Writes the values that differ from their defaults into the link, to keep it short, and removes the others
    from it, as well as those that do not fit.

    All in one update, because each is a message to the browser. `history.STEPS` names those that one can go back from.
    """
    state().update(values)
    before = st.query_params.to_dict()
    others = {name: value for name, value in before.items() if name not in values}
    after = others | {
        name: text for name, text in values.items() if text != defaults.get(name) and fits_into_link(text)
    }
    if after != before:
        st.query_params.from_dict(after)


def state() -> dict[str, str]:
    """What the page shows: its link with what equals a default, as far as the page has been drawn."""
    return st.session_state.setdefault(_STATE, {})


def fits_into_link(text: str) -> bool:
    """Whether a text is short enough and without half a character (a lone surrogate), which no address can contain."""
    return len(text) <= LINKED_CHARACTERS and text.encode("utf-8", "ignore").decode() == text
