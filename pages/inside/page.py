"""The page about the inside of attention: how a weight of a head comes about and what follows from it, step by step."""

import streamlit as st

from pages.inside import calculator, head, lens, plane, positions
from pages.shared import links
from pages.shared.visitor import translator

# Each draws its own pickers: a calculator needs no model.
SECTIONS = {
    "head": head.section,
    "calculator": calculator.section,
    "lens": lens.section,
    "plane": plane.section,
    "positions": positions.section,
}
FIRST = ("head", "calculator")  # in sight; the others are behind "More"
_SECTION, _MORE = "inside", "more_sections"  # the first in the session and in the link


def inside() -> None:
    """The choice of a section, and the selected section."""
    say = translator()
    st.title(say("inside.title"))
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="inside_sections"):
        links.restore(_SECTION, FIRST[0], links.one_of(SECTIONS))
        others = [name for name in SECTIONS if name not in FIRST]
        section = links.pick(
            st.segmented_control,
            _SECTION,
            say("inside.section"),
            [*FIRST, *(name for name in others if name == st.session_state[_SECTION])],
            lambda name: say(f"inside.section_{name}"),
            label_visibility="collapsed",
        )
        st.menu_button(
            say("inside.more"),
            others,
            key=_MORE,
            on_click=_open,
            format_func=lambda name: say(f"inside.section_{name}"),
        )
        st.caption(say(f"inside.note_{section}"))
    SECTIONS[section]()


def _open() -> None:
    st.session_state[_SECTION] = st.session_state[_MORE]
