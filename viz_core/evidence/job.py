"""Evidence as a job.

Settings of its request: `pass` (a name of kinds.py), `task` and `model`.
"""

import time
from pathlib import Path

from viz_core import checkpoints
from viz_core.evidence.evidence_input import Progress, StopRequested
from viz_core.evidence.kinds import evidence_kind
from viz_core.evidence.results import six_digits, write_result
from viz_core.jobs.reporter import Reporter
from viz_core.jobs.request import Request
from viz_core.records import failing


def compute_run(reporter: Reporter, request: Request) -> None:
    """Run a job of the kind `evidence`. Raises as `compute_evidence`."""
    name, task, model = (str(request.settings.get(key)) for key in ("pass", "task", "model"))
    reporter.mark_running("cpu", 0)
    try:
        compute_evidence(name, task, model, report_progress(reporter))
    except StopRequested:
        reporter.mark_stopped()
    else:
        reporter.mark_finished()


def compute_evidence(name: str, task: str, model: str, progress: Progress, rows: int | None = None) -> dict:
    """Compute a kind of evidence, save it in the model's folder and return it.

    Args:
        rows: At most this many rows of the split, a seeded sample, for evidence that is `sampled`;
            by default its own number.

    Raises:
        Failure: If the kind, the model or the corpus is missing, if the model is deleted or
            replaced meanwhile, or if the result cannot be written.
    """
    return measure(name, checkpoints.require_folder(task, model), task, progress, rows)


def measure(name: str, folder: Path, task: str, progress: Progress, rows: int | None = None) -> dict:
    """Compute a kind of evidence for the model in a checkpoint folder of this task, as `compute_evidence`."""
    compute = evidence_kind(task).prepare(name, checkpoints.load_folder(folder, task), rows)
    began = time.monotonic()
    result = six_digits(compute(progress))
    result["seconds"] = round(time.monotonic() - began, 1)
    with failing(OSError, "evidence.not_saved", folder=str(folder)):
        write_result(folder, name, result)
    return result


def report_progress(reporter: Reporter) -> Progress:
    """Callback that writes progress and estimated time left to the run folder, and stops when asked to."""
    began = time.monotonic()

    def update(done: int, total: int) -> None:
        if reporter.stop_requested():
            raise StopRequested
        reporter.mark_running("cpu", total)
        reporter.update(done, (time.monotonic() - began) / done * (total - done) if done else None)

    return update
