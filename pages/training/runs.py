"""The runs of the training page: listing, starting, and what was selected. State lives in the run folders."""

import secrets
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path

import streamlit as st

from pages.shared import own_tasks, ownership
from pages.shared.visitor import translator
from pages.shared.wording import escape_markdown
from viz_core.jobs import runs
from viz_core.jobs.runs import Run
from viz_core.recipes import Preset
from viz_core.records import Failure
from viz_core.tasks import get_task
from viz_core.training.door import TrainingSettings, submit, submit_together

SELECTED = "runs"  # in the session and in the link: the ids of the selected runs
_SELECTING = "runs_selecting"  # in the session: when a button has selected runs, in place of which, and which
HOLD = 3.0  # seconds


# Part of the cache key: clearing the cache would not stop a page that began to read before a change from storing what
# it read after it.
_changes = count(1)
_last_change = 0


def trainings() -> list[Run]:
    """All trainings that this visitor may see, the newest first; read at most twice a second for all visitors together.

    Runs of the same name are numbered in order of submission, so that they can be told apart.
    """
    return own_tasks.shown_runs(_cached_trainings(runs.folder(), _last_change))


@st.cache_resource(ttl=0.5, show_spinner=False)
def _cached_trainings(folder: Path, last_change: int) -> list[Run]:
    trainings, used_names, numbers = [], set(), {}
    for run in reversed(runs.list_runs()):
        if run.request.kind not in ("train", None):
            continue
        name, number = run.name, numbers.get(run.name, 2)
        while name in used_names:
            name, number = f"{run.name} ({number})", number + 1
        used_names.add(name)
        numbers[run.name] = number
        trainings.append(run if name == run.name else replace(run, request=replace(run.request, name=name)))
    return trainings[::-1]


def clear_cache() -> None:
    """Makes a change of the runs visible at once, also if another visitor's page is just reading them."""
    global _last_change
    _last_change = next(_changes)


def start(settings: TrainingSettings) -> list[str]:
    """Queues a training and returns the id of its run. Raises Failure."""
    own_tasks.check_rows(settings.task)
    run = submit(settings, settings.device, ownership.visitor())
    clear_cache()
    return [run.id]


def depths(settings: TrainingSettings | None) -> tuple[int, ...]:
    """The numbers of layers that are compared."""
    return get_task(settings.task).presets[settings.preset].depths if settings else Preset.depths


def start_depths(settings: TrainingSettings) -> list[str]:
    """Queues the recipe with each of `depths` as one experiment and returns the ids of its runs. Raises Failure."""
    own_tasks.check_rows(settings.task)
    trainings = [
        replace(settings, name=f"{settings.name}-{layers}", overrides={**settings.overrides, "layers": layers})
        for layers in depths(settings)
    ]
    queued = submit_together(trainings, settings.device, ownership.visitor(), experiment=secrets.token_hex(4))
    clear_cache()
    return [run.id for run in queued]


def select(ids: list[str]) -> None:
    """Selects these runs."""
    state = st.session_state
    state[_SELECTING] = time.monotonic(), state.get(SELECTED), ids
    state[SELECTED] = ids


def hold_selection() -> None:
    """Selects again what was selected a moment ago, where something that the browser had sent before has undone it.

    Streamlit sends the values of all widgets with every run of a fragment, and some fragments run by themselves."""
    moment, before, ids = st.session_state.get(_SELECTING, (0, None, None))
    if ids and time.monotonic() - moment < HOLD and st.session_state.get(SELECTED) == before:
        st.session_state[SELECTED] = ids


def attempt(action: Callable[[], object]) -> None:
    """Runs the action of a button; if it fails, stores the message for `show_failure`."""
    st.session_state["runs_said"] = None
    try:
        action()
    except Failure as failure:
        st.session_state["runs_said"] = failure.message
    finally:
        clear_cache()


def has_failed() -> bool:
    """Whether the last action failed."""
    return bool(st.session_state.get("runs_said"))


def show_failure() -> None:
    """The message of the last action if it failed; stays until the next action, because the page reruns at any time."""
    if message := st.session_state.get("runs_said"):
        st.error(escape_markdown(translator()(message)), icon=":material/error:")


def task_of(run: Run) -> str:
    """The name of the task that the run trains; empty where its request does not say."""
    return str(run.request.settings.get("task", ""))


def pinned_inputs(selected: list[Run]) -> list[tuple[str, ...]]:
    """The pinned inputs of runs of the same task, without duplicates; each is one text, or the two of a pair."""
    count = get_task(task_of(selected[0])).input_texts if selected else 1
    lists = [run.request.settings.get("pinned") for run in selected]
    entries = [
        entry for inputs in lists if isinstance(inputs, list) for entry in inputs if isinstance(entry, (str, list))
    ]
    inputs = [(entry,) if isinstance(entry, str) else tuple(map(str, entry)) for entry in entries]
    return [texts for texts in dict.fromkeys(inputs) if len(texts) == count]


def state(run: Run) -> str:
    """The state in words, with the position in the queue of a run that waits."""
    say = translator()
    if run.status.state == "queued":
        return say("pages.training_waiting", position=run.position)
    return say(f"jobs.state_{run.status.state}")


def seconds(run: Run) -> float | None:
    """How long the run has taken so far, in seconds; None before it started."""
    return None if run.status.started is None else (run.status.ended or time.time()) - run.status.started


def format_time(seconds: object) -> str:
    """A Unix timestamp as month, day and time; a dash for anything else."""
    return time.strftime("%m-%d %H:%M", time.localtime(seconds)) if isinstance(seconds, float) else "–"
