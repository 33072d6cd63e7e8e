"""Lessons: each with what it is about and how long it takes; and the same sentences through three models."""

import streamlit as st

from pages.lessons.before_and_after import before_and_after
from pages.lessons.guide import guide
from pages.lessons.presenter import present, presented, presenter
from pages.shared import lesson as lessons
from pages.shared.visitor import show_failure, translator
from pages.shared.wording import row_label
from viz_core.folders import DOCUMENTS
from viz_core.lessons import Lesson, read_lessons


def lesson_page() -> None:
    """All lessons, or in the window of a presenter the one that is presented."""
    if shown := presented():
        presenter(*shown)
    else:
        _list()


def _list() -> None:
    """A box per lesson, then the scene about pre-training."""
    say = translator()
    st.title(say("lessons.page"))
    st.caption(say("lessons.note"))
    found, failures = read_lessons()
    with st.container(horizontal=True, key="all_lessons"):
        for lesson in found:
            _box(lesson)
    for failure in failures:
        show_failure(failure)
    if DOCUMENTS.is_dir():
        folder = "documents" if say.language == "en" else f"documents/{say.language}"
        st.markdown(f":material/menu_book: [{say('lessons.documents')}]({folder}/index.html)")
    before_and_after()
    if not lessons.shown():  # else the card has one
        guide()


def _box(lesson: Lesson) -> None:
    """What a lesson is about, how far the visitor has come, and the button that opens the card where they were."""
    say, about = translator(), lesson.about[translator().language]
    names = [lessons.key(lesson, card) for card in lesson.cards]
    done = sum(name in lessons.answers() for name in names)
    with st.container(border=True, key=f"box_{lesson.name}", height="stretch"):
        length = say("lessons.length", minutes=lesson.minutes, count=len(names))
        progress = f" · :primary[{say('lessons.progress', done=done)}]" if done else ""
        st.markdown(f"**{about.title}**  \n{about.summary}  \n:small[{length}{progress}]", width="stretch")
        with st.container(horizontal=True):
            first = lessons.first_undone(lesson)
            label = row_label(say("lessons.go_on" if first else "lessons.start"), about.title)
            if st.button(label, key=f"open_{lesson.name}"):
                lessons.open_card(lesson, first)
            if st.button(row_label(say("lessons.present"), about.title), key=f"present_{lesson.name}", type="tertiary"):
                present(lesson)
            if done:
                with st.popover(say("lessons.afresh"), type="tertiary", key=f"afresh_{lesson.name}"):
                    st.caption(say("lessons.afresh_note"))
                    st.button(
                        row_label(say("lessons.forget"), about.title),
                        key=f"forget_{lesson.name}",
                        on_click=lessons.forget,
                        args=(lesson,),
                    )
