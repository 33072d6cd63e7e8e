"""The tasks of this visitor: what each holds, its trainings and what came of them, its models, its link."""

import time
from collections.abc import Callable, Iterable, Mapping

import streamlit as st

from pages.own_data.downloads import download
from pages.own_data.sharing import share
from pages.own_data.starting import ENCODER, SHOWN, kind_of
from pages.shared import navigation, own_tasks, own_verdict, ownership, teacher
from pages.shared.models import is_of_run, own_run_models, run_model
from pages.shared.opening import choose, open_model
from pages.shared.visitor import act, translator
from pages.shared.wording import duration, escape_markdown, row_label
from viz_core import checkpoints
from viz_core.checkpoints import CheckpointInfo
from viz_core.evidence.requests import request_first_evidence
from viz_core.jobs.runs import Run
from viz_core.tasks import own
from viz_core.tasks.own import Definition
from viz_core.training import door

EVERY = 2.0  # seconds between two updates of trainings
_RECIPE = "recipe"  # in the session: whether the form of the page of trainings is unfolded


def section() -> None:
    """A card for each task, the newest first, whose trainings are shown, too."""
    teacher.others_switch([ownership.is_own(task.owner) for task in own.definitions()])
    for number, task in enumerate(own_tasks.managed()):
        with st.container(border=True, key=f"own_task_{task.name}"):
            _task(task, is_newest=number == 0)


def _task(task: Definition, is_newest: bool) -> None:
    say, runs = translator(), _newest_runs(task.name)
    st.markdown(f"### {escape_markdown(task.title)}")
    facts = [
        say("own_data.rows_and_classes", rows=sum(task.counts.values()), classes=len(task.labels)),
        say("own_data.never_deleted") if task.expires is None else say("own_data.deleted_on", date=_date(task.expires)),
        say(f"own_data.{_rows_state(task)}"),
    ]
    if kept := [info.name for info in checkpoints.task_checkpoints(task.name)]:
        facts.append(say("own_data.kept", names=list(map(escape_markdown, kept))))
    st.caption(" · ".join(facts))
    active = any(not run.is_over for run in runs.values())
    if active or is_newest:
        st.fragment(_trainings, run_every=EVERY if active else None)(task.name, active)
    if not active:
        own_verdict.show(task.name)
    _buttons(task, runs)


def _rows_state(task: Definition) -> str:
    if not own.has_rows(task.name):
        return "no_rows"
    return "has_rows" if task.keeps_rows else "rows_until_trained"


def _trainings(task: str, was_active: bool) -> None:
    """The state of the trainings, with a bar while one is under way; redraws the page when the last one ends."""
    runs = _newest_runs(task)
    if was_active and all(run.is_over for run in runs.values()):
        st.rerun()
    say = translator()
    for kind, run in runs.items():
        name = f"**{say(f'own_data.model_{kind}')}**"
        if run.status.message and run.status.state == "failed":
            st.error(f"{name}: {escape_markdown(say(run.status.message))}", icon=":material/error:")
        elif not run.is_over:
            share = min(1.0, run.status.step / run.status.total) if run.status.total else 0.0
            st.progress(share, text=" · ".join([f"{name}: {_state(run)}", *_remaining(run)]))
        elif run.status.state == "stopped":
            st.caption(f"{name}: {_state(run)}")


def _state(run: Run) -> str:
    say = translator()
    if run.status.state == "queued":
        return say("pages.training_waiting", position=run.position)
    return say(f"jobs.state_{run.status.state}")


def _remaining(run: Run) -> list[str]:
    say = translator()
    return [] if run.status.eta is None else [say("pages.training_remaining", time=duration(run.status.eta, say))]


def _buttons(task: Definition, runs: dict[str, Run]) -> None:
    """What can be done with a task and its encoder."""
    say, name = translator(), task.name
    over = all(run.is_over for run in runs.values())
    saved = {model.run: model.info for model in door.saved_models([name])}
    unsaved = [run for run in runs.values() if run.id not in saved and run_model(run)] if over else []
    info = _model(task, runs.get(ENCODER), saved)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if info:
            if info.settings.config.layers:
                _button(task, "see", ":material/visibility:", lambda: open_model(info), primary=True)
            _button(task, "evaluate", ":material/query_stats:", lambda: _evaluate(info))
            if unsaved:
                _button(task, "save", ":material/inventory_2:", lambda: act(lambda: _save(task, unsaved)))
            if not is_of_run(info):
                with st.container(width="content"):
                    download(task, info)
            share(task)
        if own.has_rows(name) and over:
            _button(task, "again", ":material/model_training:", lambda: _train_again(name))
        with st.popover(row_label(say("own_data.delete"), task.title), icon=":material/delete:", key=f"own_del_{name}"):
            st.markdown(say("own_data.delete_sure", title=escape_markdown(task.title)))
            if st.button(row_label(say("own_data.delete_now"), task.title), key=f"own_delete_{name}", type="primary"):
                act(lambda: _delete(task))


def _button(task: Definition, name: str, icon: str, action: Callable[[], object], primary: bool = False) -> None:
    label = row_label(translator()(f"own_data.{name}"), task.title)
    kind = "primary" if primary else "secondary"
    if st.button(label, key=f"own_{name}_{task.name}", icon=icon, type=kind):
        action()


def _model(task: Definition, encoder: Run | None, saved: Mapping[str, CheckpointInfo]) -> CheckpointInfo | None:
    """The model that the buttons open: the newest encoder, saved or not, else any. saved: models by the id of their
    run."""
    if encoder and (info := saved.get(encoder.id) or (run_model(encoder) if encoder.is_over else None)):
        return info
    return next(iter([*checkpoints.task_checkpoints(task.name), *own_run_models(task.name)]), None)


def _evaluate(info: CheckpointInfo) -> None:
    choose(info)
    st.session_state["task"] = info.task
    navigation.switch("evaluation")


def _train_again(task: str) -> None:
    st.session_state.update({"task": task, _RECIPE: True})
    navigation.switch("training")


def _save(task: Definition, runs: Iterable[Run]) -> None:
    """Raises Failure if a model cannot be saved; those before it stay."""
    visitor = ownership.visitor()
    for run in runs:
        name = door.free_name(task.name, str(run.request.settings["preset"]))
        folder = door.save_model(run, name, owner=visitor)
        request_first_evidence(folder, visitor)


def _delete(task: Definition) -> None:
    """Raises Failure, also if the task belongs to somebody else."""
    ownership.check_owner(task.owner)
    door.delete_task(task.name)


def _date(seconds: float) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(seconds))


def _newest_runs(task: str) -> dict[str, Run]:
    """The newest training of the encoder and of each baseline, in the order in which they are shown."""
    newest: dict[str, Run] = {}
    for run in door.runs_of(task):
        if run.request.kind == "train":
            newest.setdefault(kind_of(str(run.request.settings.get("preset"))), run)
    return {kind: newest[kind] for kind in SHOWN if kind in newest}
