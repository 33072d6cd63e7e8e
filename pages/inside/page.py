"""The page about the inside of attention: how a weight of a head comes about and what follows from it, step by step."""

import streamlit as st

from pages.inside import calculator, head, lens, plane, positions
from pages.shared import links
from pages.shared.visitor import translator

# Each draws its own pickers: a calculator needs no model.
SECTIONS = {
    "head": head.section,
    "lens": lens.section,
    "plane": plane.section,
    "positions": positions.section,
    "calculator": calculator.section,
}


def inside() -> None:
    """The choice of a section, and the selected section."""
    say = translator()
    st.title(say("inside.title"))
    st.caption(say("inside.note"))
    section = links.pick(
        st.segmented_control,
        "inside",
        say("inside.section"),
        SECTIONS,
        lambda name: say(f"inside.section_{name}"),
        label_visibility="collapsed",
    )
    st.caption(say(f"inside.note_{section}"))
    SECTIONS[section]()
