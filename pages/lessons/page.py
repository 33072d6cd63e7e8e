"""Lessons: each with what it is about and how long it takes; and the same sentences through three models."""

import streamlit as st

from pages.lessons.before_and_after import before_and_after
from pages.shared import lesson as lessons
from pages.shared.visitor import show_failure, translator
from viz_core.folders import DOCUMENTS
from viz_core.lessons import Lesson, read_lessons


def lesson_list() -> None:
    """A row per lesson, then the scene about pre-training."""
    say = translator()
    st.title(say("lessons.page"))
    st.caption(say("lessons.note"))
    found, failures = read_lessons()
    for lesson in found:
        _row(lesson)
    for failure in failures:
        show_failure(failure)
    if DOCUMENTS.is_dir():
        folder = "documents" if say.language == "en" else f"documents/{say.language}"
        st.markdown(f":material/menu_book: [{say('lessons.documents')}]({folder}/index.html)")
    before_and_after()


def _row(lesson: Lesson) -> None:
    """What a lesson is about, how far the visitor has come, and the button that opens the card where they were."""
    say, about = translator(), lesson.about[translator().language]
    names = [lessons.key(lesson, card) for card in lesson.cards]
    done = sum(name in lessons.answers() for name in names)
    with st.container(border=True, horizontal=True, vertical_alignment="center", key=f"lesson_{lesson.name}"):
        length = say("lessons.length", minutes=lesson.minutes, count=len(names))
        progress = f" · :green[{say('lessons.progress', done=done)}]" if done else ""
        st.markdown(f"**{about.title}**  \n{about.summary}  \n:small[{length}{progress}]", width="stretch")
        label = say("lessons.go_on" if done else "lessons.start")
        if st.button(label, key=f"open_{lesson.name}", type="secondary" if done else "primary"):
            lessons.open_card(lesson, lessons.first_undone(lesson))
