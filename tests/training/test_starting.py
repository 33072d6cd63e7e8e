"""How long runs take from their start to the first step."""

import os
from pathlib import Path

from viz_core.jobs.request import Request
from viz_core.jobs.runs import Run
from viz_core.jobs.state import Status
from viz_core.training.snapshots import snapshot_file
from viz_core.training.starting import DEFAULT, start_seconds, typical_start


def make_run(folder: Path, seconds: float | None, attempt: int = 1) -> Run:
    """A run that started at second 1000 and took its first snapshot so many seconds later."""
    if seconds is not None:
        file = snapshot_file(folder, 0, 0)
        file.parent.mkdir(parents=True)
        file.touch()
        os.utime(file, (1000 + seconds, 1000 + seconds))
    request = Request("train", folder.name, [], "cpu", "")
    return Run(folder, request, Status("running", started=1000.0, attempt=attempt))


def test_the_median_of_the_runs_that_have_started(tmp_path):
    seconds = (30.0, None, 10.0, 11.0)
    runs = [make_run(tmp_path / str(number), value) for number, value in enumerate(seconds)]
    assert [start_seconds(run) for run in runs] == [30.0, None, 10.0, 11.0]
    assert typical_start(runs) == 11.0 and typical_start(runs[1:2]) == DEFAULT


def test_the_time_before_a_run_was_resumed_does_not_count(tmp_path):
    assert start_seconds(make_run(tmp_path / "resumed", 500.0, attempt=2)) is None
