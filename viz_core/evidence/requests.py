"""Requests for evidence: at most one active run per model and kind."""

from contextlib import suppress
from pathlib import Path
from typing import TypeGuard

from viz_core import checkpoints
from viz_core.evidence.kinds import evidence_kind
from viz_core.jobs import runs
from viz_core.jobs.runs import Run
from viz_core.records import Failure, Metrics
from viz_core.tasks import get_task, own

KIND = "evidence"
STATE = "state.npz"  # in the folder of a run that ended early: what it has measured


def request_evidence(name: str, task: str, model: str, owner: str, **settings: object) -> Run:
    """Active run for this kind of evidence and this model; if there is none, one that goes on, else a new run.

    Args:
        settings: Further settings for the request.

    Raises:
        Failure: If a limit is reached or nothing can be written.
    """
    latest = latest_run(name, task, model)
    if latest and not latest.is_over:
        return latest
    if can_go_on(latest, owner):
        return runs.resume(latest.id)
    return runs.submit(
        runs.Request(
            KIND,
            f"{task}/{model}: {name}",
            device="cpu",
            owner=owner,
            settings={"pass": name, "task": task, "model": model, **settings},
        )
    )


def can_go_on(run: Run | None, owner: str) -> TypeGuard[Run]:
    """Whether a run of this owner ended early and goes on where it was if it is resumed."""
    return bool(run and run.is_over and run.request.owner == owner and (run.path / STATE).is_file())


def has_data(task: str, metrics: Metrics) -> bool:
    """Whether the input of a model's evidence is available, such as its training corpus."""
    if evidence_kind(task).reads_corpus and own.is_own_name(task):
        return own.has_rows(task)
    if not evidence_kind(task).reads_corpus or metrics.training_data == "sample":
        return True
    return get_task(task).find_corpus() is not None


def request_first_evidence(folder: Path, owner: str) -> None:
    """Request the first evidence for a newly saved model in this folder, if its corpus is there.

    A full queue is not an error here: the pages offer to request it later.
    """
    with suppress(Failure):
        info = checkpoints.read_info(folder)
        name = evidence_kind(info.task).first
        if name and has_data(info.task, info.metrics):
            request_evidence(name, info.task, info.name, owner)


def latest_run(name: str, task: str, model: str) -> Run | None:
    """Most recent run for this kind of evidence and this model, in any state."""
    settings = {"pass": name, "task": task, "model": model}
    for run in runs.list_runs():
        if run.request.kind == KIND and settings.items() <= run.request.settings.items():
            return run
    return None
