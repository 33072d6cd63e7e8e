"""Asking for evidence: one run at a time for each model and kind, whoever asks."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from viz_core import checkpoints
from viz_core.jobs import runs
from viz_core.jobs.runs import Run
from viz_core.records import Failure, Metrics
from viz_core.tasks import TASKS

KIND = "evidence"
_COMMAND = ["-m", "viz_core.evidence.job"]


def request_evidence(name: str, task: str, model: str, owner: str, **settings: object) -> Run:
    """The run for this evidence of this model that waits or runs already, else a new one. Raises Failure where a limit is
    reached or nothing can be written.

    settings: what else the kind wants to know.
    """
    found = latest_run(name, task, model)
    if found and not found.is_over:
        return found
    return runs.submit(
        runs.Request(
            KIND,
            f"{task}/{model}: {name}",
            _COMMAND,
            "cpu",
            owner,
            settings={"pass": name, "task": task, "model": model, **settings},
        )
    )


def has_corpus(task: str, metrics: Metrics) -> bool:
    """Whether the corpus that a model was trained on, as its figures say, is at hand."""
    return metrics.training_data == "sample" or TASKS[task].corpus.find() is not None


def request_health(folder: Path, owner: str) -> None:
    """Asks for the evidence `health` of the model of a checkpoint folder that has just been kept, where its corpus is at hand.

    Where there is no room in the queue, nothing is lost: the pages offer it.
    """
    with suppress(Failure):
        model = checkpoints.read_info(folder)
        if has_corpus(model.task, model.metrics):
            request_evidence("health", model.task, model.name, owner)


def latest_run(name: str, task: str, model: str) -> Run | None:
    """The newest run for this evidence of this model, whatever became of it."""
    wanted = {"pass": name, "task": task, "model": model}
    for run in runs.list_runs():
        if run.request.kind == KIND and wanted.items() <= run.request.settings.items():
            return run
    return None
