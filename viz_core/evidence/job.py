"""Evidence as a job. Settings of its request: `pass` (a name of kinds.py), `task` and `model`."""

import time

from viz_core import checkpoints
from viz_core.evidence.evidence_input import Progress, StopRequested
from viz_core.evidence.kinds import evidence_kind
from viz_core.evidence.results import six_digits, weights_sha256, write_result
from viz_core.jobs.reporter import Reporter
from viz_core.jobs.request import Request
from viz_core.records import failing


def compute_run(reporter: Reporter, request: Request) -> None:
    """The job of the kind `evidence`. Raises as `compute_evidence`."""
    name, task, model = (str(request.settings.get(key)) for key in ("pass", "task", "model"))
    reporter.mark_running("cpu", 0)
    try:
        compute_evidence(name, task, model, report_progress(reporter))
    except StopRequested:
        reporter.mark_stopped()
    else:
        reporter.mark_finished()


def compute_evidence(name: str, task: str, model: str, progress: Progress, rows: int | None = None) -> dict:
    """Computes a kind of evidence, saves it in the model's folder and returns it.

    rows: at most so many rows of the split, a seeded sample, of evidence that is `sampled`; by default as many as it
    is made for. Raises Failure if the kind, the model or the corpus is missing, if the model is deleted or replaced
    meanwhile, or if the result cannot be written.
    """
    folder = checkpoints.require_folder(task, model)
    weights = weights_sha256(folder)  # before they are loaded: they may be replaced at any time
    compute = evidence_kind(task).prepare(name, task, model, rows)
    began = time.monotonic()
    result = six_digits(compute(progress))
    result["seconds"] = round(time.monotonic() - began, 1)
    with failing(OSError, "evidence.not_saved", folder=str(folder)):
        write_result(folder, name, result, weights)
    return result


def report_progress(reporter: Reporter) -> Progress:
    """A callback that writes the progress and the estimated time left to the run folder, and stops when asked to."""
    began = time.monotonic()

    def update(done: int, total: int) -> None:
        if reporter.stop_requested():
            raise StopRequested
        reporter.mark_running("cpu", total)
        reporter.update(done, (time.monotonic() - began) / done * (total - done) if done else None)

    return update
