"""A runs folder of the test's own; no process that a test has started outlives it."""

from __future__ import annotations

import os
from contextlib import suppress

import pytest

from viz_core.jobs import files, processes
from viz_core.jobs.state import read_status
from viz_core.jobs.wake import WORKER_LOCK
from viz_core.jobs.worker import Worker
from viz_core.records import Failure


def worker_pid(root) -> int | None:
    """The process that has the worker's lock, or had it last."""
    with suppress(OSError, ValueError):
        return int((root / WORKER_LOCK).read_text())


@pytest.fixture
def root(tmp_path, monkeypatch):
    """The runs folder, with the usual limits but for room on disk."""
    folder = tmp_path / "runs"
    folder.mkdir()
    monkeypatch.setenv("VIZ_RUNS_DIR", str(folder))
    monkeypatch.setenv("VIZ_RUNS_FREE_MB", "1")
    monkeypatch.setenv("VIZ_RUNS_PER_VISITOR", "20")
    yield folder
    left = [(pid, processes.identity(pid))] if (pid := worker_pid(folder)) else []
    for path in folder.iterdir():
        with suppress(Failure):
            left.append(((status := read_status(path)).pid, status.process))
    for pid, process in left:
        if pid not in (None, os.getpid()):  # some tests are the job or the worker themselves
            processes.end(pid, process)


@pytest.fixture
def worker(root):
    """A worker whose rounds the test makes itself; it has the lock, so that no other one is started."""
    held = files.hold(root / WORKER_LOCK)
    one = Worker(root)
    yield one
    for child in one.children.values():
        child.process.kill()
        child.process.wait()
    files.release(held)
