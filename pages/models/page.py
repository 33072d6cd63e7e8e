"""The page of a model: its health, what its heads do, and which it needs. From saved evidence; no corpus needed."""

from __future__ import annotations

import streamlit as st

from pages.models import health, importance
from pages.shared import evidence
from pages.shared.health import read_health
from pages.shared.pickers import pick_task_and_model, show_no_attention
from pages.shared.visitor import translator
from viz_core.evidence.health import NAME


def models() -> None:
    """The pickers, the health of the model, and the importance of its heads."""
    say = translator()
    st.title(say("pages.models_title"))
    st.caption(say("health.note"))
    info = pick_task_and_model()
    if not info:
        return
    model_health = read_health(info)
    if model_health:
        health.verdict(model_health)
        health.figures(model_health)
        health.predictions(model_health)
        if model_health.heads:
            health.heads(model_health)
    else:
        st.caption(say("health.unexamined"))
        evidence.offer(info, NAME)
    if info.settings.model.layers:
        importance.section(info)
    else:
        show_no_attention(info)
