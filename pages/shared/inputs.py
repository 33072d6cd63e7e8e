"""The text boxes of a task, whose content is part of the link."""

from collections.abc import Mapping, Sequence

import streamlit as st

from pages.shared import links
from pages.shared.tasks import TaskPage
from pages.shared.visitor import translator
from pages.shared.wording import escape_markdown
from viz_core.text.length import MAX_CHARACTERS, cut_text


def text_box(page: TaskPage, number: int, prefix: str = "", default: str = "", height: int = 0, gloss: str = "") -> str:
    """Draws the box of one text of a task and returns its content, which is part of the link unless it is too long.

    prefix: of the keys of the box and its label, for pages with several boxes per text. default: the initial content,
    the first example if empty. height: in px, by default that of the page of the task. gloss: beside the label.
    """
    label, default = page.box_name(translator(), number, prefix), default or page.first_texts[number]
    return linked_text(f"{prefix}{page.boxes[number]}", label, default, height or page.height, gloss)


def text_glosses(page: TaskPage, boxes: Mapping[str, str]) -> list[str]:
    """The gloss of each box that is about to be drawn, mostly empty. boxes: the default by key."""
    for key, default in boxes.items():
        links.restore(key, default, cut_text)
    return page.text_glosses(translator(), [st.session_state[key] for key in boxes])


def linked_text(key: str, label: str, default: str, height: int, gloss: str = "") -> str:
    """Draws a text box and returns its content, which is part of the link unless it is too long, as a sentence says.

    A text of a link, or of another page, may be too long for the box, too. gloss: beside the label.
    """
    label = f"{label} · {escape_markdown(gloss)}" if gloss else label
    say, settings = translator(), {"read": cut_text, "height": height, "max_chars": MAX_CHARACTERS}
    text = links.link(st.text_area, key, label, default=default, **settings)
    if len(text) == MAX_CHARACTERS:
        st.caption(say("text.box_full", limit=MAX_CHARACTERS))
    if len(text) > links.LINKED_CHARACTERS:
        st.caption(say("instrument.text_not_in_link", count=len(text), limit=links.LINKED_CHARACTERS))
    return text


def box_values(page: TaskPage, texts: Sequence[str], prefix: str = "") -> Mapping[str, str]:
    """The session state, by key, with which the boxes of a task show these texts."""
    return {f"{prefix}{box}": text for box, text in zip(page.boxes, texts, strict=True)}


def kept_key(page: TaskPage) -> str:
    """The key in the session of the texts of a task."""
    return f"texts_of_{page.task}"


def typed_texts(page: TaskPage) -> list[str]:
    """The texts that were typed for a task, else its first example."""
    kept = st.session_state.get(kept_key(page), {})
    return [kept.get(box, first) for box, first in zip(page.boxes, page.first_texts, strict=True)]
