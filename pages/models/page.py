"""One model: whether it has learned anything, on which inputs, and what its heads do. From kept figures; needs no corpus."""

from __future__ import annotations

import streamlit as st

from pages.models import health, importance
from pages.shared import evidence
from pages.shared.health import known
from pages.shared.pickers import show_no_attention, pick_task_and_model
from pages.shared.visitor import translator
from viz_core.evidence.health import NAME


def models() -> None:
    """The pickers, the health of the model, and which heads its answers need."""
    say = translator()
    st.title(say("pages.models_title"))
    st.caption(say("health.note"))
    info = pick_task_and_model()
    if not info:
        return
    examined = known(info)
    if examined:
        health.verdict(examined)
        health.figures(examined)
        health.answers(examined)
        if examined.heads:
            health.heads(examined)
    else:
        st.caption(say("health.unexamined"))
        evidence.offer(info, NAME)
    if info.settings.model.layers:
        importance.section(info)
    else:
        show_no_attention(info)
