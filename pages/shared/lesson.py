"""The lesson that the visitor is in: which card is shown, what has been done, and opening what a card shows."""

from collections.abc import Mapping
from contextlib import suppress

import streamlit as st

from pages.shared import links, navigation
from pages.shared.cache import explain_input
from pages.shared.models import find_model, task_models
from pages.shared.tasks import PAGES
from viz_core.lessons import CARD, LESSON, Card, Lesson, find_lesson
from viz_core.records import Failure

FOLLOWS = "follows"  # in the session and in the link: `1` in the window of a class, which follows that of the presenter
_LINK = (LESSON, CARD, FOLLOWS)
_KEPT = ("lang", "projector", *_LINK)  # what a card that opens a link leaves as it is
# In the session: answers by card, `lesson/card`, True where something was done; the cards that were revealed unsolved.
_ANSWERS, _REVEALED = "lesson_answers", "lesson_revealed"
_LOADS = "lesson_loads"  # how often the browser has given back what it kept
TYPED = 2_000  # characters of an answer
_MOST = 1_000  # answers of a visitor


def shown() -> tuple[Lesson, int] | None:
    """The lesson and the index of its card; None outside a lesson."""
    for key in _LINK:
        links.restore(key, "")
    lesson = find_lesson(st.session_state[LESSON])
    if lesson is None:
        _leave()
    links.write({key: st.session_state[key] for key in _LINK}, dict.fromkeys(_LINK, ""))
    return (lesson, lesson.number(st.session_state[CARD])) if lesson else None


def open_card(lesson: Lesson, number: int = 0) -> None:
    """Shows a card, and what it opens; of one that opens nothing, the page that it is about, as it is if it is open."""
    card = lesson.cards[number]
    st.session_state.update({LESSON: lesson.name, CARD: card.name})
    page, link = lesson.opened(number, st.session_state["lang"])
    stays = not card.open and page in ("lessons", navigation.current())
    if stays or not navigation.has_page(page):  # the file names a page that there is not
        st.rerun()
    navigation.switch_link(page, link | {key: str(st.session_state.get(key, "")) for key in _KEPT})


def is_of_class() -> bool:
    """Whether this is the window of a class, which shows what the presenter's says."""
    return st.session_state[FOLLOWS] == "1"


def close() -> None:
    """Ends the lesson; the page stays as it is."""
    _leave()
    st.rerun()


def finish() -> None:
    """Ends the lesson, back to all lessons."""
    _leave()
    navigation.switch("lessons")


def _leave() -> None:
    st.session_state.update(dict.fromkeys(_LINK, ""))


def answers() -> dict[str, object]:
    """What was answered or done, by card (`key`)."""
    return st.session_state.setdefault(_ANSWERS, {})


def key(lesson: Lesson, card: Card) -> str:
    """The name of a card among those of all lessons."""
    return f"{lesson.name}/{card.name}"


def poll_key(lesson: Lesson, card: Card) -> str:
    """The name of the poll about a card, in all windows of a visitor."""
    return f"{lesson.name}-{card.name}"


def field_key(name: str) -> str:
    """The key of the field of a card's answer; another one once the browser has given back what it kept."""
    return f"field_{name}_{st.session_state.get(_LOADS, 0)}"


def load(values: Mapping[str, object]) -> None:
    """Takes the answers that the browser has kept."""
    st.session_state[_LOADS] = st.session_state.get(_LOADS, 0) + 1
    remember(values)


def withdraw(name: str) -> None:
    """Forgets the answer of a card."""
    answers().pop(name, None)


def forget(lesson: Lesson) -> None:
    """Forgets what was answered and done in a lesson; the browser does so, too."""
    own = {key(lesson, card) for card in lesson.cards}
    for name in own:
        withdraw(name)
    st.session_state[_REVEALED] = st.session_state.get(_REVEALED, set()) - own
    st.session_state[_LOADS] = st.session_state.get(_LOADS, 0) + 1  # its fields are empty


def remember(values: Mapping[str, object]) -> None:
    """Keeps answers. Ignores what cannot be one."""
    held = answers()
    for name, value in values.items():
        fits = isinstance(value, bool | int | float) or (isinstance(value, str) and len(value) <= TYPED)
        if fits and len(name) <= 100 and (name in held or len(held) < _MOST):
            held[name] = value


def reveal(name: str) -> None:
    """Shows what a card reveals although it is not done."""
    st.session_state.setdefault(_REVEALED, set()).add(name)


def first_undone(lesson: Lesson) -> int:
    """Index of the first card after the last one that is done; of the first card, if none or the last one is."""
    done = [number for number, card in enumerate(lesson.cards) if key(lesson, card) in answers()]
    return (done[-1] + 1) % len(lesson.cards) if done else 0


def is_revealed(name: str) -> bool:
    """Whether a card was done or answered, or revealed all the same."""
    return name in answers() or name in st.session_state.get(_REVEALED, ())


def is_done(card: Card) -> bool:
    """Whether the page that is open shows that the student has done what the card says."""
    if card.done is None:
        return False
    state, (_, opened) = links.state(), card.state(st.session_state["lang"])
    if not card.done.holds(navigation.current(), state, opened):
        return False
    return not card.done.predicts or _predicted(state) == card.done.predicts


def missing_model(card: Card) -> str:
    """The model that a card opens, if it is not there; else empty."""
    url, link = card.state(st.session_state["lang"])
    task = link.get("task") or next((page.task for page in PAGES.values() if page.url == url), "")
    name = link.get("model", "")
    return name if task and name and find_model(task, name) is None else ""


def _predicted(state: Mapping[str, str]) -> str:
    """The label that the model predicts for the texts of the page; empty if none."""
    page = next((page for page in PAGES.values() if page.url == navigation.current()), None)
    if page is None:
        return ""
    models = [info.name for info in task_models(page.task)]
    info = find_model(page.task, state.get("model") or next(iter(models), ""))
    texts = [state.get(box, first) for box, first in zip(page.boxes, page.first_texts, strict=True)]
    with suppress(Failure):
        if info and (explanation := explain_input(info, *texts)).labels:
            return explanation.labels[explanation.predicted]
    return ""
