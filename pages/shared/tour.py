"""The guided tour: steps that open a view each, and a bar above the page that says what to see there and leads on."""

from collections.abc import Callable

import streamlit as st

from pages.shared import navigation
from pages.shared.models import find_model
from pages.shared.opening import open_input
from pages.shared.selection import reference
from pages.shared.tasks import PAGES, TOUR, TOUR_PAGES, TourStep
from pages.shared.visitor import translator

_STEP = "tour"  # in the session: which step is shown, from 0; absent outside the tour
_VIEWS = {step.name: step for step in TOUR}
STEPS = (*_VIEWS, *TOUR_PAGES)  # names: `lessons.step_<name>` in the catalogues


def start(number: int = 0) -> None:
    """Opens a step; past the last one, the home page."""
    name = STEPS[number] if number < len(STEPS) else ""
    st.session_state.pop(_STEP, None)
    if not name:
        navigation.switch("home")
    st.session_state[_STEP] = number
    if name in _VIEWS:
        _open_view(_VIEWS[name])
    navigation.switch(name)


def bar() -> None:
    """The step that is shown, what to see in it, and buttons; nothing outside the tour."""
    number, say = st.session_state.get(_STEP), translator()
    if number is None:
        return
    name = STEPS[number]
    with st.container(horizontal=True, vertical_alignment="center", border=True, key="tour"):
        place = say("lessons.place", number=number + 1, count=len(STEPS))
        st.markdown(f"**{place} · {say(f'lessons.step_{name}')}**  \n{say(f'lessons.see_{name}')}", width="stretch")
        if number:
            _button("back", lambda: start(number - 1))
        _button("next" if number + 1 < len(STEPS) else "finish", lambda: start(number + 1))
        _button("end", lambda: start(len(STEPS)), type="tertiary")


def _button(name: str, act: Callable[[], None], type: str = "secondary") -> None:
    if st.button(translator()(f"lessons.{name}"), key=f"tour_{name}", type=type):
        act()


def _open_view(step: TourStep) -> None:
    info, page = find_model(step.task, step.model), PAGES[step.task]
    if info is None:  # removed from the folder of checkpoints
        navigation.switch(page.url)
    examples = dict(page.examples)
    compared = reference(step.model, examples[step.before], step.head, "side") if step.before else None
    open_input(info, examples[step.example], step.head, compared)
