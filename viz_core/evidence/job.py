"""Evidence as a job. Settings of its request: `pass` (one of KINDS, or of TRANSLATION_KINDS), `task` and `model`."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from viz_core import checkpoints
from viz_core.checkpoints import Checkpoint
from viz_core.evidence import alignment, faithfulness, health, importance, predictions, word_order
from viz_core.evidence.evidence_input import EvidenceInput, Progress, StopRequested, load_evidence_input
from viz_core.evidence.results import weights_sha256, write_result
from viz_core.jobs.reporter import Reporter
from viz_core.jobs.request import Request
from viz_core.records import Failure
from viz_core.tasks import TRANSLATION, kind_of

# Each function returns the result to store: figures and row numbers. Of models that classify, on the validation split:
KINDS: dict[str, Callable[[EvidenceInput, Progress], dict]] = {
    faithfulness.NAME: faithfulness.compute,
    health.NAME: health.compute,
    importance.NAME: importance.compute,
    predictions.NAME: predictions.compute,
    word_order.NAME: word_order.compute,
}
SAMPLED = (faithfulness.NAME, importance.NAME, word_order.NAME)  # may also read only some rows of the split
# Of models that translate, on texts of our own:
TRANSLATION_KINDS: dict[str, Callable[[Checkpoint, Progress], dict]] = {alignment.NAME: alignment.compute}


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

    rows: of one of SAMPLED, at most so many rows of the split, a seeded sample; by default as many as it is made for.
    Raises Failure if the kind, the model or the corpus is missing, if the model is deleted or replaced meanwhile, or if
    the result cannot be written.
    """
    folder = checkpoints.find_folder(task, model)
    weights = weights_sha256(folder) if folder else None  # before they are loaded: they may be replaced at any time
    compute = _load(name, task, model, rows)  # says that there is no such model
    began = time.monotonic()
    result = compute(progress)
    result["seconds"] = round(time.monotonic() - began, 1)
    try:
        write_result(folder, name, result, weights)
    except OSError as error:
        raise Failure("evidence.not_saved", folder=str(folder), reason=error.strerror) from error
    return result


def _load(name: str, task: str, model: str, rows: int | None) -> Callable[[Progress], dict]:
    """Loads what a kind of evidence reads; returns what computes it."""
    kinds = TRANSLATION_KINDS if kind_of(task) is TRANSLATION else KINDS
    if name not in kinds:
        raise Failure("evidence.unknown", name=name, task=task, known=list(kinds))
    if kinds is TRANSLATION_KINDS:
        return partial(kinds[name], checkpoints.load(task, model))
    data = load_evidence_input(task, model, rows)
    about = {"split": "validation", "data": data.source, "n": len(data.examples)}
    return lambda progress: {**about, **kinds[name](data, progress)}


def report_progress(reporter: Reporter) -> Progress:
    """A callback that writes the progress and the estimated time left to the run folder, and stops when asked to."""
    began = time.monotonic()

    def update(done: int, total: int) -> None:
        if reporter.stop_requested():
            raise StopRequested
        reporter.mark_running("cpu", total)
        reporter.update(done, (time.monotonic() - began) / done * (total - done) if done else None)

    return update
