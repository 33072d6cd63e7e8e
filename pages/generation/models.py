"""The picker of the page of language models: those of our tasks, and those from elsewhere that are open.

In the link, a model of a task is named `<task>/<model>`, that of a run `runs/<id>`, and one from elsewhere as it is.
"""

import streamlit as st

from pages.shared import links
from pages.shared.kinds import page_kind
from pages.shared.models import display_name, is_of_run, task_models
from pages.shared.other_models import open_language_models, reopen_linked
from pages.shared.pickers import MODEL_TASK, describe_size, named_models, recall_model, remember_picked
from pages.shared.visitor import translator
from viz_core.checkpoints import CheckpointInfo
from viz_core.tasks import all_tasks


def has_language_models() -> bool:
    """Whether there is one to show."""
    return bool(open_language_models() or any(map(task_models, _tasks())))


def pick_language_model(url: str) -> CheckpointInfo | None:
    """Draws the picker; None if there is no model. url: of the page."""
    models = _offered()
    if st.query_params.get("model") not in models:
        reopen_linked()
        models = _offered()
    if not models:
        return None
    _recall(url, models)
    say = translator()
    labels = {
        name: say(
            "pages.model_option", name=display_name(info, say) if is_of_run(info) else name, size=describe_size(info)
        )
        for name, info in models.items()
    }
    settings = {"always": True, "label_visibility": "collapsed", "persist_state": None}
    info = models[name := links.pick(st.selectbox, "model", say("pages.model"), labels, labels.get, **settings)]
    remember_picked(info.task, info.name)
    remember_picked(url, name)
    return info


def _tasks() -> list[str]:
    return [task for task in all_tasks() if "generate" in page_kind(task).routes]


def _offered() -> dict[str, CheckpointInfo]:
    """The models by their names in the link, ours first; those of runs where the session or the link names them."""
    models = {f"{task}/{info.name}": info for task in _tasks() for info in task_models(task)}
    of_runs = {info.name: info for task in _tasks() for info in named_models(task).values() if is_of_run(info)}
    return {**models, **of_runs, **{info.name: info for info in open_language_models()}}


def _recall(url: str, models: dict[str, CheckpointInfo]) -> None:
    """After the page of a task: its model, if it is offered here; else the last one of this page."""
    state = st.session_state
    if state.get("model") in models:
        return
    picked = state.get(MODEL_TASK), state.get("model")
    if name := next((name for name, info in models.items() if (info.task, info.name) == picked), None):
        state["model"] = name
    else:
        recall_model(url)
