"""One model: whether it has learned anything, on which inputs, and what its heads do. From kept figures; needs no corpus."""

import streamlit as st

from pages.shared import health, importance, links, passes
from pages.shared.models import pick_model
from pages.shared.visitor import translator
from viz_core.passes.health import NAME
from viz_core.tasks import TASKS

say = translator()
st.title(say("pages.models_title"))
st.caption(say("health.note"))
chosen, picked = st.columns([1, 2], vertical_alignment="bottom", gap="large")
with chosen:
    links.restore("task", next(iter(TASKS)), list(TASKS))
    task = st.segmented_control(say("health.task"), list(TASKS), key="task", required=True, persist_state="session",
                                format_func=lambda name: say(f"pages.training_task_{name}"))
    links.record("task", next(iter(TASKS)))
with picked:
    listing = pick_model(task)
if listing:
    found = health.known(listing)
    if found:
        health.verdict(found)
        health.figures(found)
        health.answers(found)
        health.heads(found)
    else:
        st.caption(say("health.unexamined"))
        passes.offer(listing, NAME)
    importance.section(listing)
