"""Finding runs among many: by words and state; all that were found can be deleted together."""

import time

import streamlit as st

from pages.shared import ownership
from pages.shared.own_tasks import visible_tasks
from pages.shared.visitor import translator
from pages.training import run_controls, runs
from viz_core.jobs.runs import Run
from viz_core.jobs.state import STATES

MANY = 5  # from so many runs on there is something to search
SHOWN = 100  # found runs that are listed, the newest; thousands would take a browser seconds
_ANY = "any"


def find_runs(all_runs: list[Run]) -> list[Run]:
    """Draws the search where there are many runs; the runs that it finds, the newest first."""
    if len(all_runs) < MANY:
        return all_runs
    say = translator()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="find_runs"):
        words = st.text_input(
            say("pages.training_find"),
            key="runs_words",
            max_chars=100,
            icon=":material/search:",
            persist_state="session",
            help=say("pages.training_find_help"),
        )
        state = st.selectbox(
            say("pages.training_column_state"),
            [_ANY, *STATES],
            key="runs_state",
            persist_state="session",
            format_func=lambda name: say("pages.training_any_state" if name == _ANY else f"jobs.state_{name}"),
        )
        is_narrowed = bool((words or "").strip()) or state != _ANY
        found = _matching(all_runs, words or "", state) if is_narrowed else all_runs
        if is_narrowed:
            _delete_button(found)
    if len(found) > SHOWN or is_narrowed:
        st.caption(say("pages.training_found", shown=min(len(found), SHOWN), count=len(found)))
    return found


def _matching(all_runs: list[Run], words: str, state: str) -> list[Run]:
    """The runs in a state whose name, task, state and date have all the words."""
    say, wanted = translator(), words.casefold().split()
    tasks = {name: say(f"{name}.name") for name in visible_tasks()}
    states = {name: say(f"jobs.state_{name}") for name in STATES}

    def text(run: Run) -> str:
        date = time.strftime("%Y-%m-%d %H:%M", time.localtime(run.request.submitted or 0))
        task = runs.task_of(run)
        return f"{run.name} {run.id} {task} {tasks.get(task, '')} {states[run.status.state]} {date}".casefold()

    found = [run for run in all_runs if state in (_ANY, run.status.state)]
    return [run for run in found if all(word in content for content in [text(run)] for word in wanted)]


def _delete_button(found: list[Run]) -> None:
    """The button that deletes the found runs which are over, of those that this visitor may delete."""
    say = translator()
    allowed = {owner: ownership.may_change(owner) for owner in {run.request.owner for run in found}}
    ids = [run.id for run in found if run.is_over and allowed[run.request.owner]]
    if ids:
        run_controls.confirm_button(
            "delete_found",
            say("pages.training_delete_found", count=len(ids)),
            say("pages.training_delete_found_sure", count=len(ids)),
            lambda: ownership.delete_all(ids),
        )
