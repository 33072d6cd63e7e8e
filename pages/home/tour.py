"""A tour of three minutes: views of the app, each with what there is to see in it."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from pages.shared import navigation
from pages.shared.models import find_model
from pages.shared.opening import open_input
from pages.shared.selection import reference
from pages.shared.tasks import PAGES, TRANSLATION_URL
from pages.shared.visitor import translator


def tour() -> None:
    """Buttons, because a link would not replace what the visitor has typed."""
    say = translator()
    for number, (name, go) in enumerate(_STEPS.items(), 1):
        label = f"{number}. {say(f'home.tour_{name}')}"
        if st.button(label, key=f"tour_{name}", type="tertiary", help=say(f"home.tour_{name}_help")):
            go()


def _open_example(task: str, model: str, example: str, head: str, before: str = "") -> None:
    """Opens an example of a task's page, compared with another one."""
    info, examples = find_model(task, model), dict(PAGES[task].examples)
    if info is None:  # removed from the folder of checkpoints
        navigation.switch(PAGES[task].url)
    compared = reference(model, examples[before], head) if before else None
    open_input(info, examples[example], head, compared)


_STEPS: dict[str, Callable[[], None]] = {
    "negation": lambda: _open_example("imdb", "small", "negation", "2.1"),
    "words": lambda: _open_example("afqmc", "small", "paraphrase", "2.4"),
    "change": lambda: _open_example("afqmc", "small", "one_word", "2.4", "paraphrase"),
    "collapsed": lambda: _open_example("afqmc", "collapsed", "paraphrase", "6.1"),
    "translation": lambda: navigation.switch(TRANSLATION_URL),
    "training": lambda: navigation.switch("training"),
}
