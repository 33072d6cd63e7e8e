"""A runs folder per test; no process that a test starts outlives it."""

import os
import time
from contextlib import suppress

import pytest

from viz_core.jobs import files, processes
from viz_core.jobs.executors import stop_process
from viz_core.jobs.state import read_status
from viz_core.jobs.worker import Worker
from viz_core.jobs.worker_launch import WORKER_LOCK, WORKER_PID
from viz_core.records import Failure


def worker_pid(root) -> int | None:
    """The process that holds the worker's lock, or held it last."""
    with suppress(OSError, ValueError):
        return int((root / WORKER_PID).read_text())


@pytest.fixture
def root(tmp_path, monkeypatch):
    """The runs folder, with room for many runs."""
    folder = tmp_path / "runs"
    folder.mkdir()
    monkeypatch.setenv("VIZ_RUNS_DIR", str(folder))
    monkeypatch.setenv("VIZ_RUNS_FREE_MB", "1")
    monkeypatch.setenv("VIZ_RUNS_PER_VISITOR", "20")
    yield folder
    if (pid := worker_pid(folder)) not in (None, os.getpid()):  # some tests are job or worker themselves
        processes.kill(pid, processes.identity(pid))
    for path in folder.iterdir():
        with suppress(Failure):
            handle = read_status(path).handle
            if handle and handle.get("pid") != os.getpid():
                stop_process(handle)


@pytest.fixture
def worker(root):
    """A worker that the test polls itself; it holds the lock, so that no other worker starts."""
    lock = files.acquire_lock(root / WORKER_LOCK)
    worker = Worker(root)
    yield worker
    for started in worker.started.values():
        worker.executor.stop(started.handle)
        while worker.executor.poll(started.handle) is None:
            time.sleep(0.01)
    lock.release()
