"""How good is a model, on which inputs is it wrong, and what does it say to other inputs?"""

import streamlit as st

from pages.shared import counterfactual, errors, health, kept_figures, links, probing, samples, uploads
from pages.shared.models import pick_task_and_model
from pages.shared.visitor import translator

PARTS = {"figures": kept_figures.section, "samples": samples.section, "errors": errors.section,
         "compare": counterfactual.section, "file": uploads.section, "probes": probing.section}
PART = counterfactual.PART

say = translator()
st.title(say("pages.evaluation_title"))
st.caption(say("evaluation.note"))
listing = pick_task_and_model()
if listing:
    health.banner(listing)
    links.restore(PART, "figures", list(PARTS))
    part = st.segmented_control(say("evaluation.part"), list(PARTS), key=PART, required=True, persist_state="session",
                                label_visibility="collapsed", format_func=lambda name: say(f"evaluation.part_{name}"))
    links.record(PART, "figures")
    st.caption(say(f"evaluation.note_{part}"))
    PARTS[part](listing)
