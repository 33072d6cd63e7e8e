"""Sees to it that a worker is there: one process per runs folder, apart from whoever asked for it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

from viz_core.jobs.files import hold, release
from viz_core.jobs.processes import DETACHED

PROJECT = Path(__file__).parents[2]
WORKER_LOCK, WORKER_LOG = ".worker.lock", ".worker.log"
_STARTED = ".worker.started"
_START = 2.0  # seconds that a worker may take to get its lock before another one is started


def ensure_worker(root: Path) -> None:
    """Starts a worker for the runs folder unless one is at work, or was started a moment ago.

    Should two be started at once, the one that gets the lock stays. Raises OSError where none can be started.
    """
    held = hold(root / WORKER_LOCK)
    if held is None:
        return
    release(held)
    started = root / _STARTED
    if started.exists() and abs(time.time() - started.stat().st_mtime) < _START:
        return
    started.touch()
    with open(root / WORKER_LOG, "ab") as log:
        worker = subprocess.Popen(
            [sys.executable, "-m", "viz_core.jobs.worker"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=environment(root),
            **DETACHED,
        )
    # It outlives us, or we it: then somebody must take note of its end, or its remains stay in the process table.
    threading.Thread(target=worker.wait, name="worker", daemon=True).start()


def environment(root: Path) -> dict[str, str]:
    """Ours, with the runs folder and the way to this project, so that any folder may be the current one."""
    path = os.pathsep.join(filter(None, [str(PROJECT), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "VIZ_RUNS_DIR": str(root.resolve()), "PYTHONPATH": path}
