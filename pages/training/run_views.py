"""The table of runs, and the progress of the selected ones, which is redrawn every two seconds."""

from pathlib import Path

import streamlit as st

from pages.shared.own_tasks import visible_tasks
from pages.shared.visitor import translator
from pages.shared.wording import duration, escape_markdown
from pages.training import run_controls, runs
from pages.training.measures import column_config, columns, in_words, measures_of
from viz_core.jobs import runs as jobs
from viz_core.jobs.runs import Run
from viz_core.jobs.state import METRICS
from viz_core.records import Evaluation
from viz_core.training import door

EVERY, IDLE = 2.0, 6.0  # seconds between updates: while a run is active, and while none is


def read_evaluations(run: Run) -> list[Evaluation]:
    """All evaluations of a run so far."""
    return _read_evaluations(run.path, _size(run))


@st.cache_resource(max_entries=64, show_spinner=False)
def _read_evaluations(path: Path, size: int) -> list[Evaluation]:
    return [Evaluation.from_dict(row) for row in jobs.read_metrics(Run(path))[0]]


def _size(run: Run) -> int:
    try:
        return (run.path / METRICS).stat().st_size
    except OSError:
        return 0


def live_progress(all_runs: list[Run], selected: list[Run]) -> None:
    """The progress of the selected runs that are active.

    Reruns the whole page when a run was added or removed, changed its state or was evaluated.
    """
    active = any(not run.is_over for run in all_runs)
    st.fragment(_progress_fragment, run_every=EVERY if active else IDLE)(
        [run.id for run in selected], _signature(all_runs, selected)
    )


def _progress_fragment(ids: list[str], previous: tuple) -> None:
    all_runs = runs.trainings()
    selected = [run for run in all_runs if run.id in ids]
    typical_start = door.typical_start(all_runs)
    for run in selected:
        if not run.is_over:
            _progress(run, typical_start)
    if _signature(all_runs, selected) != previous:
        st.rerun()


def runs_table(all_runs: list[Run]) -> None:
    """The table of runs, with state, progress and best figures."""
    say, tasks, measures = translator(), visible_tasks(), measures_of(all_runs)
    rows = [
        {
            say("pages.training_column_name"): run.name,
            say("pages.training_task"): say(f"{runs.task_of(run)}.name") if runs.task_of(run) in tasks else "–",
            say("pages.training_column_state"): runs.state(run),
            say("pages.training_column_progress"): run.status.step / run.status.total if run.status.total else 0.0,
            **columns(Evaluation.from_dict(run.status.best), measures),
            say("pages.training_column_submitted"): runs.format_time(run.request.submitted),
        }
        for run in all_runs
    ]
    progress = st.column_config.ProgressColumn(format="percent", max_value=1)
    st.dataframe(
        rows,
        hide_index=True,
        placeholder="–",
        height=min(38 + 35 * len(rows), 250),
        key="runs_table",
        column_config={say("pages.training_column_progress"): progress, **column_config(measures)},
    )
    st.caption(say("pages.training_runs_note"))


def _signature(all_runs: list[Run], selected: list[Run]) -> tuple:
    """The state that the page shows: when it changes, the page is redrawn. Independent of the order of selection."""
    states = hash(tuple((run.id, run.status.state, run.position, run.status.attempt) for run in all_runs))
    return states, {(run.id, _size(run)) for run in selected}


def _progress(run: Run, typical_start: float) -> None:
    """Progress and time left of a run, the figures of its last evaluation, and a button to stop it.

    typical_start: seconds that runs take to their first step.
    """
    say, last = translator(), Evaluation.from_dict(run.status.last)
    share = min(1.0, run.status.step / run.status.total) if run.status.total else 0.0
    starting = run.status.state == "running" and not run.status.step
    state = _starting(run, typical_start) if starting else runs.state(run)
    parts = [f"**{escape_markdown(run.name)}**: {state}"]
    if run.status.total:
        parts.append(say("pages.training_step", step=run.status.step, total=run.status.total))
    if run.status.eta is not None:
        parts.append(say("pages.training_remaining", time=duration(run.status.eta, say)))
    with st.container(horizontal=True, vertical_alignment="center", key=f"run_{run.id}"):
        st.progress(share, text=" · ".join(parts))
        run_controls.stop_button(run)
    figures = [
        say(f"pages.training_now_{name}", value=f"{value:{form}}")
        for name, form in (("loss", ".3f"), ("validation_loss", ".3f"), ("lr", ".1e"), ("tokens_per_second", ",.0f"))
        if (value := last.numbers.get(name)) is not None
    ]
    if measured := in_words(last):
        figures.insert(2, say("pages.training_now_measured", figures=measured))
    if (memory := last.numbers.get("memory_bytes")) is not None:
        gigabytes = f"{memory / 1e9:.2f}"
        figures.append(say("pages.training_now_memory", device=escape_markdown(run.status.device), value=gigabytes))
    elif run.is_live:
        figures.append(escape_markdown(run.status.device))
    if figures:
        st.caption(" · ".join(figures))


def _starting(run: Run, typical: float) -> str:
    """How long runs take to start; once this one takes twice as long, that the machine is busy."""
    waited = run.status.heartbeat - (run.status.started or run.status.heartbeat)
    key = "pages.training_starting_busy" if waited > 2 * typical else "pages.training_starting"
    return translator()(key, time=duration(typical, translator()))
