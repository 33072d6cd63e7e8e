"""The pickers of a task and a model; and an input's explanation, or why there is none."""

from __future__ import annotations

import streamlit as st

from pages.shared import links
from pages.shared.cache import explain_input
from pages.shared.visitor import translator
from pages.shared.wording import escape_markdown
from viz_core import checkpoints
from viz_core.checkpoints import CheckpointInfo
from viz_core.records import Explanation, Failure
from viz_core.tasks import TASKS


def pick_task_and_model() -> CheckpointInfo | None:
    """The two pickers beside each other, for pages that serve every task; None where the task has no model."""
    say = translator()
    chosen, picked = st.columns([1, 2], vertical_alignment="bottom", gap="large")
    with chosen:
        links.restore("task", next(iter(TASKS)), list(TASKS))
        task = st.segmented_control(
            say("health.task"),
            list(TASKS),
            key="task",
            required=True,
            persist_state="session",
            format_func=lambda name: say(f"{name}.name"),
        )
        links.record("task", next(iter(TASKS)))
    with picked:
        return pick_model(task)


def pick_model(task: str) -> CheckpointInfo | None:
    """The picker; says which checkpoints cannot be used, and returns None where none can."""
    say = translator()
    for failure in checkpoints.list_checkpoints()[1]:
        st.warning(escape_markdown(say(failure.message)), icon=":material/broken_image:")
    choices = {info.name: info for info in checkpoints.usable(task)}
    if not choices:
        st.error(say("checkpoints.no_models", task=task))
        return None
    names = list(choices)
    links.restore("model", names[0], names)
    labels = {name: _described(info) for name, info in choices.items()}
    name = st.selectbox(say("pages.model"), names, key="model", format_func=labels.get)
    links.record("model", names[0])
    return choices[name]


def _described(info: CheckpointInfo) -> str:
    return translator()("pages.model_option", name=info.name, size=size(info))


def size(info: CheckpointInfo) -> str:
    """How large a model is, in a few words."""
    say, config = translator(), info.settings.model
    if not config.layers:
        return say("pages.size_parameters", parameters=config.parameters())
    return say("pages.size", layers=config.layers, heads=config.heads, width=config.width)


def explain_or_warn(info: CheckpointInfo, *texts: str) -> Explanation | None:
    """The explanation, or None after its failure was said to the visitor."""
    try:
        return explain_input(info, *texts)
    except Failure as failure:
        st.warning(escape_markdown(translator()(failure.message)), icon=":material/edit:")
        return None


def show_no_attention(info: CheckpointInfo) -> None:
    """Says of a model without attention that there is nothing to show."""
    st.info(
        escape_markdown(translator()("checkpoints.no_attention", name=f"{info.task}/{info.name}")),
        icon=":material/visibility_off:",
    )
