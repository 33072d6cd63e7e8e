"""The worker, `python -m viz_core.jobs.worker`: starts queued runs in order, a single run per device at a time.

All its state is in the run folders: killed at any moment, it leaves its runs running, and the next worker takes over.
It ends after being idle for a while.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import traceback
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from viz_core.jobs.end_reasons import error_message, overtime_message, record_end, stop_overdue
from viz_core.jobs.files import acquire_lock, file_lock, is_disk_full, release_lock
from viz_core.jobs.limits import check_free_space
from viz_core.jobs.processes import DETACHED, identity, kill, lower_priority, oom_kills
from viz_core.jobs.request import belongs_to_run
from viz_core.jobs.run_folder import Run, folder, queue, read_runs
from viz_core.jobs.state import ATTEMPT, LOCK, LOG, NEW, SEPARATOR, STOP, TRASH, write_status
from viz_core.jobs.worker_launch import PROJECT, WORKER_LOCK, worker_environment
from viz_core.records import Failure, Message

IDLE = 10.0  # seconds without anything to do after which the worker ends
_POLL_INTERVAL, _ERROR_DELAY = 0.2, 2.0  # seconds between two rounds, as a rule and after an error


@dataclass(frozen=True)
class RunProcess:
    """A process started by this worker, and the device that it occupies."""

    process: subprocess.Popen
    queue: str


class Worker:
    """Starts, limits and reaps the runs of a folder; `poll` does a round."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.processes: dict[str, RunProcess] = {}

    def poll(self) -> bool:
        """One round; returns whether any run is queued or live. Raises Failure if the lock cannot be acquired."""
        with file_lock(self.root / LOCK):
            for id in list(self.processes):
                self._reap(id)
            runs = read_runs(self.root)
            for run in runs:
                if not run.is_recorded:
                    with suppress(OSError):  # the disk is full: again in the next round
                        record_end(run.path)
                elif run.is_live or run.id in self.processes:
                    self._enforce_limits(run)
            self._start(runs)
            return bool(self.processes) or any(not run.is_over for run in runs)

    def _reap(self, id: str) -> None:
        """Records how a process ended, if it has ended."""
        process, path = self.processes[id].process, self.root / id
        if not path.is_dir():
            process.kill()  # the run was deleted after its final status: its process must not keep the device
        code = process.poll()
        if code is None:
            return
        with suppress(OSError):
            if path.is_dir():
                record_end(path, code)
            del self.processes[id]

    def _enforce_limits(self, run: Run) -> None:
        """Asks a run to stop that exceeds its time limit, and kills a run that ignores the request."""
        limits, status, started, now = run.request.limits, run.status, self.processes.get(run.id), time.time()
        if run.is_live and overtime_message(status.started, now, limits) and not (run.path / STOP).exists():
            with suppress(OSError):
                (run.path / STOP).touch()
        # The process of a run that is over may hang while it exits, and would keep the device.
        late = run.is_over and status.ended is not None and now - status.ended > limits.stop_seconds
        lingers = late or status.state == "queued"
        if lingers or (run.is_live and stop_overdue(run.path, now, limits)):
            kill(status.pid or 0, status.process)
            if started:
                started.process.kill()  # not always the job itself: it may be the launcher of a virtual environment

    def _start(self, runs: Iterable[Run]) -> None:
        busy = {run.status.queue for run in runs if run.is_live} | {item.queue for item in self.processes.values()}
        for run in queue(runs):
            device = run.status.queue
            if device not in busy and (process := self._launch(run)):
                self.processes[run.id] = RunProcess(process, device)
                busy.add(device)

    def _launch(self, run: Run) -> subprocess.Popen | None:
        """Starts the process of a run. If that fails, records the failure and returns None."""
        now = time.time()
        status = replace(
            run.status,
            state="running",
            eta=None,
            heartbeat=now,
            message=None,
            pid=None,
            process=None,
            started=now,
            ended=None,
            memory=0,
            ooms=oom_kills(),
        )
        for partial in run.path.glob(".*.tmp"):  # left by an attempt that was killed while writing
            partial.unlink(missing_ok=True)
        try:
            check_free_space(self.root, run.request.limits)
            with open(run.path / LOG, "ab") as log:
                log.write(f"{SEPARATOR} {status.attempt}, {time.strftime('%Y-%m-%d %H:%M:%S')}\n".encode())
                # The status first: a run that is still queued while its process runs would be started twice.
                write_status(run.path, status)
                process = subprocess.Popen(
                    [sys.executable, *run.request.command, str(run.path.resolve())],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    cwd=_working_folder(run),
                    env=_run_environment(self.root, run),
                    **DETACHED,
                )
                lower_priority(process.pid)
        except (OSError, ValueError, Failure) as error:
            has_message = isinstance(error, Failure) or is_disk_full(error)
            message = (
                error_message(error, run.path) if has_message else Message("jobs.not_started", {"reason": str(error)})
            )
            with suppress(OSError):
                write_status(run.path, replace(status, state="failed", message=message, ended=now))
            return None
        with suppress(OSError):  # the process writes the same as soon as we release the lock
            write_status(run.path, replace(status, pid=process.pid, process=identity(process.pid)))
        return process


def run_worker(root: Path, idle: float = IDLE) -> None:
    """Runs a worker until it has been idle for `idle` seconds; returns at once if another worker is running."""
    root.mkdir(parents=True, exist_ok=True)
    lock = _acquire_worker_lock(root / WORKER_LOCK)
    if lock is None:
        return
    with file_lock(root / LOCK):  # held by whoever makes such a folder, so these were left by a process that died
        for leftover in [*root.glob(NEW + "*"), *root.glob(TRASH + "*")]:
            shutil.rmtree(leftover, ignore_errors=True)
    worker, last_busy = Worker(root), time.monotonic()
    while root.is_dir():
        wait = _POLL_INTERVAL
        try:
            if worker.poll():
                last_busy = time.monotonic()
            elif time.monotonic() - last_busy > idle:
                with file_lock(root / LOCK):  # whoever submits now waits, and then finds the worker's lock free
                    if all(run.is_over for run in read_runs(root)):
                        release_lock(lock)
                        return
        except Exception:  # an error with a run must not affect the others
            traceback.print_exc()
            wait = _ERROR_DELAY
        time.sleep(wait)


def _acquire_worker_lock(path: Path) -> IO | None:
    """The worker's lock, or None if another worker has it. Waits a moment: `ensure_worker` holds it while checking."""
    deadline = time.monotonic() + 1
    while (lock := acquire_lock(path)) is None and time.monotonic() < deadline:
        time.sleep(0.02)
    if lock is not None:
        lock.truncate(0)
        lock.write(str(os.getpid()).encode())
        lock.flush()
    return lock


def _working_folder(run: Run) -> str:
    path = run.request.working_folder
    return path if path and Path(path).is_dir() else str(PROJECT)


def _run_environment(root: Path, run: Run) -> dict[str, str]:
    """The worker's environment, with the variables that belong to the run as they were when the run was submitted."""
    variables = worker_environment(root)
    return {
        **{name: value for name, value in variables.items() if not belongs_to_run(name)},
        **run.request.environment,
        "VIZ_RUNS_DIR": variables["VIZ_RUNS_DIR"],
        ATTEMPT: str(run.status.attempt),
        "PYTHONUNBUFFERED": "1",  # so that the log is complete when the process is killed
        "PYTHONIOENCODING": "utf-8",
    }


if __name__ == "__main__":
    run_worker(folder(), *map(float, sys.argv[1:2]))
