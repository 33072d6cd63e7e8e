"""The browser's back and forward buttons: which changes of the link are a step, and that going back shows it."""

from pathlib import Path

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

# Parameters whose change is a step to go back from. Whatever else changes replaces the link of the current step, which
# therefore shows the last state it had.
STEPS = (
    *("text", "a", "b", "model", "head", "present", "evidence"),  # of a task
    *("ref_model", "ref_head", "ref_a", "ref_b"),
    *("view", "decoding", "kind", "fed", "reference"),  # of a translation
    *("chat", "system", "turns", "written", "kept", "without"),  # of a language model
    *("task", "part", "runs", "card"),
    *("inside", "step", "touch", "example"),  # of the page about the inside of attention
    *("was_text", "now_text", "was_a", "was_b", "now_a", "now_b"),
)
_TURNS, _OPENS = "history_turns", "history_opens"  # keys in the session

_history = st.components.v2.component(
    "history", html="<div></div>", js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
)


def mount() -> None:
    """Makes the changes of the link steps, or none. Call once, at the beginning of each run of the app."""
    if st.session_state.pop(_OPENS, False) and (context := get_script_run_ctx()):
        context.is_history_navigation = True
    st.session_state[_TURNS] = turns() + goes_back()
    _history(key="history", data={"steps": STEPS})


def goes_back() -> bool:
    """Whether the browser went back or forward: the link of the page replaces what the session holds."""
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def open_link() -> None:
    """Has the link go first in the next run, as after the browser went back or forward."""
    st.session_state[_OPENS] = True


def turns() -> int:
    """How often the browser went back or forward. A component that remembers what was typed follows the page instead
    when this changes."""
    return st.session_state.get(_TURNS, 0)
