"""Text boxes that are part of the link, and the examples that fill them."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.shared import links
from pages.shared.visitor import translator

LINKED_CHARACTERS = 2_000  # longer texts stay out of the link: browsers and chat programs cut long addresses


def text_box(key: str, label: str, default: str, height: int) -> str:
    """A text area whose content is part of the link unless it is too long for one."""
    links.restore(key, default)
    text = st.text_area(label, key=key, height=height, persist_state="session")
    if len(text) > LINKED_CHARACTERS:
        st.query_params.pop(key, None)
        st.caption(translator()("pages.text_not_in_link", count=len(text), limit=LINKED_CHARACTERS))
    else:
        links.record(key, default)
    return text


def examples(name: str, choices: Sequence[tuple[str, dict[str, str]]]) -> None:
    """A row of buttons, each of which fills the text boxes: `(label, {key of a box: text})`."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(translator()("pages.examples"), width="content")
        for number, (label, texts) in enumerate(choices):
            st.button(label, key=f"{name}_{number}", on_click=st.session_state.update, args=(texts,), type="tertiary")


def swap(one: str, other: str) -> None:
    """Exchanges the contents of two text boxes."""
    state = st.session_state
    state[one], state[other] = state[other], state[one]
