"""Evidence as a job.

Settings of its request: `pass` (a name of kinds.py), `task` and `model`. A survey of heads that was stopped or
killed goes on when its run is resumed; any other evidence starts again.
"""

import time
from pathlib import Path

from viz_core import checkpoints
from viz_core.evidence.evidence_input import Progress, StopRequested
from viz_core.evidence.kinds import evidence_kind
from viz_core.evidence.requests import STATE
from viz_core.evidence.results import six_digits, write_result
from viz_core.jobs.reporter import Reporter
from viz_core.jobs.request import Request
from viz_core.records import failing


def compute_run(reporter: Reporter, request: Request) -> None:
    """Run a job of the kind `evidence`. Raises as `compute_evidence`."""
    name, task, model = (str(request.settings.get(key)) for key in ("pass", "task", "model"))
    reporter.mark_running("cpu", 0)
    state = reporter.path / STATE
    try:
        measure(name, checkpoints.require_folder(task, model), task, report_progress(reporter), state=state)
    except StopRequested:
        reporter.mark_stopped()
    else:
        state.unlink(missing_ok=True)
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


def measure(
    name: str, folder: Path, task: str, progress: Progress, rows: int | None = None, state: Path | None = None
) -> dict:
    """Compute a kind of evidence for the model in a checkpoint folder of this task, as `compute_evidence`.

    state: File of what is known so far, for evidence that goes on where it ended.
    """
    compute = evidence_kind(task).prepare(name, checkpoints.load_folder(folder, task), rows, state)
    began = time.monotonic()
    result = six_digits(compute(progress))
    result["seconds"] = round(time.monotonic() - began, 1)
    with failing(OSError, "evidence.not_saved", folder=str(folder)):
        write_result(folder, name, result)
    return result


def report_progress(reporter: Reporter) -> Progress:
    """Callback that writes progress and estimated time left to the run folder, and stops when asked to."""
    began, first = time.monotonic(), None

    def update(done: int, total: int) -> None:
        nonlocal first
        if reporter.stop_requested():
            raise StopRequested
        first = done if first is None else first  # more than 0 where it goes on
        reporter.mark_running("cpu", total)
        pace = (time.monotonic() - began) / (done - first) if done > first else None
        reporter.update(done, pace and pace * (total - done))

    return update
