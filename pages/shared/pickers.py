"""The pickers of a task and a model, and an input's explanation or the reason why there is none."""

from collections.abc import Iterable
from typing import Literal

import streamlit as st

from pages.shared import links
from pages.shared.cache import explain_input
from pages.shared.kinds import page_kind, task_page
from pages.shared.models import display_name, find_model, how_to_fetch, own_run_models, task_models
from pages.shared.own_tasks import escaped, missing, title, visible_tasks
from pages.shared.tasks import TEXT_COUNT
from pages.shared.visitor import translator
from pages.shared.wording import escape_markdown
from viz_core import checkpoints
from viz_core.checkpoints import CheckpointInfo
from viz_core.models.baseline_configs import RecurrentConfig
from viz_core.models.encoder_decoder_config import EncoderDecoderConfig
from viz_core.records import Explanation, Failure

MODEL_TASK, _PICKED = "model_task", "picked_models"  # in the session: of the model, and the last one by task
# What a model is, by its kind and whether it has attention: keys of the catalogues.
_ABOUT = {
    ("recurrent", False): "kinds.recurrent",
    ("recurrent", True): "kinds.recurrent_attention",
    ("bag", False): "kinds.bag",
    ("tfidf", False): "kinds.tfidf",
}


def pick_task_and_model(tasks: Iterable[str], of_runs: bool = False) -> CheckpointInfo | None:
    """The two pickers side by side, for pages that serve several tasks; None if the task has no model.

    tasks: their names; one without a model is offered only where the session or the link names it. of_runs: as of
    `pick_model`.
    """
    say, named = translator(), {st.session_state.get("task"), st.query_params.get("task")}
    offered = list(tasks)
    if missing():
        st.warning(say("own.gone"), icon=":material/link_off:")
    tasks = [name for name in offered if name in named or _has_model(name, of_runs)] or offered
    columns = [5, 4] if len(tasks) < 5 else [2, 1]
    task_column, model_column = st.columns(columns, gap="medium")
    with task_column:
        task = links.pick(
            st.segmented_control,
            "task",
            say("health.task"),
            tasks,
            lambda name: escaped(name, task_page(name).name(say)),
        )
    with model_column:
        return pick_model(task, of_runs=of_runs)


def pick_model(
    task: str, label: Literal["visible", "collapsed"] = "visible", of_runs: bool = False
) -> CheckpointInfo | None:
    """The model picker, with a warning for every unusable checkpoint; None if no checkpoint is usable.

    label: whether the word above the picker is drawn. of_runs: the model of a run is offered, too, where the session or
    the link names it.
    """
    say = translator()
    for failure in checkpoints.list_checkpoints(tasks=visible_tasks())[1]:
        st.warning(escape_markdown(say(failure.message)), icon=":material/broken_image:")
    choices = {info.name: info for info in task_models(task)}
    if of_runs:
        choices |= {info.name: info for info in own_run_models(task)} | named_models(task)
    if not choices:
        st.error(say("checkpoints.no_models", task=task))
        return None
    labels = {
        name: say("pages.model_option", name=display_name(info, say), size=describe_size(info))
        for name, info in choices.items()
    }
    settings = {"label_visibility": label, "persist_state": None}
    recall_model(task)
    linked = st.query_params.get("model", "")
    name = links.pick(st.selectbox, "model", say("pages.model"), choices, labels.get, **settings)
    say_absent(task, "model", linked, name)
    remember_picked(task, name)
    return choices[name]


def _has_model(task: str, of_runs: bool) -> bool:
    return bool(task_models(task) or (of_runs and own_run_models(task)))


def say_absent(task: str, key: str, linked: str, shown: str) -> None:
    """Says how the model of the link is fetched, while a picker shows another one in its place.

    key: of the picker. linked: what it had in the link before it was drawn.
    """
    held, state = f"absent_{key}", st.session_state
    if how_to_fetch(task, linked):
        state[held] = (task, linked, shown)
    of_task, absent, instead = state.get(held, ("", "", ""))
    if (of_task, instead) != (task, shown):
        state.pop(held, None)
    elif sentence := how_to_fetch(task, absent):
        st.info(sentence, icon=":material/download:")


def remember_picked(task: str, name: str) -> None:
    """The model is the last one picked for the task. task: or the address of a page with a picker of its own."""
    st.session_state[MODEL_TASK] = task
    st.session_state[_PICKED] = {**st.session_state.get(_PICKED, {}), task: name}


def recall_model(task: str) -> None:
    """After another task: the model that was picked for this one before, else its first, and not the namesake of the
    other task's."""
    state = st.session_state
    if state.get(MODEL_TASK, task) == task:
        return
    if name := state.get(_PICKED, {}).get(task):
        state["model"] = name
    else:
        state.pop("model", None)


def named_models(task: str, key: str = "model") -> dict[str, CheckpointInfo]:
    """The models of a task that the session or the link names, also those of runs. key: of the picker."""
    named = (find_model(task, str(values.get(key))) for values in (st.session_state, st.query_params))
    return {info.name: info for info in named if info}


def pick_text_count(task: str) -> int:
    """How many texts a model of a task is given: as many as it reads, or one or two as chosen here."""
    if not page_kind(task).input_pages:
        return len(task_page(task).boxes)
    say = translator()
    return links.pick(
        st.segmented_control,
        TEXT_COUNT,
        say("other.texts"),
        [1, 2],
        lambda number: say(f"other.texts_{number}"),
        default=2,
        label_visibility="collapsed",
    )


def describe_size(info: CheckpointInfo) -> str:
    """The size of a model: layers, heads and width, or parameters where it has no layers of a Transformer."""
    say, config = translator(), info.settings.config
    if isinstance(config, RecurrentConfig):
        return say("pages.size_recurrent", width=config.width)
    if not config.layers:
        return say("pages.size_parameters", parameters=config.parameters())
    key = "pages.size_encoder_decoder" if isinstance(config, EncoderDecoderConfig) else "pages.size"
    return say(key, layers=config.layers, heads=config.heads, width=config.width)


def explain_or_warn(info: CheckpointInfo, *texts: str) -> Explanation | None:
    """The explanation, or None after a warning that says why there is none."""
    try:
        return explain_input(info, *texts)
    except Failure as failure:
        st.warning(escape_markdown(translator()(failure.message)), icon=":material/edit:")
        return None


def describe_kind(info: CheckpointInfo) -> None:
    """What a model is that is fine-tuned or no Transformer, and its source; nothing of any other model."""
    say, settings = translator(), info.settings
    if about := _ABOUT.get((settings.kind, bool(settings.config.layers))):
        st.caption(escape_markdown(say(about)))
    if info.origin:
        st.caption(escape_markdown(say("kinds.pretrained", name=info.origin)))


def show_no_attention(info: CheckpointInfo, missing: Literal["explorer", "heads", "pairs"]) -> None:
    """Says what a page cannot show of a model without attention."""
    say = translator()
    sentence = say(f"kinds.no_{missing}", name=f"{title(info.task)}/{display_name(info, say)}")
    st.info(escape_markdown(sentence), icon=":material/visibility_off:")
