"""Answering the rows of a CSV file as a job: `python -m viz_core.batch_prediction.job RUN_FOLDER`.

Settings of the request: `task`, `model`, and `file`, what the file is called. What there is so far can be read at any moment
(`results.py`); a run that was stopped or killed goes on where it was.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from viz_core import checkpoints
from viz_core.batch_prediction.results import FIGURES, INPUT, Results, labelled
from viz_core.batch_prediction.rows import answer_rows, figures, in_parts
from viz_core.checkpoints import Checkpoint
from viz_core.jobs import runs
from viz_core.jobs.files import read_object, replace_file, to_json
from viz_core.jobs.reporter import Reporter
from viz_core.jobs.request import read_request
from viz_core.jobs.runs import Run
from viz_core.records import Failure
from viz_core.tables.csv_rows import Row, csv_rows
from viz_core.tasks import task_named

KIND = "rows"
_COMMAND = ["-m", "viz_core.batch_prediction.job"]
_OFTEN = 5_000  # rows counted between two looks whether somebody wants it to stop


def ask(file: BinaryIO, name: str, task: str, model: str, owner: str) -> Run:
    """Puts the rows of an open file into the queue. Raises Failure where that is no CSV with the columns of the task, a limit
    is reached or nothing can be written."""

    def fill(folder: Path) -> None:
        file.seek(0)
        with open(folder / INPUT, "wb") as copy:
            shutil.copyfileobj(file, copy)
        next(csv_rows(folder / INPUT, task_named(task).pair, name=name), None)

    return runs.submit(
        runs.Request(KIND, name, _COMMAND, "cpu", owner, settings={"task": task, "model": model, "file": name}),
        fill=fill,
    )


def asked_by(owner: str, task: str) -> list[Run]:
    """The runs of this kind that belong to somebody, the newest first."""
    return [
        run
        for run in runs.listing()
        if run.request.kind == KIND and run.request.owner == owner and run.request.settings.get("task") == task
    ]


def kept_figures(folder: Path) -> dict | None:
    """How good the answers are, as far as they were there when the run last came to an end; None without labels."""
    try:
        return read_object(folder / FIGURES).get("figures")
    except Failure:
        return None


def main(folder: Path) -> None:
    """What goes wrong is said in the run's status and, with its traceback, in the log; the results so far stay."""
    with Reporter(folder) as reporter:
        settings = read_request(folder).settings
        checkpoint = checkpoints.load(str(settings.get("task")), str(settings.get("model")))

        def rows() -> Iterator[Row]:
            return csv_rows(folder / INPUT, checkpoint.task.pair, checkpoint.task.labels, str(settings.get("file")))

        results = Results(folder, checkpoint.task, checkpoint.settings)
        with _figures_kept(folder, checkpoint):
            total = _count(rows(), reporter.stop_requested)
            reporter.running("cpu", total)
            began, first = time.monotonic(), results.written.rows
            for part in in_parts(islice(rows(), first, None)):
                if reporter.stop_requested():
                    break
                results.add(*answer_rows(checkpoint, part))
                done = results.written.rows
                pace = (time.monotonic() - began) / (done - first)
                reporter.progress(done, pace * (total - done), last={"problems": results.written.problems})
        if reporter.stop_requested():
            reporter.stopped()
        else:
            reporter.finished()


def _count(rows: Iterator[Row], stop: Callable[[], bool]) -> int:
    """How many rows can be read; why not more is met again, once these are answered."""
    count = 0
    with suppress(Failure):
        for _ in rows:
            count += 1
            if count % _OFTEN == 0 and stop():
                break
    return count


@contextmanager
def _figures_kept(folder: Path, checkpoint: Checkpoint) -> Iterator[None]:
    """However it ends, the figures of what has been answered are kept."""
    try:
        yield
    finally:
        with suppress(OSError):
            found = figures(*labelled(folder, checkpoint.task), checkpoint.settings.threshold)
            replace_file(folder / FIGURES, to_json({"figures": found}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
