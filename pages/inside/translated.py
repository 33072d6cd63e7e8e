"""The sentence whose translation is followed, and the translation itself if it is not the greedy one: in the session
and in the link, `outputs=12.7.3`, the ids of its tokens."""

from __future__ import annotations

import re

import streamlit as st

from pages.routes.inside import InsideInput
from pages.shared import history, links
from pages.shared.inputs import LINKED_CHARACTERS
from pages.shared.opening import INSIDE_OUTPUTS
from pages.shared.visitor import translator
from viz_core.text.length import MAX_CHARACTERS, cut_text

SOURCE = "source"  # the sentence that is translated, in the session and in the link
OUTPUTS = "outputs"  # in the link
FIRST_SENTENCE = "他昨天没有来。"
_IDS = re.compile(r"\d{1,6}(\.\d{1,6}){0,999}", re.ASCII)


def pick_translation(height: int) -> InsideInput:
    """The text box, and the translation that the link names, or that was shown on the page of translations, if it is of
    this sentence. height: of the box, in px."""
    say = translator()
    links.restore(SOURCE, FIRST_SENTENCE)
    st.session_state[SOURCE] = cut_text(st.session_state[SOURCE])
    text = st.text_area(
        say("inside.source"), key=SOURCE, height=height, max_chars=MAX_CHARACTERS, persist_state="session"
    )
    if len(text) <= LINKED_CHARACTERS:
        links.record(SOURCE, FIRST_SENTENCE)
    of_text, outputs = _held_outputs(text)
    outputs = outputs if of_text == text else ()
    links.write({OUTPUTS: ".".join(map(str, outputs))}, {OUTPUTS: ""})
    return InsideInput((text,), outputs)


def _held_outputs(text: str) -> tuple[str, tuple[int, ...]]:
    """A sentence, and the ids of its translation, none for the greedy one: the session's, else the link's; after the
    browser went back or forward, the link's."""
    if history.goes_back() or INSIDE_OUTPUTS not in st.session_state:
        linked = st.query_params.get(OUTPUTS, "")
        ids = tuple(map(int, linked.split("."))) if _IDS.fullmatch(linked) else ()
        st.session_state[INSIDE_OUTPUTS] = text, ids
    return st.session_state[INSIDE_OUTPUTS]
