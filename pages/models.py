"""One model: whether it has learned anything, on which inputs, and what its heads do. From kept figures; needs no corpus."""

import streamlit as st

from pages.shared import health, importance, passes
from pages.shared.models import pick_task_and_model
from pages.shared.visitor import translator
from viz_core.passes.health import NAME

say = translator()
st.title(say("pages.models_title"))
st.caption(say("health.note"))
listing = pick_task_and_model()
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
