"""The buttons of a run, and the list of models saved from runs."""

import filecmp
import functools
from collections.abc import Callable

import streamlit as st

from pages.shared import ownership
from pages.shared.models import best_checkpoint
from pages.shared.opening import open_model
from pages.shared.own_tasks import visible_tasks
from pages.shared.visitor import translator
from pages.shared.wording import duration, escape_markdown, row_label
from pages.training import runs
from pages.training.measures import in_words
from viz_core import checkpoints
from viz_core.checkpoints import CheckpointInfo
from viz_core.evidence.requests import request_first_evidence
from viz_core.jobs.runs import Run
from viz_core.records import Evaluation
from viz_core.training import door

_NO_BLEU = 1.0  # of 100: below, hardly a word pair is right, and the order of the epochs is noise


def controls(run: Run) -> None:
    """The state and result of a run that is over, and the buttons that resume, save or delete it; its message."""
    if run.is_over:
        _controls(run)
    if run.status.message:
        say = translator()
        (st.error if run.status.state == "failed" else st.info)(
            escape_markdown(say(run.status.message)), icon=":material/info:"
        )


def stop_button(run: Run) -> None:
    """The button that stops an active run, for its owner."""
    if ownership.may_change(run.request.owner):
        st.button(
            row_label(translator()("pages.training_stop"), run.name),
            key=f"stop_{run.id}",
            icon=":material/stop:",
            disabled=run.status.state == "stopping",
            on_click=runs.attempt,
            args=(lambda: ownership.stop(run.id),),
        )


def _controls(run: Run) -> None:
    say, saved, own = translator(), _saved_model(run), ownership.may_change(run.request.owner)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"run_{run.id}"):
        st.markdown(f"**{escape_markdown(run.name)}** · {_result(run)}", width="stretch")
        if run.status.state in ("failed", "stopped") and own:
            st.button(
                row_label(say("pages.training_resume"), run.name),
                key=f"resume_{run.id}",
                icon=":material/play_arrow:",
                on_click=runs.attempt,
                args=(lambda: ownership.resume(run.id),),
            )
        if saved:
            _open_button(saved, f"open_{run.id}", run.name)
        elif best_checkpoint(run):
            _save_form(run)
        if own:
            confirm_button(
                f"delete_{run.id}",
                row_label(say("pages.training_delete"), run.name),
                say("pages.training_delete_sure", name=escape_markdown(run.name)),
                lambda: ownership.delete(run.id),
            )


def _result(run: Run) -> str:
    """State, best figures and duration in one line."""
    say, parts = translator(), [runs.state(run)]
    if best := in_words(Evaluation.from_dict(run.status.best)):
        parts.append(say("pages.training_best", figures=best))
    if (bleu := Evaluation.from_dict(run.status.best).numbers.get("bleu")) is not None and bleu < _NO_BLEU:
        parts.append(say("pages.training_no_bleu"))
    if (elapsed := runs.seconds(run)) is not None:
        parts.append(duration(elapsed, say))
    return " · ".join(parts)


def _save_form(run: Run) -> None:
    """The form that saves the best checkpoint of a run as a model under a name."""
    say = translator()
    label = row_label(say("pages.training_save_model"), run.name)
    with st.popover(label, icon=":material/inventory_2:", key=f"save_{run.id}"):
        st.caption(say("pages.training_save_model_note"))
        key = f"model_{run.id}"
        if key not in st.session_state:
            st.session_state[key] = door.free_name(runs.task_of(run), run.name)
        st.text_input(say("pages.training_save_model_name"), key=key, max_chars=60)
        # The name is read in the callback, because the last edit may arrive together with the click.
        st.button(
            say("pages.training_save_model_now"),
            key=f"save_now_{run.id}",
            type="primary",
            on_click=runs.attempt,
            args=(lambda: _save(run, st.session_state[key].strip()),),
        )


def _save(run: Run, name: str) -> None:
    """Raises Failure if the model cannot be saved under this name."""
    visitor = ownership.visitor()
    request_first_evidence(door.save_model(run, name, owner=visitor), visitor)


def confirm_button(key: str, label: str, question: str, action: Callable[[], object]) -> None:
    """A button that asks for confirmation."""
    with st.popover(label, icon=":material/delete:", key=key):
        st.markdown(question)
        st.button(label, key=f"{key}_now", type="primary", on_click=runs.attempt, args=(action,))


def _saved_model(run: Run) -> CheckpointInfo | None:
    """The model that this run was saved as, if any: the one with the same weights."""
    folder = best_checkpoint(run)
    if folder is None:
        return None
    weights = folder / checkpoints.WEIGHTS
    for info in checkpoints.task_checkpoints(runs.task_of(run)):
        if (saved_weights := info.path / checkpoints.WEIGHTS).exists() and filecmp.cmp(
            weights, saved_weights, shallow=False
        ):
            return info
    return None


def _open_button(info: CheckpointInfo, key: str, row: str) -> None:
    """A button that opens a model on the page of its task. row: that it stands in."""
    label = row_label(translator()("pages.training_open", name=escape_markdown(info.name)), row)
    if st.button(label, key=key, icon=":material/visibility:"):
        open_model(info)


def saved_models() -> None:
    """The models saved from runs, each with a button to open it and, for its owner, one to delete it."""
    say, models = translator(), door.saved_models(visible_tasks())
    if not models:
        return
    st.header(say("pages.training_saved_models"), anchor="kept")
    st.caption(say("pages.training_saved_models_note"))
    for model in models:
        info, key = model.info, f"{model.info.task}_{model.info.name}"
        task = say(f"{info.task}.name")
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"saved_{key}"):
            st.markdown(
                say(
                    "pages.training_saved_model",
                    name=escape_markdown(info.name),
                    when=runs.format_time(model.when),
                    task=escape_markdown(task),
                ),
                width="stretch",
            )
            _open_button(info, f"open_saved_{key}", task)
            if ownership.may_change(model.owner):
                confirm_button(
                    f"delete_model_{key}",
                    row_label(say("pages.training_delete_model"), f"{info.name}, {task}"),
                    say("pages.training_delete_model_sure", name=escape_markdown(info.name)),
                    functools.partial(_delete_model, model),
                )


def _delete_model(model: door.SavedModel) -> None:
    """Raises Failure, also if the model belongs to somebody else."""
    ownership.check_owner(model.owner)
    door.delete_model(model.info.task, model.info.name)
