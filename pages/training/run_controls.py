"""What can be done with a run, and with the models that were kept from runs."""

from __future__ import annotations

import filecmp
import functools
from collections.abc import Callable

import streamlit as st

from pages.shared.opening import open_model
from pages.shared.ownership import may_change, visitor
from pages.shared.visitor import translator
from pages.shared.wording import duration, escape_markdown
from pages.training import runs
from viz_core import checkpoints
from viz_core.checkpoints import CheckpointInfo
from viz_core.evidence.requests import request_health
from viz_core.jobs import runs as jobs
from viz_core.jobs.runs import Run
from viz_core.records import Evaluation
from viz_core.training import door


def controls(run: Run) -> None:
    """What has become of a run, and what can be done with it."""
    say, kept, mine = translator(), _kept(run), may_change(run.request.owner)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"run_{run.id}"):
        st.markdown(f"**{escape_markdown(run.name)}** · {_result(run)}", width="stretch")
        if not run.over and mine:
            st.button(
                say("pages.training_stop"),
                key=f"stop_{run.id}",
                icon=":material/stop:",
                disabled=run.status.state == "stopping",
                on_click=runs.attempt,
                args=(lambda: jobs.stop(run.id),),
            )
        if run.status.state in ("failed", "stopped") and mine:
            st.button(
                say("pages.training_resume"),
                key=f"resume_{run.id}",
                icon=":material/play_arrow:",
                on_click=runs.attempt,
                args=(lambda: jobs.resume(run.id),),
            )
        if kept:
            _open_button(kept, f"open_{run.id}")
        elif runs.best_checkpoint(run) and run.over:
            _keep(run)
        if run.over and mine:
            confirm_button(
                f"delete_{run.id}",
                say("pages.training_delete"),
                say("pages.training_delete_sure", name=escape_markdown(run.name)),
                lambda: jobs.delete(run.id),
            )
    if run.status.message:
        (st.error if run.status.state == "failed" else st.info)(escape_markdown(say(run.status.message)), icon=":material/info:")


def _result(run: Run) -> str:
    """State, best figures and time, in one line."""
    say, parts = translator(), [runs.state(run)]
    best = Evaluation.from_dict(run.status.best)
    parts += [
        say(f"pages.training_best_{name}", value=f"{value:{form}}")
        for name, form in (("accuracy", ".1%"), ("auc", ".3f"), ("mcc", ".3f"))
        if (value := best.value(name)) is not None
    ]
    if (spent := runs.seconds(run)) is not None and run.over:
        parts.append(duration(spent, say))
    return " · ".join(parts)


def _keep(run: Run) -> None:
    """The name that the model is to have, and the button that makes it one."""
    say = translator()
    with st.popover(say("pages.training_save_model"), icon=":material/inventory_2:", key=f"keep_{run.id}"):
        st.caption(say("pages.training_save_model_note"))
        key = f"model_{run.id}"
        if key not in st.session_state:
            name = "".join(sign if sign.isalnum() or sign in "._-" else "-" for sign in run.name)
            st.session_state[key] = door.free_name(runs.task_of(run), name)
        st.text_input(say("pages.training_save_model_name"), key=key, max_chars=60)
        # Read when the button is pressed: what was typed last came together with the click.
        st.button(
            say("pages.training_save_model_now"),
            key=f"keep_now_{run.id}",
            type="primary",
            on_click=runs.attempt,
            args=(lambda: request_health(door.keep(run, st.session_state[key].strip()), visitor()),),
        )


def confirm_button(key: str, label: str, question: str, act: Callable[[], object]) -> None:
    """A button behind a question."""
    with st.popover(label, icon=":material/delete:", key=key):
        st.markdown(question)
        st.button(label, key=f"{key}_now", type="primary", on_click=runs.attempt, args=(act,))


def _kept(run: Run) -> CheckpointInfo | None:
    """The model of the pickers that this run was kept as, if it was."""
    folder = runs.best_checkpoint(run)
    if folder is None or not run.over:
        return None
    weights = folder / checkpoints.WEIGHTS
    for info in checkpoints.usable(runs.task_of(run)):
        if (other := info.path / checkpoints.WEIGHTS).exists() and filecmp.cmp(weights, other, shallow=False):
            return info
    return None


def _open_button(info: CheckpointInfo, key: str) -> None:
    """Opens a model on the page of its task."""
    if st.button(translator()("pages.training_open", name=info.name), key=key, icon=":material/visibility:"):
        open_model(info)


def kept_models() -> None:
    """The models that were kept from runs, each with a way to open it and, for whom they belong to, to give it up."""
    say, found = translator(), door.kept_models()
    if not found:
        return
    st.subheader(say("pages.training_saved_models"), anchor="kept")
    st.caption(say("pages.training_saved_models_note"))
    for kept in found:
        info, key = kept.info, f"{kept.info.task}_{kept.info.name}"
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"kept_{key}"):
            st.markdown(
                say(
                    "pages.training_saved_model",
                    name=escape_markdown(info.name),
                    when=runs.when(kept.when),
                    task=say(f"{info.task}.name"),
                ),
                width="stretch",
            )
            _open_button(info, f"open_kept_{key}")
            if may_change(kept.owner):
                confirm_button(
                    f"give_up_{key}",
                    say("pages.training_delete_model"),
                    say("pages.training_delete_model_sure", name=escape_markdown(info.name)),
                    functools.partial(door.give_up, info.task, info.name),
                )
