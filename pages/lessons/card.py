"""The card of a lesson beside the page: what it says and asks, what it reveals, and the way on."""

import streamlit as st

from pages.lessons.guide import guide
from pages.lessons.report import report
from pages.shared import lesson as lessons
from pages.shared.visitor import show_failure, translator
from pages.shared.voting import ask_class, is_asked
from pages.shared.wording import escape_markdown, row_label
from viz_core.lessons import Ask, Card, Lesson, Side, find_lesson
from viz_core.lessons.glossary import link_terms
from viz_core.lessons.source import excerpt
from viz_core.records import Failure

_FOLDED = "lesson_folded"  # in the session


def beside_page() -> None:
    """The card of the lesson that the visitor is in; nothing outside a lesson."""
    if shown := lessons.shown():
        _card(*shown)


@st.fragment
def _card(lesson: Lesson, number: int) -> None:
    card, say = lesson.cards[number], translator()
    name, side = lessons.key(lesson, card), card.sides[say.language]
    if name not in lessons.answers() and lessons.is_done(card):
        lessons.remember({name: True})
    with st.container(border=True, key="lesson", gap="small"):
        if not _head(lesson, number):
            st.markdown(f"#### {side.title}\n\n{link_terms(side.text, say.language)}")
            if missing := lessons.missing_model(card):
                st.warning(say("lessons.no_model", model=escape_markdown(missing)))
            if card.ask:
                _ask(name, card.ask, side)
                if is_asked(key := lessons.poll_key(lesson, card)):
                    ask_class(side.question, side.options, key)
            _outcome(name, card, side)
            if number + 1 == len(lesson.cards):
                report(lesson)
            _ways(lesson, number)
    _guide_page(lesson, number, name)


def _head(lesson: Lesson, number: int) -> bool:
    """The lesson, how far it is, and buttons to fold and to close the card. Returns whether it is folded."""
    say, is_folded = translator(), st.session_state.get(_FOLDED, False)
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        place = say("lessons.place", number=number + 1, count=len(lesson.cards))
        st.caption(f"{lesson.about[say.language].title} · {place}", width="stretch")
        icon, label = ("expand_less", "unfold") if is_folded else ("expand_more", "fold")
        if _icon(icon, say(f"lessons.{label}"), "lesson_fold"):
            st.session_state[_FOLDED] = not is_folded
            st.rerun()
        if _icon("close", say("lessons.close"), "lesson_close"):
            lessons.close()
    return is_folded


def _icon(icon: str, label: str, key: str) -> bool:
    return st.button(row_label("", label), key=key, icon=f":material/{icon}:", type="tertiary")


def _ask(name: str, ask: Ask, side: Side) -> None:
    """The question, with what was answered, which may be changed. Words are kept as soon as the box is left."""
    say, answer, key = translator(), lessons.answers().get(name), lessons.field_key(name)
    taking = {"on_click": _take, "args": (name, key)}
    if ask.text:
        text = answer if isinstance(answer, str) else ""
        keeping = {"on_change": _take, "args": (name, key)}
        st.text_area(say("lessons.your_answer"), text, max_chars=lessons.TYPED, key=key, **keeping)
        st.button(say("lessons.answer"), key=f"answer_{name}", **taking)
        return
    with st.form(f"ask_{name}", border=False):
        if ask.choice is not None:
            options = range(1, len(side.options) + 1)
            chosen = answer - 1 if isinstance(answer, int) and answer in options else None
            settings = {"format_func": lambda option: side.options[option - 1], "label_visibility": "collapsed"}
            st.radio(side.title, options, chosen, key=key, **settings)
        else:
            number = float(answer) if isinstance(answer, int | float) else None
            st.number_input(say("lessons.your_number"), value=number, format="%g", key=key)
        st.form_submit_button(say("lessons.answer"), key=f"answer_{name}", **taking)


def _take(name: str, key: str) -> None:
    """Keeps what is answered; nothing withdraws it."""
    value = st.session_state[key]
    value = value.strip() if isinstance(value, str) else value
    if value in (None, ""):
        lessons.withdraw(name)
    else:
        lessons.remember({name: value})


def _outcome(name: str, card: Card, side: Side) -> None:
    """Whether the answer is right, what is revealed, and the code; before that, what there is to do."""
    say = translator()
    if not lessons.is_revealed(name):
        if card.done:
            st.caption(f":material/touch_app: {say('lessons.your_turn')}")
        if (card.done or card.ask) and side.reveal:
            label, key = say("lessons.reveal"), f"reveal_{name}"
            st.button(label, key=key, type="tertiary", on_click=lessons.reveal, args=(name,))
            return
    elif name in lessons.answers():
        _mark(card, side, lessons.answers()[name])
    if side.reveal:
        st.markdown(link_terms(side.reveal, say.language))
    if card.code:
        with st.expander(say("lessons.code"), icon=":material/code:"):
            try:
                st.code(excerpt(card.code), wrap_lines=True)
                st.caption(f"`viz_core/{card.code.partition(':')[0]}`")
            except Failure as failure:
                show_failure(failure)


def _mark(card: Card, side: Side, answer: object) -> None:
    """Says that the card is done, or whether the answer is right; of words and opinions nothing."""
    say, is_right = translator(), card.ask.is_right(answer) if card.ask else True
    with st.container(key="lesson_mark"):
        if is_right:
            st.markdown(f":primary[:material/check_circle: **{say('lessons.right' if card.ask else 'lessons.done')}**]")
        elif is_right is False and card.ask:
            right = side.options[card.ask.choice - 1] if card.ask.choice else f"{card.ask.number:g}".replace("-", "−")
            st.markdown(f":orange[:material/info: **{say('lessons.not_right')}**] {right}")


def _ways(lesson: Lesson, number: int) -> None:
    say = translator()
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        if st.button(say("lessons.back"), key="lesson_back", disabled=not number):
            lessons.open_card(lesson, number - 1)
        is_last = number + 1 == len(lesson.cards)
        # One button, which keeps the focus of the keyboard on the way to the last card.
        if st.button(say("lessons.finish" if is_last else "lessons.next"), key="lesson_next", type="primary"):
            lessons.finish() if is_last else lessons.open_card(lesson, number + 1)


def _guide_page(lesson: Lesson, number: int, name: str) -> None:
    """Points at the control until the card is done, and does what keys and the window of a presenter say."""
    card, is_open = lesson.cards[number], not st.session_state.get(_FOLDED, False) and name not in lessons.answers()
    event = guide(name, card.point if is_open else (), card.done is not None, follows=lessons.is_of_class())
    if event.go in (-1, 1) and 0 <= number + event.go < len(lesson.cards):
        lessons.open_card(lesson, number + event.go)
    match event.follow:
        case {"lesson": str(other), "card": str(its_card), "revealed": is_revealed}:
            _follow(lesson, number, other, its_card, is_revealed is True)


def _follow(lesson: Lesson, number: int, other: str, its_card: str, is_revealed: bool) -> None:
    """Shows what the window of the presenter shows."""
    if (presented := find_lesson(other)) is None:
        return
    place = presented.number(its_card)
    if is_revealed:
        lessons.reveal(lessons.key(presented, presented.cards[place]))
    if (presented.name, place) != (lesson.name, number):
        lessons.open_card(presented, place)
    st.rerun()  # revealed, or the class is asked
