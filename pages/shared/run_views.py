"""Runs while they are looked at: what moves every two seconds, and what can be done with each."""

from __future__ import annotations

import filecmp
import shutil
from collections.abc import Callable
from pathlib import Path

import streamlit as st

from pages.shared import runs
from pages.shared.estimates import duration
from pages.shared.visitor import plain, translator
from viz_core import checkpoints
from viz_core.checkpoints import Listing
from viz_core.jobs import runs as jobs
from viz_core.jobs.runs import Run
from viz_core.jobs.state import METRICS
from viz_core.training import publish

EVERY = 2.0  # seconds; charts are drawn anew only where something has changed
PAGES = {"imdb": "sentiment", "afqmc": "matching"}


def rows(run: Run) -> list[dict]:
    """The figures of all evaluations so far."""
    return _rows(run.path, _size(run))


@st.cache_resource(max_entries=64, show_spinner=False)
def _rows(path: Path, size: int) -> list[dict]:
    return jobs.metrics(Run(path.name, path))[0]


def _size(run: Run) -> int:
    try:
        return (run.path / METRICS).stat().st_size
    except OSError:
        return 0


def pulse(found: list[Run], chosen: list[Run]) -> None:
    """The table, and the progress of those that are looked at: drawn every two seconds while one moves. The rest
    of the page is drawn anew where a run has come, gone, changed its state or been evaluated."""
    moving = any(not run.over for run in found)
    st.fragment(_pulse, run_every=EVERY if moving else None)([run.id for run in chosen], _signature(found, chosen))


def _pulse(ids: list[str], drawn: tuple) -> None:
    found = runs.trainings()
    chosen = [run for run in found if run.id in ids]
    runs.table(found)
    for run in chosen:
        if not run.over:
            _progress(run)
    if _signature(found, chosen) != drawn:
        st.rerun()


def _signature(found: list[Run], chosen: list[Run]) -> tuple:
    """What the page was drawn from, whatever the order in which the runs were chosen."""
    states = tuple((run.id, run.state, run.place, run.attempt) for run in found)
    return states, {(run.id, _size(run)) for run in chosen}


def _progress(run: Run) -> None:
    """How far it is, how long it will take, and what the last evaluation said."""
    say, last = translator(), run.last or {}
    done = min(1.0, run.step / run.total) if run.total else 0.0
    parts = [f"**{plain(run.name)}**: {runs.state(run)}"]
    if run.total:
        parts.append(say("pages.training_step", step=run.step, total=run.total))
    if run.eta is not None:
        parts.append(say("pages.training_to_go", time=duration(run.eta, say)))
    st.progress(done, text=" · ".join(parts))
    told = [say(f"pages.training_now_{name}", value=f"{last[name]:{form}}") for name, form in (
        ("loss", ".3f"), ("validation_loss", ".3f"), ("accuracy", ".1%"), ("lr", ".1e"), ("tokens_per_second", ",.0f"))
        if isinstance(last.get(name), (int, float))]
    if isinstance(last.get("memory_bytes"), int):
        gigabytes = f"{last['memory_bytes'] / 1e9:.2f}"
        told.append(say("pages.training_now_memory", device=plain(run.device), value=gigabytes))
    elif run.live:
        told.append(plain(run.device))
    if told:
        st.caption(" · ".join(told))


def controls(run: Run) -> None:
    """What has become of a run, and what can be done with it."""
    say = translator()
    kept = _kept(run)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"run_{run.id}"):
        st.markdown(f"**{plain(run.name)}** · {_result(run)}", width="stretch")
        if not run.over:
            st.button(say("pages.training_stop"), key=f"stop_{run.id}", icon=":material/stop:",
                      disabled=run.state == "stopping", on_click=runs.attempt, args=(lambda: jobs.stop(run.id),))
        if run.state in ("failed", "stopped"):
            st.button(say("pages.training_resume"), key=f"resume_{run.id}", icon=":material/play_arrow:",
                      on_click=runs.attempt, args=(lambda: jobs.resume(run.id),))
        if kept:
            # Not a link: a model that was chosen on that page before would win over one that its address names.
            if st.button(say("pages.training_open", name=kept.name), key=f"open_{run.id}", icon=":material/visibility:"):
                st.session_state["model"] = kept.name
                st.switch_page(f"../{PAGES[kept.task]}.py")
            if kept.metrics.get("split") != "test":  # one that was measured on the test stays: it may be one that ships
                _confirmed(f"unkeep_{run.id}", say("pages.training_unkeep"),
                           say("pages.training_unkeep_sure", name=plain(kept.name)),
                           lambda: shutil.rmtree(kept.path, ignore_errors=True))
        elif runs.best_folder(run) and run.over:
            _keep(run)
        if run.over:
            _confirmed(f"delete_{run.id}", say("pages.training_delete"),
                       say("pages.training_delete_sure", name=plain(run.name)), lambda: jobs.delete(run.id))
    if run.message:
        (st.error if run.state == "failed" else st.info)(plain(say(run.message)), icon=":material/info:")


def _result(run: Run) -> str:
    """State, best figures and time, in one line."""
    say, parts = translator(), [runs.state(run)]
    if run.best:
        parts += [say(f"pages.training_best_{name}", value=f"{run.best[name]:{form}}") for name, form in (
            ("accuracy", ".1%"), ("auc", ".3f"), ("mcc", ".3f")) if isinstance(run.best.get(name), (int, float))]
    if (spent := runs.seconds(run)) is not None and run.over:
        parts.append(duration(spent, say))
    return " · ".join(parts)


def _keep(run: Run) -> None:
    """The name that the model is to have, and the button that makes it one."""
    say = translator()
    with st.popover(say("pages.training_keep"), icon=":material/inventory_2:", key=f"keep_{run.id}"):
        st.caption(say("pages.training_keep_note"))
        key = f"model_{run.id}"
        st.session_state.setdefault(key, "".join(one if one.isalnum() or one in "._-" else "-" for one in run.name))
        st.text_input(say("pages.training_keep_name"), key=key, max_chars=60)
        # Read when the button is pressed: what was typed last came together with the click.
        st.button(say("pages.training_keep_now"), key=f"keep_now_{run.id}", type="primary", on_click=runs.attempt,
                  args=(lambda: publish.keep(run, st.session_state[key].strip()),))


def _confirmed(key: str, label: str, question: str, act: Callable[[], object]) -> None:
    """A button behind a question."""
    with st.popover(label, icon=":material/delete:", key=key):
        st.markdown(question)
        st.button(label, key=f"{key}_now", type="primary", on_click=runs.attempt, args=(act,))


def _kept(run: Run) -> Listing | None:
    """The model of the pickers that this run was kept as, if it was."""
    folder = runs.best_folder(run)
    if folder is None or not run.over:
        return None
    weights = folder / checkpoints.WEIGHTS
    for listing in checkpoints.usable(runs.task_of(run)):
        if (other := listing.path / checkpoints.WEIGHTS).exists() and filecmp.cmp(weights, other, shallow=False):
            return listing
    return None
