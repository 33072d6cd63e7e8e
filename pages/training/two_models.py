"""One input through two models: the selected runs and the models of their task, compared on the page of the task."""

from collections.abc import Mapping

import streamlit as st

from pages.shared.kinds import page_kind, task_page
from pages.shared.models import run_model
from pages.shared.opening import open_beside, open_input
from pages.shared.own_tasks import visible_tasks
from pages.shared.selection import reference
from pages.shared.visitor import translator
from pages.shared.wording import escape_markdown, row_label
from pages.training import runs
from viz_core import checkpoints
from viz_core.checkpoints import CheckpointInfo
from viz_core.jobs.runs import Run
from viz_core.rendering.labels import shorten

LABEL_COLUMNS = 60  # width of an input in the list, in Latin letters


def two_models(selected: list[Run]) -> None:
    """Draws the choice if a selected run has a checkpoint that the page of its task can show."""
    say = translator()
    tasks = [task for task in visible_tasks() if page_kind(task).is_compared]
    runs_by_task = {task: [run for run in selected if runs.task_of(run) == task and run_model(run)] for task in tasks}
    if not any(runs_by_task.values()):
        return
    st.header(say("pages.training_two_models"), anchor="beside")
    st.caption(say("pages.training_two_models_note"))
    for task, task_runs in runs_by_task.items():
        if not task_runs:
            continue
        models = _models(task, task_runs)
        if len(models) < 2:
            st.caption(say("pages.training_two_models_single"))
        else:
            _choose(task, models, runs.pinned_inputs(task_runs))


def _models(task: str, task_runs: list[Run]) -> dict[str, CheckpointInfo]:
    """The models to choose from, by the name that is shown: those of the runs first."""
    say = translator()
    of_runs = {say("pages.model_of_run", name=run.name): run_model(run) for run in task_runs}
    others = {info.name: info for info in checkpoints.task_checkpoints(task)}
    return {label: info for label, info in (of_runs | others).items() if info}


@st.fragment
def _choose(task: str, models: Mapping[str, CheckpointInfo], pinned: list[tuple[str, ...]]) -> None:
    """The input and the model to compare with; a button for each other model opens the comparison."""
    say = translator()
    inputs = list(dict.fromkeys([*pinned, *(texts for _, texts in task_page(task).examples)]))
    texts = inputs[
        st.selectbox(
            say("pages.training_input"),
            range(len(inputs)),
            key=f"compared_input_{task}",
            format_func=lambda number: shorten(" | ".join(inputs[number]), LABEL_COLUMNS),
        )
    ]
    key = f"compared_with_{task}"
    if st.session_state.get(key) not in models:
        st.session_state[key] = next(iter(models))
    other = st.segmented_control(
        say("explorer.reference"), list(models), key=key, required=True, format_func=escape_markdown
    )
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(say("pages.training_compare_with"), width="content")
        for number, (label, info) in enumerate(models.items()):
            if label != other and st.button(
                row_label(escape_markdown(label), say(f"{task}.name")),
                key=f"compare_{task}_{number}",
                icon=":material/compare:",
            ):
                _open_both(info, models[other], texts)


def _open_both(info: CheckpointInfo, other: CheckpointInfo, texts: tuple[str, ...]) -> None:
    """Compares two models in the explorer, or, if one of them has no attention, their predictions and tokens."""
    if info.settings.config.layers and other.settings.config.layers:
        open_input(info, texts, reference=reference(other.name))
    else:
        open_beside(info, texts, other)
