"""The calculator: attention with paper and pencil. The browser computes and draws it; the page writes the link."""

from collections.abc import Mapping
from functools import partial

import streamlit as st

from pages.shared import history, links
from pages.shared.component import component, follow_theme
from pages.shared.visitor import page_theme, translator
from viz_core.explorer.shared import appearance

# What is set, as strings, in the link and in the session (source/calculator/state.js). example: the exercise to start
# from. calc: kind, sizes and numbers, if they are others. names: of the tokens, if they are others. shown: steps whose
# numbers stand on the sheet of paper and in practice. practice: whether it is on (`1`) or solved (`done`).
FIRST = {"example": "d2", "calc": "", "names": "", "decimals": "2", "shown": "", "practice": ""}
LONGEST = 2_000  # characters of a field; the largest exercise has 176 numbers of at most 7 characters
_STATE = "calculator_state"  # in the session

_calculator = component("calculator", '<div class="explorer calculator"></div>', ["link", "theme"])


@st.fragment
def section() -> None:
    """The component. What it reports reruns this fragment alone."""
    data = {**appearance(translator(), page_theme(), "calculator"), "link": _state(), "turns": history.turns()}
    event = _calculator(key="calculator", data=data, link=partial(links.keep_report, _STATE, FIRST, _valid))
    st.session_state[_STATE] = state = _state()  # other sections and pages take the link away
    links.write(state, FIRST)
    follow_theme(event)


def _state() -> dict[str, str]:
    """What is set."""
    return links.linked_state(_STATE, FIRST, _valid)


def _valid(values: Mapping[str, object]) -> dict[str, str]:
    return {
        name: value
        for name, value in values.items()
        if name in FIRST and isinstance(value, str) and len(value) <= LONGEST and value.isprintable()
    }
