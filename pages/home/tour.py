"""A tour of three minutes: views of the app, each with what there is to see in it."""

import streamlit as st

from pages.shared import navigation
from pages.shared.models import find_model
from pages.shared.opening import open_input
from pages.shared.selection import reference
from pages.shared.tasks import PAGES, TOUR, TOUR_PAGES, TourStep
from pages.shared.visitor import translator


def tour() -> None:
    """Buttons, because a link would not replace what the visitor has typed."""
    steps = {step.name: step for step in TOUR}
    for number, name in enumerate([*steps, *TOUR_PAGES], 1):
        if _button(number, name):
            _open_example(steps[name]) if name in steps else navigation.switch(name)


def _button(number: int, name: str) -> bool:
    say = translator()
    label = f"{number}. {say(f'home.tour_{name}')}"
    return st.button(label, key=f"tour_{name}", type="tertiary", help=say(f"home.tour_{name}_help"))


def _open_example(step: TourStep) -> None:
    info, page = find_model(step.task, step.model), PAGES[step.task]
    if info is None:  # removed from the folder of checkpoints
        navigation.switch(page.url)
    examples = dict(page.examples)
    compared = reference(step.model, examples[step.before], step.head) if step.before else None
    open_input(info, examples[step.example], step.head, compared)
