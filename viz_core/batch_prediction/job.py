"""Predicts the rows of a CSV file as a job.

Settings of its request: `task`, `model` and `file`, the file's name.

Results can be read while the job runs (`results.py`); a stopped or killed run resumes where it was.
"""

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from viz_core import checkpoints
from viz_core.batch_prediction.results import FIGURES, INPUT, Results, read_labelled_rows
from viz_core.batch_prediction.rows import classify_rows, figures, row_chunks
from viz_core.checkpoints import Checkpoint
from viz_core.files import replace_file
from viz_core.jobs import runs
from viz_core.jobs.files import read_object, to_json
from viz_core.jobs.reporter import Reporter
from viz_core.jobs.runs import Run
from viz_core.records import Failure
from viz_core.tables.csv_rows import Row, csv_rows
from viz_core.tasks import get_task

KIND = "rows"
_CHECK_EVERY = 5_000  # rows counted between checks for a stop request


def submit(file: BinaryIO, name: str, task: str, model: str, owner: str) -> Run:
    """Queue an open file for prediction.

    Args:
        name: Name of the file.

    Raises:
        Failure: If it is not a CSV file with the columns of the task, a limit is reached or the
            disk cannot be written.
    """

    def copy_input(folder: Path) -> None:
        file.seek(0)
        with open(folder / INPUT, "wb") as copy:
            shutil.copyfileobj(file, copy)
        next(csv_rows(folder / INPUT, get_task(task).pair, name=name), None)

    return runs.submit(
        runs.Request(KIND, name, device="cpu", owner=owner, settings={"task": task, "model": model, "file": name}),
        fill=copy_input,
    )


def list_runs(owner: str, task: str) -> list[Run]:
    """A visitor's runs of this kind for a task, newest first."""
    return [
        run
        for run in runs.list_runs()
        if run.request.kind == KIND and run.request.owner == owner and run.request.settings.get("task") == task
    ]


def read_figures(folder: Path) -> dict | None:
    """Metrics of the rows predicted when the run last ended; None without labels."""
    try:
        return read_object(folder / FIGURES).get("figures")
    except Failure:
        return None


def predict_run(reporter: Reporter, request: runs.Request) -> None:
    """Run a job of the kind `rows`; results so far are kept, however it ends.

    Raises:
        Failure: If the model or the file cannot be read.
    """
    folder, settings = reporter.path, request.settings
    checkpoint = checkpoints.load(str(settings.get("task")), str(settings.get("model")))

    def rows() -> Iterator[Row]:
        return csv_rows(folder / INPUT, checkpoint.task.pair, checkpoint.task.labels, str(settings.get("file")))

    results = Results(folder, checkpoint.task, checkpoint.settings)
    with _save_figures(folder, checkpoint):
        total = _count(rows(), reporter.stop_requested)
        reporter.mark_running("cpu", total)
        started, first = time.monotonic(), results.counts.rows
        for chunk in row_chunks(islice(rows(), first, None)):
            if reporter.stop_requested():
                break
            results.add(*classify_rows(checkpoint, chunk))
            done = results.counts.rows
            seconds_per_row = (time.monotonic() - started) / (done - first)
            reporter.update(done, seconds_per_row * (total - done), last={"problems": results.counts.problems})
    if reporter.stop_requested():
        reporter.mark_stopped()
    else:
        reporter.mark_finished()


def _count(rows: Iterator[Row], stop: Callable[[], bool]) -> int:
    """Number of readable rows; an error that ends the file early is reported when prediction reaches it."""
    count = 0
    with suppress(Failure):
        for _ in rows:
            count += 1
            if count % _CHECK_EVERY == 0 and stop():
                break
    return count


@contextmanager
def _save_figures(folder: Path, checkpoint: Checkpoint) -> Iterator[None]:
    """Save the metrics of the rows predicted so far, however the block ends."""
    try:
        yield
    finally:
        with suppress(OSError):
            values = figures(*read_labelled_rows(folder, checkpoint.task), checkpoint.settings.threshold)
            replace_file(folder / FIGURES, to_json({"figures": values}))
