"""A visitor's own CSV file: answered by a job, row after row; what there is so far can be looked at and downloaded."""

from __future__ import annotations

import streamlit as st

from pages.evaluation import prediction_table
from pages.shared.ownership import visitor
from pages.shared.visitor import translator
from pages.shared.wording import duration, escape_markdown
from viz_core import checkpoints
from viz_core.batch_prediction.job import ask, asked_by, kept_figures
from viz_core.batch_prediction.results import content, first_rows, problems, written
from viz_core.checkpoints import CheckpointInfo
from viz_core.jobs import runs as jobs
from viz_core.jobs.runs import Run
from viz_core.records import Failure
from viz_core.tasks import TASKS

EVERY = 1.0  # seconds between two looks at a file that is under way
SHOWN, NAMED, FILES = 200, 8, 5  # rows in the table; problems in words; files, the newest first
_TURN = "uploads"  # how many files were sent: the box is another one each time, so that Streamlit lets go of the last


def section(info: CheckpointInfo) -> None:
    """The box for a file, and what has become of the files that this visitor has sent."""
    say, turn = translator(), st.session_state.get(_TURN, 0)
    st.markdown(
        say(
            f"evaluation.file_columns_{'pair' if TASKS[info.task].pair else 'single'}",
            labels=[f"`{number}` / `{label}`" for number, label in enumerate(TASKS[info.task].labels)],
        )
    )
    file = st.file_uploader(
        say("evaluation.file_box"), type=["csv", "txt"], key=f"upload_{turn}", help=say("evaluation.file_help")
    )
    if st.button(
        say("evaluation.file_predict"), key="ask_rows", type="primary", icon=":material/table_view:", disabled=not file
    ):
        try:
            ask(file, file.name, info.task, info.name, visitor())
        except Failure as failure:
            st.error(escape_markdown(say(failure.message)), icon=":material/error:")
        else:
            st.session_state[_TURN] = turn + 1
            st.rerun()
    for run in asked_by(visitor(), info.task)[:FILES]:
        with st.container(border=True, key=f"file_{run.id}"):
            st.fragment(_file, run_every=None if run.over else EVERY)(run.id, run.over)


def _file(id: str, was_over: bool) -> None:
    """One file. A fragment: while it is worked at, nothing else is drawn anew."""
    try:
        run = jobs.read(id)
    except Failure:  # deleted, in another tab perhaps
        return
    if run.over != was_over:
        st.rerun()
    say, task = translator(), TASKS[run.request.settings["task"]]
    done = written(run.path)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        told = escape_markdown(f"{run.request.settings['model']} · {_state(run)}")
        st.markdown(f"**{escape_markdown(run.name)}** · {told}", width="stretch")
        if done.rows > done.problems:
            st.download_button(
                say("evaluation.file_download", count=done.rows - done.problems),
                lambda: content(run.path),
                f"predictions_{run.id}.csv",
                "text/csv",
                key=f"save_{id}",
                on_click="ignore",
                icon=":material/download:",
            )
        _controls(run)
    if not run.over:
        share = min(1.0, run.status.step / run.status.total) if run.status.total else 0.0
        st.progress(share, text=_pace(run))
    elif run.status.message:
        (st.error if run.status.state == "failed" else st.info)(escape_markdown(say(run.status.message)), icon=":material/info:")
    if done.problems:
        _problems(run, done.problems)
    if run.over and done.rows > done.problems:
        _figures(run)
        _rows(run, task)


def _state(run: Run) -> str:
    say = translator()
    if run.status.state == "queued":
        return say("evidence.waiting", position=run.position)
    return say(f"jobs.state_{run.status.state}")


def _pace(run: Run) -> str:
    say = translator()
    if not run.status.total:
        return say("evaluation.file_counting") if run.live else " "
    parts = [say("evaluation.file_step", step=run.status.step, total=run.status.total)]
    if run.status.eta is not None:
        parts.append(say("pages.training_remaining", time=duration(run.status.eta, say)))
    return " · ".join(parts)


def _controls(run: Run) -> None:
    say = translator()
    if not run.over:
        _act(run, "stop", say("pages.training_stop"), ":material/stop:", jobs.stop, run.status.state == "stopping")
    else:
        if run.status.state == "stopped":
            _act(run, "resume", say("pages.training_resume"), ":material/play_arrow:", jobs.resume)
        _act(run, "delete", say("evaluation.file_delete"), ":material/delete:", jobs.delete)


def _act(run: Run, name: str, label: str, icon: str, act, disabled: bool = False) -> None:
    if st.button(label, key=f"{name}_rows_{run.id}", icon=icon, type="tertiary", disabled=disabled):
        try:
            act(run.id)
        except Failure as failure:
            st.error(escape_markdown(translator()(failure.message)), icon=":material/error:")
        else:
            st.rerun()


def _problems(run: Run, count: int) -> None:
    """Rows that could not be answered, the first ones with row, column and reason."""
    say = translator()
    named = "\n".join(f"- {escape_markdown(say(one))}" for one in problems(run.path, NAMED))
    more = f"\n- {say('evaluation.file_more', count=count - NAMED)}" if count > NAMED else ""
    st.warning(f"{say('evaluation.file_problems', count=count)}\n{named}{more}", icon=":material/rule:")


def _figures(run: Run) -> None:
    """How good the answers are, where the file has labels."""
    say, found = translator(), kept_figures(run.path)
    if not found:
        return
    low, high = found["accuracy_interval"]
    told = [
        ("accuracy", f"{found['accuracy']:.1%}", say("evaluation.between", low=low, high=high)),
        ("majority_accuracy", f"{found['majority_accuracy']:.1%}", None),
        *((name, f"{found[name]:.3f}", None) for name in ("auc", "mcc") if found[name] is not None),
    ]
    with st.container(horizontal=True, gap="large", key=f"figures_{run.id}"):
        st.metric(say("evaluation.metric_labelled"), f"{found['n']:,}", width="content")
        for name, value, between in told:
            st.metric(
                say(f"evaluation.metric_{name}"),
                value,
                delta=between,
                delta_color="off",
                delta_arrow="off",
                width="content",
            )


def _rows(run: Run, task) -> None:
    say, name = translator(), run.request.settings["model"]
    rows = first_rows(run.path, task, SHOWN)
    if len(rows) == SHOWN:
        st.caption(say("evaluation.file_first", count=SHOWN))
    info = next((one for one in checkpoints.usable(task.name) if one.name == name), None)
    prediction_table.draw(info, rows, f"rows_{run.id}")
