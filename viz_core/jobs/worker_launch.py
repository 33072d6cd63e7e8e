"""Starts the worker: a single process per runs folder, detached from whoever started it."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

from viz_core.folders import CODE
from viz_core.jobs.files import acquire_lock
from viz_core.jobs.processes import DETACHED
from viz_core.variables import RUNS_DIR

WORKER_LOCK, WORKER_PID, WORKER_LOG = ".worker.lock", ".worker.pid", ".worker.log"
_STARTED = ".worker.started"
_START_SECONDS = 2.0  # how long a worker may take to acquire its lock before another is started


def ensure_worker(root: Path) -> None:
    """Starts a worker for the runs folder unless a worker is running or was started a moment ago.

    If two are started at once, only the holder of the lock stays. Raises OSError if the process cannot be started.
    """
    lock = acquire_lock(root / WORKER_LOCK)
    if lock is None:
        return
    lock.release()
    started = root / _STARTED
    if started.exists() and abs(time.time() - started.stat().st_mtime) < _START_SECONDS:
        return
    started.touch()
    with open(root / WORKER_LOG, "ab") as log:
        worker = subprocess.Popen(
            [sys.executable, "-m", "viz_core.jobs.worker"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=worker_environment(root),
            **DETACHED,
        )
    # If the worker ends before this process, somebody has to wait for it, else it stays a zombie.
    threading.Thread(target=worker.wait, name="worker", daemon=True).start()


def worker_environment(root: Path) -> dict[str, str]:
    """Our environment with the runs folder and, for any working folder, the path to this code."""
    path = os.pathsep.join(filter(None, [str(CODE), os.environ.get("PYTHONPATH")]))
    return {**os.environ, RUNS_DIR: str(root.resolve()), "PYTHONPATH": path}
