"""Evidence as a job: `python -m viz_core.evidence.job RUN_FOLDER` does what its request.json asks for.

The settings of the request: `pass` (the kind, one of KINDS), `task`, `model`, and whatever else that wants to know.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

from viz_core import checkpoints
from viz_core.evidence import faithfulness, health, importance, predictions
from viz_core.evidence.evidence_input import EvidenceInput, Progress, StopRequested, load_evidence_input
from viz_core.evidence.results import write_result
from viz_core.jobs.reporter import Reporter
from viz_core.jobs.request import read_request
from viz_core.records import Failure

# Each answers with what is kept of it: figures and row numbers.
KINDS: dict[str, Callable[[EvidenceInput, Progress], dict]] = {
    faithfulness.NAME: faithfulness.compute,
    health.NAME: health.compute,
    importance.NAME: importance.compute,
    predictions.NAME: predictions.compute,
}


def main(folder: Path) -> None:
    """What goes wrong is said in the run's status and, with its traceback, in the log."""
    with Reporter(folder) as reporter:
        settings = read_request(folder).settings
        name, task, model = (str(settings.get(key)) for key in ("pass", "task", "model"))
        reporter.mark_running("cpu", 0)
        try:
            compute_evidence(name, task, model, progress(reporter))
        except StopRequested:
            reporter.mark_stopped()
        else:
            reporter.mark_finished()


def compute_evidence(name: str, task: str, model: str, progress: Progress) -> dict:
    """Goes over the validation split, keeps in the model's folder what was found, and returns it.

    Raises Failure where there is no such kind, model or corpus, or nothing can be written.
    """
    if name not in KINDS:
        raise Failure("evidence.unknown", name=name, known=list(KINDS))
    subject, began = load_evidence_input(task, model), time.monotonic()
    found = {"split": "validation", "data": subject.data, "n": len(subject.examples), **KINDS[name](subject, progress)}
    found["seconds"] = round(time.monotonic() - began, 1)
    folder = checkpoints.folder() / task / model
    try:
        write_result(folder, name, found)
    except OSError as error:
        raise Failure("evidence.not_saved", folder=str(folder), reason=error.strerror) from error
    return found


def progress(reporter: Reporter) -> Progress:
    """Tells the run folder how far it has come, with the time that the rest will take at this pace."""
    began = time.monotonic()

    def tell(done: int, total: int) -> None:
        if reporter.stop_requested():
            raise StopRequested
        reporter.mark_running("cpu", total)
        reporter.update(done, (time.monotonic() - began) / done * (total - done) if done else None)

    return tell


if __name__ == "__main__":
    main(Path(sys.argv[1]))
