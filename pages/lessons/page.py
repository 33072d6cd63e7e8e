"""Lessons: the guided tour, step by step, and the same sentences through three models."""

import streamlit as st

from pages.lessons.before_and_after import before_and_after
from pages.shared import tour
from pages.shared.visitor import translator
from viz_core.folders import DOCUMENTS


def lessons() -> None:
    """The steps of the tour, each a door, then the scene about pre-training."""
    say = translator()
    st.title(say("lessons.page"))
    st.caption(say("lessons.note"))
    for number, name in enumerate(tour.STEPS):
        with st.container(border=True, horizontal=True, vertical_alignment="center", key=f"step_{name}"):
            text = f"**{number + 1}. {say(f'lessons.step_{name}')}**  \n{say(f'lessons.see_{name}')}"
            st.markdown(text, width="stretch")
            if st.button(say("lessons.open"), key=f"open_{name}"):
                tour.start(number)
    if DOCUMENTS.is_dir():
        folder = "documents" if say.language == "en" else f"documents/{say.language}"
        st.markdown(f":material/menu_book: [{say('lessons.documents')}]({folder}/index.html)")
    before_and_after()
