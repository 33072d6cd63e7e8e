"""The window of the teacher: notes, answers and the next card, while another window shows the card to the class."""

from functools import partial

import streamlit as st

from pages.lessons.guide import guide
from pages.shared import lesson as lessons
from pages.shared import links
from pages.shared.visitor import translator
from pages.shared.voting import ask_class, is_asked
from viz_core.lessons import Lesson, Side, find_lesson
from viz_core.lessons.glossary import link_terms
from viz_core.lessons.sheet import sheet

PRESENTED, SLIDE = "presents", "slide"  # in the session and in the link: the lesson, and the name of its card
_REVEALED = "presents_revealed"  # in the session: the card that is revealed in the other window


def presented() -> tuple[Lesson, int] | None:
    """The lesson that this window presents, and the index of its card; None if it does not."""
    for key in (PRESENTED, SLIDE):
        links.restore(key, "")
    lesson = find_lesson(st.session_state[PRESENTED])
    if lesson is None:
        st.session_state.update({PRESENTED: "", SLIDE: ""})
    links.write({key: st.session_state[key] for key in (PRESENTED, SLIDE)}, {PRESENTED: "", SLIDE: ""})
    if lesson is None:
        return None
    st.session_state.update({lessons.LESSON: "", lessons.CARD: ""})  # this window shows no card to a student
    return lesson, lesson.number(st.session_state[SLIDE])


def present(lesson: Lesson | None, number: int = 0) -> None:
    """Makes this the window of a presenter; of none, no longer."""
    card = lesson.cards[number].name if lesson else ""
    st.session_state.update({PRESENTED: lesson.name if lesson else "", SLIDE: card, _REVEALED: ""})
    st.rerun()


def presenter(lesson: Lesson, number: int) -> None:
    """Draws what only the teacher sees."""
    say, card = translator(), lesson.cards[number]
    _head(lesson, number)
    shown, beside = st.columns([3, 2], gap="large")
    with shown, st.container(border=True, key="slide"):
        _side(card.sides[say.language])
    with beside:
        notes = card.sides[say.language].notes
        st.markdown(link_terms(notes, say.language) or say("lessons.no_notes"))
        if number + 1 < len(lesson.cards):
            following = lesson.cards[number + 1].sides[say.language]
            with st.container(border=True):
                st.caption(say("lessons.next_card"))
                st.markdown(f"**{following.title}**\n\n{link_terms(following.text, say.language)}")
    is_revealed, key = st.session_state.get(_REVEALED) == card.name, lessons.poll_key(lesson, card)
    are_votes_shown = False
    if card.ask and not card.ask.text:
        with beside:
            side = card.sides[say.language]
            are_votes_shown = ask_class(side.question, side.options, key)
    with st.container(horizontal=True):
        if st.button(say("lessons.back"), key="slide_back", disabled=not number):
            present(lesson, number - 1)
        if st.button(say("lessons.reveal_to_class"), key="slide_reveal", disabled=is_revealed):
            st.session_state[_REVEALED] = card.name
            st.rerun()
        if st.button(say("lessons.next"), key="slide_next", type="primary", disabled=number + 1 == len(lesson.cards)):
            present(lesson, number + 1)
    poll = (is_asked(key), are_votes_shown)  # the other window looks again when this changes
    event = guide(presents={"lesson": lesson.name, "card": card.name, "revealed": is_revealed, "poll": poll})
    if event.go in (-1, 1) and 0 <= number + event.go < len(lesson.cards):
        present(lesson, number + event.go)


def _head(lesson: Lesson, number: int) -> None:
    """Where in the lesson, the time that should have passed, and the way to the other window."""
    say, minutes = translator(), [card.minutes for card in lesson.cards]
    st.title(lesson.about[say.language].title)
    place = say("lessons.place", number=number + 1, count=len(lesson.cards))
    passed = say(
        "lessons.minutes", passed=f"{sum(minutes[:number]):g}", card=f"{minutes[number]:g}", all=lesson.minutes
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"{place} · {passed}", width="stretch")
        address = f"{lesson.address(number, say.language)}&{lessons.FOLLOWS}=1"
        st.link_button(say("lessons.other_window"), address, icon=":material/open_in_new:")
        _sheets(lesson)
        if st.button(say("lessons.end_presenting"), key="slide_end"):
            present(None)
    st.caption(say("lessons.presenter_note"))


def _sheets(lesson: Lesson) -> None:
    """The questions on paper, as files: to write on, and with the answers."""
    say = translator()
    with st.popover(say("lessons.sheet"), icon=":material/print:", key="sheets"):
        for name, has_answers in (("questions", False), ("answers", True)):
            file = f"{lesson.name}-{name}-{say.language}.html"
            make, label = partial(sheet, lesson, say, has_answers), say(f"lessons.sheet_{name}")
            st.download_button(label, make, file, "text/html", key=f"sheet_{name}", on_click="ignore", width="stretch")


def _side(side: Side) -> None:
    say = translator()
    st.markdown(f"## {side.title}\n\n{link_terms(side.text, say.language)}")
    if side.options:
        st.markdown("\n".join(f"1. {option}" for option in side.options))
    if side.reveal:
        st.caption(say("lessons.revealed"))
        st.markdown(link_terms(side.reveal, say.language))
