"""Runs on a page: asked for, listed, stopped, resumed, deleted, kept as models. The files do the rest."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import streamlit as st

from pages.shared import ownership
from pages.shared.visitor import translator
from pages.shared.wording import escape_markdown
from viz_core import checkpoints
from viz_core.jobs import runs
from viz_core.jobs.limits import limits
from viz_core.jobs.runs import Run
from viz_core.records import Evaluation, Failure
from viz_core.tasks import TASKS
from viz_core.training.door import TrainingSettings, submit

DEPTHS = (1, 2, 4, 6)
SHOWN = "runs"  # in the session and in the link: the ids of those that are looked at


@st.cache_resource(ttl=0.5, show_spinner=False)
def _listing(folder: Path) -> list[Run]:
    return runs.listing()


def trainings() -> list[Run]:
    """All trainings, the newest first; for all visitors together read at most twice a second.

    Of those that have one name, the later ones carry a number: whoever chooses among them must tell them apart.
    """
    found, taken = [], set()
    for run in reversed(_listing(runs.folder())):
        if run.request.kind not in ("train", None):
            continue
        name, number = run.name, 2
        while name in taken:
            name, number = f"{run.name} ({number})", number + 1
        taken.add(name)
        found.append(replace(run, request=replace(run.request, name=name)))
    return found[::-1]


def fresh() -> None:
    """What was just changed is seen at once."""
    _listing.clear()


def start(settings: TrainingSettings, device: str) -> list[str]:
    """Puts a training into the queue. Raises Failure where that cannot be."""
    run = submit(settings, device, ownership.visitor())
    fresh()
    return [run.id]


def start_depths(settings: TrainingSettings, device: str) -> list[str]:
    """The same recipe with 1, 2, 4 and 6 layers, queued as one experiment. Raises Failure where that cannot be."""
    experiment, started = secrets.token_hex(4), []
    usual = limits()
    for number, layers in enumerate(DEPTHS):
        depth = replace(settings, name=f"{settings.name}-{layers}", encoder={**settings.encoder, "layers": layers})
        # Together they count as one of the runs that a visitor may have waiting.
        room = replace(usual, most_queued_per_owner=usual.most_queued_per_owner + number)
        started.append(submit(depth, device, ownership.visitor(), room, experiment).id)
    fresh()
    return started


def show(ids: list[str]) -> None:
    """From now on these are looked at."""
    st.session_state[SHOWN] = ids


def attempt(act: Callable[[], object]) -> None:
    """Does what was asked for; keeps the reason where that does not work."""
    st.session_state["runs_said"] = None
    try:
        act()
    except Failure as failure:
        st.session_state["runs_said"] = failure.message
    finally:
        fresh()


def show_failure() -> None:
    """Why what was asked for last did not work; until something else is, for a page is drawn anew at any time."""
    if message := st.session_state.get("runs_said"):
        st.error(escape_markdown(translator()(message)), icon=":material/error:")


def best_checkpoint(run: Run) -> Path | None:
    """The checkpoint of the best evaluation so far, where it is there."""
    step = Evaluation.from_dict(run.status.best).step
    folder = run.path / "checkpoints" / str(step)
    return folder if step is not None and (folder / checkpoints.WEIGHTS).exists() else None


def task_of(run: Run) -> str:
    return str(run.request.settings.get("task", ""))


def pinned(found: list[Run]) -> list[tuple[str, ...]]:
    """The inputs that runs of one task have followed, each once; one text, or the two of a pair."""
    count = 1 + TASKS[task_of(found[0])].pair if found else 1
    lists = [run.request.settings.get("pinned") for run in found]
    asked = [one for inputs in lists if isinstance(inputs, list) for one in inputs]
    inputs = [(one,) if isinstance(one, str) else tuple(map(str, one)) for one in asked if isinstance(one, (str, list))]
    return [texts for texts in dict.fromkeys(inputs) if len(texts) == count]


def state(run: Run) -> str:
    """In words, with the place of one that waits."""
    say = translator()
    if run.status.state == "queued":
        return say("pages.training_waiting", position=run.position)
    return say(f"jobs.state_{run.status.state}")


def seconds(run: Run) -> float | None:
    """How long it has been running; None before it started."""
    return None if run.status.started is None else (run.status.ended or time.time()) - run.status.started


def when(seconds: object) -> str:
    """A moment, given in seconds since 1970, as month, day and time."""
    return time.strftime("%m-%d %H:%M", time.localtime(seconds)) if isinstance(seconds, float) else "–"


def table(found: list[Run]) -> None:
    """All runs with their state and their best figures."""
    say = translator()
    rows = [
        {
            say("pages.training_column_name"): run.name,
            say("pages.training_task"): say(f"{task_of(run)}.name") if task_of(run) in TASKS else "–",
            say("pages.training_column_state"): state(run),
            say("pages.training_column_progress"): run.status.step / run.status.total if run.status.total else 0.0,
            **{
                say(f"pages.column_{name}"): Evaluation.from_dict(run.status.best).value(name)
                for name in ("accuracy", "auc", "mcc")
            },
            say("pages.training_column_submitted"): when(run.request.submitted),
        }
        for run in found
    ]
    st.dataframe(
        rows,
        hide_index=True,
        height=min(38 + 35 * len(rows), 250),
        key="runs_table",
        column_config={
            say("pages.training_column_progress"): st.column_config.ProgressColumn(format="percent", max_value=1),
            say("pages.column_accuracy"): st.column_config.NumberColumn(format="percent"),
            say("pages.column_auc"): st.column_config.NumberColumn(format="%.3f"),
            say("pages.column_mcc"): st.column_config.NumberColumn(format="%.3f"),
        },
    )
