"""Runs while they are looked at: what moves every two seconds."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pages.shared.visitor import translator
from pages.shared.wording import duration, escape_markdown
from pages.training import runs
from viz_core.jobs import runs as jobs
from viz_core.jobs.runs import Run
from viz_core.jobs.state import METRICS
from viz_core.records import Evaluation

EVERY, IDLE = 2.0, 6.0  # seconds while a run moves, and while only somebody else may start one


def rows(run: Run) -> list[Evaluation]:
    """All evaluations so far."""
    return _rows(run.path, _size(run))


@st.cache_resource(max_entries=64, show_spinner=False)
def _rows(path: Path, size: int) -> list[Evaluation]:
    return [Evaluation.from_dict(row) for row in jobs.metrics(Run(path))[0]]


def _size(run: Run) -> int:
    try:
        return (run.path / METRICS).stat().st_size
    except OSError:
        return 0


def live_progress(found: list[Run], chosen: list[Run]) -> None:
    """The table, and the progress of those that are looked at: looked after every two seconds while one moves. The rest
    of the page is drawn anew where a run has come, gone, changed its state or been evaluated."""
    moving = any(not run.over for run in found)
    st.fragment(_pulse, run_every=EVERY if moving else IDLE)([run.id for run in chosen], _signature(found, chosen))


def _pulse(ids: list[str], drawn: tuple) -> None:
    found = runs.trainings()
    chosen = [run for run in found if run.id in ids]
    if found:
        runs.table(found)
    for run in chosen:
        if not run.over:
            _progress(run)
    if _signature(found, chosen) != drawn:
        st.rerun()


def _signature(found: list[Run], chosen: list[Run]) -> tuple:
    """What the page was drawn from, whatever the order in which the runs were chosen."""
    states = tuple((run.id, run.status.state, run.position, run.status.attempt) for run in found)
    return states, {(run.id, _size(run)) for run in chosen}


def _progress(run: Run) -> None:
    """How far it is, how long it will take, and what the last evaluation said."""
    say, last = translator(), Evaluation.from_dict(run.status.last)
    done = min(1.0, run.status.step / run.status.total) if run.status.total else 0.0
    parts = [f"**{escape_markdown(run.name)}**: {runs.state(run)}"]
    if run.status.total:
        parts.append(say("pages.training_step", step=run.status.step, total=run.status.total))
    if run.status.eta is not None:
        parts.append(say("pages.training_remaining", time=duration(run.status.eta, say)))
    st.progress(done, text=" · ".join(parts))
    told = [
        say(f"pages.training_now_{name}", value=f"{value:{form}}")
        for name, form in (
            ("loss", ".3f"),
            ("validation_loss", ".3f"),
            ("accuracy", ".1%"),
            ("lr", ".1e"),
            ("tokens_per_second", ",.0f"),
        )
        if (value := last.value(name)) is not None
    ]
    if last.memory_bytes is not None:
        gigabytes = f"{last.memory_bytes / 1e9:.2f}"
        told.append(say("pages.training_now_memory", device=escape_markdown(run.status.device), value=gigabytes))
    elif run.live:
        told.append(escape_markdown(run.status.device))
    if told:
        st.caption(" · ".join(told))
