"""The evaluation page: figures, random samples, errors, two inputs compared, a CSV file, and behavioural tests."""

import streamlit as st

from pages.evaluation import behaviour, compare, errors, figures, file, samples
from pages.evaluation.compare import PART
from pages.shared import links, navigation, text_evidence
from pages.shared.kinds import page_kind
from pages.shared.own_tasks import visible_tasks
from pages.shared.pickers import pick_task_and_model
from pages.shared.visitor import translator

# Of a model that classifies.
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
    row = navigation.beside()
    st.caption(say("evaluation.note"))
    info = pick_task_and_model([task for task in visible_tasks() if page_kind(task).evaluation], of_runs=True)
    if not info:
        return
    with row:
        text_evidence.ways(info)
    kind = page_kind(info.task)
    kind.banner(info)
    part = links.pick(
        st.segmented_control,
        PART,
        say("evaluation.part"),
        kind.evaluation,
        lambda name: say(f"evaluation.part_{name}"),
        label_visibility="collapsed",
    )
    st.caption(say(f"evaluation.note_{part}"))
    with st.container(key=f"of_{info.task}"):  # another element for another task: nothing in it stays scrolled
        kind.evaluation[part](info)
