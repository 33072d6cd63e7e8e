"""Requesting evidence: at most a single active run per model and kind."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from viz_core import checkpoints
from viz_core.jobs import runs
from viz_core.jobs.runs import Run
from viz_core.records import Failure, Metrics
from viz_core.tasks import TRANSLATION, get_task, kind_of

KIND = "evidence"


def request_evidence(name: str, task: str, model: str, owner: str, **settings: object) -> Run:
    """The active run for this kind of evidence and this model; a new run if there is none.

    settings: further settings for the request. Raises Failure if a limit is reached or nothing can be written.
    """
    latest = latest_run(name, task, model)
    if latest and not latest.is_over:
        return latest
    return runs.submit(
        runs.Request(
            KIND,
            f"{task}/{model}: {name}",
            device="cpu",
            owner=owner,
            settings={"pass": name, "task": task, "model": model, **settings},
        )
    )


def has_data(task: str, metrics: Metrics) -> bool:
    """Whether what evidence on a model reads is available: for a classifier the corpus on which it was trained, by its
    metrics; for a translation texts of our own."""
    return kind_of(task) is TRANSLATION or metrics.training_data == "sample" or get_task(task).corpus.find() is not None


def request_first_evidence(folder: Path, owner: str) -> None:
    """Requests what the pages say first of a newly saved model, given its checkpoint folder, if its corpus is there:
    the evidence `health` of a classifier, `alignment` of a model that translates.

    A full queue is not an error here: the pages offer to request it later.
    """
    with suppress(Failure):
        info = checkpoints.read_info(folder)
        if has_data(info.task, info.metrics):
            name = "alignment" if kind_of(info.task) is TRANSLATION else "health"
            request_evidence(name, info.task, info.name, owner)


def latest_run(name: str, task: str, model: str) -> Run | None:
    """The most recent run for this kind of evidence and this model, in any state."""
    settings = {"pass": name, "task": task, "model": model}
    for run in runs.list_runs():
        if run.request.kind == KIND and settings.items() <= run.request.settings.items():
            return run
    return None
