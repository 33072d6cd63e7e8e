"""What tests of the passes share: a folder of runs that no worker looks after, and models that have learned the sample."""

from __future__ import annotations

from pathlib import Path

import pytest

from viz_core.jobs import files
from viz_core.jobs.wake import WORKER_LOCK


@pytest.fixture
def root(tmp_path, monkeypatch, checkpoints_dir):
    """A runs folder without a worker: the test itself is the job."""
    folder = tmp_path / "runs"
    folder.mkdir()
    monkeypatch.setenv("VIZ_RUNS_FREE_MB", "1")
    held = files.hold(folder / WORKER_LOCK)
    yield folder
    files.release(held)


@pytest.fixture
def sampled(checkpoints_dir) -> dict[str, Path]:
    """By task, the folder of its tiny model, which says that it was trained on the sample."""
    folders = {task: checkpoints_dir / task / "tiny" for task in ("imdb", "afqmc")}
    for folder in folders.values():
        (folder / "metrics.json").write_text('{"data": "sample"}', encoding="utf-8")
    return folders
