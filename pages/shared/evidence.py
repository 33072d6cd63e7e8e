"""Saved evidence over the validation split, or where there is none a button that requests it, then its progress.

Each kind has two catalogue entries: `<kind>.missing` (what is not known yet) and `<kind>.ask` (the button).
"""

import streamlit as st

from pages.shared import ownership
from pages.shared.models import is_of_run
from pages.shared.own_tasks import check_rows, owns, title
from pages.shared.visitor import act, translator
from pages.shared.wording import duration, escape_markdown, join_sentences, row_label
from viz_core.checkpoints import CheckpointInfo
from viz_core.evidence.requests import can_go_on, has_data, latest_run, request_evidence
from viz_core.evidence.results import read_result
from viz_core.jobs.runs import Run, list_runs
from viz_core.records import Failure
from viz_core.tasks import get_task, own
from viz_core.tasks.own import is_own_name

EVERY = 1.0  # seconds between two updates of a job's progress


def result_or_offer(info: CheckpointInfo, name: str) -> dict | None:
    """The saved evidence of this kind for this model; None if there is none yet, after drawing the offer."""
    result = read_result(info.path, name)
    if result is None:
        offer(info, name)
    return result


def offer(info: CheckpointInfo, name: str) -> None:
    """A button that requests the evidence, or the progress of its job; reruns the page when the job ends.

    Of the model of a run, whose folder lasts only until a better checkpoint, a sentence says what to do first.
    """
    if is_of_run(info):
        say = translator()
        advice = [say("evidence.of_run")] if owns(info.task) else []  # nobody else can save it
        st.caption(join_sentences([say(f"{name}.missing"), *advice], say))
        return
    run = latest_run(name, info.task, info.name)
    active = run is not None and not run.is_over
    st.fragment(_offer_fragment, run_every=EVERY if active else None)(info, name, active)


def _offer_fragment(info: CheckpointInfo, name: str, was_active: bool) -> None:
    say, run = translator(), latest_run(name, info.task, info.name)
    active = run is not None and not run.is_over
    if was_active and not active:
        st.rerun()
    elif active:
        _progress(run, say(f"{name}.ask"))
    else:
        _request_line(info, name, run)


def _progress(run: Run, name: str) -> None:
    """Position in the queue, or progress and time left, with a button to stop the job. name: of the job."""
    say = translator()
    if run.status.state == "queued":
        text = waiting(run)
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
            row_label(say("pages.training_stop"), name),
            key=f"pass_stop_{run.id}",
            icon=":material/stop:",
            type="tertiary",
            disabled=run.status.state == "stopping",
        ):
            act(lambda: ownership.stop(run.id))


def waiting(run: Run) -> str:
    """Where a queued run stands, and how long what runs before it still takes, if that is known."""
    say = translator()
    sentences = [say("evidence.waiting", position=run.position)]
    ahead = next((other for other in list_runs() if other.is_live and other.status.queue == run.status.queue), None)
    if ahead and ahead.status.eta is not None:
        sentences.append(say("evidence.waiting_for", time=duration(ahead.status.eta, say)))
    return join_sentences(sentences, say)


def _refusal(task: str) -> Failure | None:
    """Why this visitor cannot have anything measured over the rows of a task of somebody's own."""
    try:
        check_rows(task)
    except Failure as failure:
        return failure
    return Failure("own.no_rows", task=title(task)) if is_own_name(task) and not own.has_rows(task) else None


def _request_line(info: CheckpointInfo, name: str, previous: Run | None) -> None:
    """What is missing, why the last job failed if it did, and the button; without the corpus, how to get it."""
    say = translator()
    if previous and previous.status.state == "failed" and previous.status.message:
        st.warning(escape_markdown(say("evidence.failed", reason=previous.status.message)), icon=":material/error:")
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"pass_{name}"):
        st.caption(say(f"{name}.missing"), width="content")
        if (refused := _refusal(info.task)) is not None:
            st.caption(escape_markdown(say(refused.message)), width="content")
        elif has_data(info.task, info.metrics):
            label = say(f"{name}.ask")
            if can_go_on(previous, ownership.visitor()):
                label = say("evidence.go_on", share=previous.status.step / max(1, previous.status.total))
            if st.button(label, key=f"pass_ask_{name}", icon=":material/biotech:"):
                act(lambda: request_evidence(name, info.task, info.name, ownership.visitor()))
        else:
            st.caption(
                say("evidence.no_corpus", archive=get_task(info.task).require_corpus().archive, task=info.task),
                width="content",
            )
