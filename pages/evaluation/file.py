"""Predictions for a visitor's CSV file, computed by a job; finished rows can be downloaded while it runs."""

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from pages.evaluation import prediction_table
from pages.shared import ownership
from pages.shared.evidence import waiting
from pages.shared.models import is_of_run
from pages.shared.uploads import translate_uploader
from pages.shared.visitor import act, show_failure, translator
from pages.shared.wording import duration, escape_markdown, row_label
from viz_core import checkpoints
from viz_core.batch_prediction.job import list_runs, read_figures, submit
from viz_core.batch_prediction.results import content, first_rows, problems, read_counts
from viz_core.checkpoints import CheckpointInfo
from viz_core.jobs import runs as jobs
from viz_core.jobs.runs import Run
from viz_core.records import Failure
from viz_core.tasks import get_task
from viz_core.tasks.own import is_own_name
from viz_core.text.length import MAX_CHARACTERS

EVERY = 1.0  # seconds between two updates of a running job
MOST_ROWS, MOST_PROBLEMS, MOST_FILES = 200, 8, 5  # in the table, in the warning, on the page (newest first)
_UPLOADS = "uploads"  # number of uploads, part of the uploader's key: a new key makes Streamlit release the last file


def section(info: CheckpointInfo) -> None:
    """The upload box, and the jobs of this visitor's latest files."""
    say, upload = translator(), st.session_state.get(_UPLOADS, 0)
    if is_of_run(info):
        st.caption(say("evidence.of_run"))
        return
    st.markdown(
        say(
            f"evaluation.file_columns_{'pair' if get_task(info.task).pair else 'single'}",
            labels=[
                f"`{number}` / {_code(info.task, label)}" for number, label in enumerate(get_task(info.task).labels)
            ],
        )
    )
    translate_uploader(say("evaluation.file_limit", megabytes=st.get_option("server.maxUploadSize")))
    file = st.file_uploader(
        say("evaluation.file_box"), type=["csv", "txt"], key=f"upload_{upload}", help=say("evaluation.file_help")
    )
    if st.button(
        say("evaluation.file_predict"), key="ask_rows", type="primary", icon=":material/table_view:", disabled=not file
    ):
        act(lambda: _submit(file, info))
    for run in list_runs(ownership.visitor(), info.task)[:MOST_FILES]:
        with st.container(border=True, key=f"file_{run.id}"):
            st.fragment(_file, run_every=None if run.is_over else EVERY)(run.id, run.is_over)


def _submit(file: UploadedFile, info: CheckpointInfo) -> None:
    submit(file, file.name, info.task, info.name, ownership.visitor())
    st.session_state[_UPLOADS] = st.session_state.get(_UPLOADS, 0) + 1


def _code(task: str, label: str) -> str:
    """A label as it stands in a file."""
    return escape_markdown(label) if is_own_name(task) else f"`{label}`"


def _file(id: str, was_over: bool) -> None:
    """One file, as a fragment: its progress redraws nothing else."""
    try:
        run = jobs.read(id)
    except Failure:  # deleted, perhaps in another tab
        return
    if run.is_over != was_over:
        st.rerun()
    say, task = translator(), get_task(run.request.settings["task"])
    progress = read_counts(run.path)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        details = escape_markdown(f"{run.request.settings['model']} · {_state(run)}")
        st.markdown(f"**{escape_markdown(run.name)}** · {details}", width="stretch")
        if progress.rows > progress.problems:
            st.download_button(
                row_label(say("evaluation.file_download", count=progress.rows - progress.problems), run.name),
                lambda: content(run.path),
                f"predictions_{run.id}.csv",
                "text/csv",
                key=f"save_{id}",
                on_click="ignore",
                icon=":material/download:",
            )
        _controls(run)
    if not run.is_over:
        share = min(1.0, run.status.step / run.status.total) if run.status.total else 0.0
        st.progress(share, text=_progress_text(run))
    elif run.status.message:
        (st.error if run.status.state == "failed" else st.info)(
            escape_markdown(say(run.status.message)), icon=":material/info:"
        )
    if progress.problems:
        _problems(run, progress.problems)
    if progress.cut:
        st.info(say("evaluation.file_cut", count=progress.cut, limit=MAX_CHARACTERS), icon=":material/content_cut:")
    if run.is_over and progress.rows > progress.problems:
        _figures(run)
        _rows(run, task)


def _state(run: Run) -> str:
    return waiting(run) if run.status.state == "queued" else translator()(f"jobs.state_{run.status.state}")


def _progress_text(run: Run) -> str:
    say = translator()
    if not run.status.total:
        return say("evaluation.file_counting") if run.is_live else " "
    parts = [say("evaluation.file_step", step=run.status.step, total=run.status.total)]
    if run.status.eta is not None:
        parts.append(say("pages.training_remaining", time=duration(run.status.eta, say)))
    return " · ".join(parts)


def _controls(run: Run) -> None:
    say = translator()
    if not run.is_over:
        _action_button(
            run, "stop", say("pages.training_stop"), ":material/stop:", ownership.stop, run.status.state == "stopping"
        )
    else:
        if run.status.state == "stopped":
            _action_button(run, "resume", say("pages.training_resume"), ":material/play_arrow:", ownership.resume)
        _action_button(run, "delete", say("evaluation.file_delete"), ":material/delete:", ownership.delete)


def _action_button(run: Run, name: str, label: str, icon: str, action, disabled: bool = False) -> None:
    label = row_label(label, run.name)
    if st.button(label, key=f"{name}_rows_{run.id}", icon=icon, type="tertiary", disabled=disabled):
        act(lambda: action(run.id))


def _problems(run: Run, count: int) -> None:
    """The number of rows without a prediction, and the first of them with line, column and reason."""
    say = translator()
    lines = "\n".join(f"- {escape_markdown(say(problem))}" for problem in problems(run.path, MOST_PROBLEMS))
    more = f"\n- {say('evaluation.file_more', count=count - MOST_PROBLEMS)}" if count > MOST_PROBLEMS else ""
    st.warning(f"{say('evaluation.file_problems', count=count)}\n{lines}{more}", icon=":material/rule:")


def _figures(run: Run) -> None:
    """Accuracy, majority baseline, AUC and MCC, if the file has labels."""
    say, measured = translator(), read_figures(run.path)
    if not measured:
        return
    low, high = measured["accuracy_interval"]
    values = [
        ("accuracy", f"{measured['accuracy']:.1%}", say("evaluation.between", low=low, high=high)),
        ("majority_accuracy", f"{measured['majority_accuracy']:.1%}", None),
        *((name, f"{measured[name]:.3f}", None) for name in ("auc", "mcc") if measured[name] is not None),
    ]
    with st.container(horizontal=True, gap="large", key=f"figures_{run.id}"):
        st.metric(say("evaluation.metric_labelled"), f"{measured['n']:,}", width="content")
        for name, value, interval in values:
            st.metric(
                say(f"evaluation.metric_{name}"),
                value,
                delta=interval,
                delta_color="off",
                delta_arrow="off",
                width="content",
            )


def _rows(run: Run, task) -> None:
    say, name = translator(), run.request.settings["model"]
    try:
        rows = first_rows(run.path, task, MOST_ROWS)
    except Failure as failure:
        show_failure(failure)
        return
    if len(rows) == MOST_ROWS:
        st.caption(say("evaluation.file_first", count=MOST_ROWS))
    info = next((info for info in checkpoints.task_checkpoints(task.name) if info.name == name), None)
    prediction_table.draw_rows(info, rows, f"rows_{run.id}", run.name)
