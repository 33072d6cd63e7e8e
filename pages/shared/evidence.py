"""Evidence over the validation split, on any page: what is kept of it, or how to ask for it and how far that has come.

Of each kind the catalogues hold `<kind>.missing` (what is not known yet) and `<kind>.ask` (the button).
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from pages.shared import ownership
from pages.shared.visitor import translator
from pages.shared.wording import duration, escape_markdown
from viz_core.checkpoints import CheckpointInfo
from viz_core.evidence.requests import request_evidence, latest_run, has_corpus
from viz_core.evidence.results import read_result
from viz_core.jobs import runs as jobs
from viz_core.jobs.runs import Run
from viz_core.records import Failure
from viz_core.tasks import TASKS

EVERY = 1.0  # seconds between two looks at evidence that is being gathered


def result_or_offer(info: CheckpointInfo, name: str) -> dict | None:
    """The evidence of this kind that is kept for this model. Where there is none, None after it was drawn how to get it."""
    result = read_result(info.path, name)
    if result is None:
        offer(info, name)
    return result


def offer(info: CheckpointInfo, name: str) -> None:
    """A quiet line with a button that asks for it; while it waits or runs, its progress. Once it is over, the page is
    run again."""
    run = latest_run(name, info.task, info.name)
    under_way = run is not None and not run.over
    st.fragment(_offered, run_every=EVERY if under_way else None)(info, name, under_way)


def _offered(info: CheckpointInfo, name: str, was_under_way: bool) -> None:
    run = latest_run(name, info.task, info.name)
    under_way = run is not None and not run.over
    if was_under_way and not under_way:
        st.rerun()
    elif under_way:
        _progress(run)
    else:
        _ask(info, name, run)


def _progress(run: Run) -> None:
    """Its place in the queue, or how far it is and how long the rest will take; and the way to stop it."""
    say = translator()
    if run.status.state == "queued":
        text = say("evidence.waiting", position=run.position)
    elif run.status.state == "stopping":
        text = say("jobs.state_stopping")
    elif not run.status.total:
        text = say("evidence.starting")
    else:
        text = say("evidence.progress", share=min(1.0, run.status.step / run.status.total))
        if run.status.eta is not None:
            text += " · " + say("pages.training_remaining", time=duration(run.status.eta, say))
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"pass_{run.id}"):
        st.progress(min(1.0, run.status.step / run.status.total) if run.status.total else 0.0, text=text)
        if ownership.may_change(run.request.owner) and st.button(
            say("pages.training_stop"),
            key=f"pass_stop_{run.id}",
            icon=":material/stop:",
            type="tertiary",
            disabled=run.status.state == "stopping",
        ):
            _attempt(lambda: jobs.stop(run.id))


def _ask(info: CheckpointInfo, name: str, last: Run | None) -> None:
    """What is missing, why the last attempt failed if it did, and the button; without the corpus, how to get that."""
    say = translator()
    if last and last.status.state == "failed" and last.status.message:
        st.warning(escape_markdown(say("evidence.failed", reason=last.status.message)), icon=":material/error:")
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"pass_{name}"):
        st.caption(say(f"{name}.missing"), width="content")
        if has_corpus(info.task, info.metrics):
            if st.button(say(f"{name}.ask"), key=f"pass_ask_{name}", icon=":material/biotech:"):
                _attempt(lambda: request_evidence(name, info.task, info.name, ownership.visitor()))
        else:
            st.caption(
                say("evidence.no_corpus", archive=TASKS[info.task].corpus.archive, task=info.task),
                width="content",
            )


def _attempt(act: Callable[[], object]) -> None:
    """Does what a button stands for, and draws the page anew; or says why it did not work."""
    try:
        act()
    except Failure as failure:
        st.error(escape_markdown(translator()(failure.message)), icon=":material/error:")
    else:
        st.rerun()
