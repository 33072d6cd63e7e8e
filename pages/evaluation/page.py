"""The evaluation page: figures, random samples, errors, two inputs compared, a CSV file, and behavioural tests."""

from __future__ import annotations

import streamlit as st

from pages.evaluation import behaviour, compare, errors, figures, file, samples
from pages.evaluation.compare import PART
from pages.shared import health, links
from pages.shared.pickers import pick_task_and_model
from pages.shared.visitor import translator

PARTS = {
    "figures": figures.section,
    "samples": samples.section,
    "errors": errors.section,
    "compare": compare.section,
    "file": file.section,
    "probes": behaviour.section,
}


def evaluation() -> None:
    """The pickers, and the selected part of the page."""
    say = translator()
    st.title(say("pages.evaluation_title"))
    st.caption(say("evaluation.note"))
    info = pick_task_and_model()
    if not info:
        return
    health.banner(info)
    links.restore(PART, "figures", list(PARTS))
    part = st.segmented_control(
        say("evaluation.part"),
        list(PARTS),
        key=PART,
        required=True,
        persist_state="session",
        label_visibility="collapsed",
        format_func=lambda name: say(f"evaluation.part_{name}"),
    )
    links.record(PART, "figures")
    st.caption(say(f"evaluation.note_{part}"))
    PARTS[part](info)
