"""The text boxes of a task, whose content is part of the link."""

from collections.abc import Mapping, Sequence

import streamlit as st

from pages.shared import links
from pages.shared.tasks import TaskPage
from pages.shared.visitor import translator
from viz_core.text.length import MAX_CHARACTERS, cut_text, is_cut

LINKED_CHARACTERS = 2_000  # browsers and chat programs cut longer addresses


def text_box(page: TaskPage, number: int, prefix: str = "", default: str = "", height: int = 0) -> str:
    """Draws the box of one text of a task and returns its content, which is part of the link unless it is too long.

    prefix: of the keys of the box and its label, for pages with several boxes per text. default: the initial content,
    the first example if empty. height: in px, by default that of the page of the task.
    """
    say, box = translator(), page.boxes[number]
    key, default = f"{prefix}{box}", default or page.first_texts[number]
    links.restore(key, default)
    if is_cut(typed := st.session_state[key]):  # of a link, or of another page
        st.session_state[key] = cut_text(typed)
    text = st.text_area(
        page.box_name(say, number, prefix),
        key=key,
        height=height or page.height,
        max_chars=MAX_CHARACTERS,
        persist_state="session",
    )
    if len(text) == MAX_CHARACTERS:
        st.caption(say("text.box_full", limit=MAX_CHARACTERS))
    if len(text) > LINKED_CHARACTERS:
        st.query_params.pop(key, None)
        st.caption(say("instrument.text_not_in_link", count=len(text), limit=LINKED_CHARACTERS))
    else:
        links.record(key, default)
    return text


def fits_into_link(text: str) -> bool:
    """Whether a text is short enough and without half a character (a lone surrogate), which no address can contain."""
    return len(text) <= LINKED_CHARACTERS and text.encode("utf-8", "ignore").decode() == text


def box_values(page: TaskPage, texts: Sequence[str], prefix: str = "") -> Mapping[str, str]:
    """The session state, by key, with which the boxes of a task show these texts."""
    return {f"{prefix}{box}": text for box, text in zip(page.boxes, texts, strict=True)}
