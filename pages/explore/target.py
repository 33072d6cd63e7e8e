"""The class that is followed, where a task has more than two."""

from __future__ import annotations

import streamlit as st

from pages.shared import links
from pages.shared.visitor import translator
from viz_core.records import Explanation


def pick_target(explanation: Explanation) -> str:
    """The label of a class, one of more than two, or empty for the predicted one."""
    if len(explanation.labels) <= 2:  # of two, what opposes a class supports the other; there may be none
        return ""
    say, choices = translator(), ["", *explanation.labels]
    links.restore("target", "", choices)
    target = st.selectbox(
        say("attribution.target"),
        choices,
        key="target",
        persist_state="session",
        width=280,
        format_func=lambda label: say(f"rendering.label_{label}" if label else "attribution.target_predicted"),
    )
    links.record("target", "")
    return target
