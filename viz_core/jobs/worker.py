"""The worker, `python -m viz_core.jobs.worker`: takes the runs that wait in their order, one per device at a time.

It holds no state that is not in the folders: killed at any moment, it leaves its runs running, and the next worker goes on.
It ends by itself when there has been nothing to do for a while.
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

from viz_core.jobs.endings import overtime, reason, record_ending, stop_overdue
from viz_core.jobs.files import disk_full, hold, locked, release
from viz_core.jobs.limits import refuse_full_disk
from viz_core.jobs.observing import Run, folder, observe_all, queue
from viz_core.jobs.processes import DETACHED, end, identity, oom_kills
from viz_core.jobs.state import ATTEMPT, LOCK, LOG, NEW, SEPARATOR, STOP, TRASH, write_status
from viz_core.jobs.wake import PROJECT, WORKER_LOCK, environment
from viz_core.records import Failure, Message

IDLE = 10.0  # seconds without anything to do after which the worker ends
_LOOK, _AFTER_ERROR = 0.2, 2.0  # seconds between two looks


@dataclass(frozen=True)
class Child:
    """A process that this worker has started, and whose device it keeps."""

    process: subprocess.Popen
    queue: str


class Worker:
    """Looks after the runs of one folder; `look` does what is to be done now."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.children: dict[str, Child] = {}

    def look(self) -> bool:
        """One round; whether there was anything to look after. Raises Failure where the lock cannot be had."""
        with locked(self.root / LOCK):
            for id in list(self.children):
                self._reap(id)
            runs = observe_all(self.root)
            for run in runs:
                if not run.settled:
                    with suppress(OSError):  # the disk is full: again in the next round
                        record_ending(run.path)
                elif run.live or run.id in self.children:
                    self._enforce_limits(run)
            self._start(runs)
            return bool(self.children) or any(not run.over for run in runs)

    def _reap(self, id: str) -> None:
        """Writes down how a process ended, once it has."""
        child, path = self.children[id].process, self.root / id
        if not path.is_dir():
            child.kill()  # deleted after its last word: it must not keep the device
        code = child.poll()
        if code is None:
            return
        with suppress(OSError):
            if path.is_dir():
                record_ending(path, code)
            del self.children[id]

    def _enforce_limits(self, run: Run) -> None:
        """Asks a run to stop that runs for too long, and ends one that does not do as it was asked."""
        limit, status, child, now = run.request.limits, run.status, self.children.get(run.id), time.time()
        if run.live and overtime(status.started, now, limit) and not (run.path / STOP).exists():
            with suppress(OSError):
                (run.path / STOP).touch()
        # The process of a run that is over may hang while it ends, and would keep the device.
        late = run.over and status.ended is not None and now - status.ended > limit.stop_seconds
        lingers = late or status.state == "queued"
        if lingers or (run.live and stop_overdue(run.path, now, limit)):
            end(status.pid or 0, status.process)
            if child:
                child.process.kill()  # it may have another number than the job: the launcher of a virtual environment

    def _start(self, runs: Iterable[Run]) -> None:
        busy = {run.status.queue for run in runs if run.live} | {child.queue for child in self.children.values()}
        for run in queue(runs):
            device = run.status.queue
            if device not in busy and (process := self._launch(run)):
                self.children[run.id] = Child(process, device)
                busy.add(device)

    def _launch(self, run: Run) -> subprocess.Popen | None:
        """Starts the process of a run; None where that fails, which the run then says."""
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
        for left in run.path.glob(".*.tmp"):  # of an attempt that was killed while it wrote
            left.unlink(missing_ok=True)
        try:
            refuse_full_disk(self.root, run.request.limits)
            with open(run.path / LOG, "ab") as log:
                log.write(f"{SEPARATOR} {status.attempt}, {time.strftime('%Y-%m-%d %H:%M:%S')}\n".encode())
                # First the word, then the deed: a run that waits while its process is there would be started twice.
                write_status(run.path, status)
                process = subprocess.Popen(
                    [sys.executable, *run.request.command, str(run.path.resolve())],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    cwd=_working_folder(run),
                    env=_environment(self.root, run),
                    **DETACHED,
                )
        except (OSError, ValueError, Failure) as error:
            known = isinstance(error, Failure) or disk_full(error)
            message = reason(error, run.path) if known else Message("jobs.not_started", {"reason": str(error)})
            with suppress(OSError):
                write_status(run.path, replace(status, state="failed", message=message, ended=now))
            return None
        with suppress(OSError):  # the process itself says the same later; it waits for the lock that we hold
            write_status(run.path, replace(status, pid=process.pid, process=identity(process.pid)))
        return process


def work(root: Path, idle: float = IDLE) -> None:
    """Looks after the runs of a folder until there is nothing to do; returns at once where another worker does so."""
    root.mkdir(parents=True, exist_ok=True)
    held = _alone(root / WORKER_LOCK)
    if held is None:
        return
    with locked(root / LOCK):  # whoever makes one of these holds the lock: what is here was left by a process that died
        for left in [*root.glob(NEW + "*"), *root.glob(TRASH + "*")]:
            shutil.rmtree(left, ignore_errors=True)
    worker, busy = Worker(root), time.monotonic()
    while root.is_dir():
        wait = _LOOK
        try:
            if worker.look():
                busy = time.monotonic()
            elif time.monotonic() - busy > idle:
                with locked(root / LOCK):  # who submits now waits, and finds the worker's lock free afterwards
                    if all(run.over for run in observe_all(root)):
                        release(held)
                        return
        except Exception:  # whatever one run brings about, the others must go on
            traceback.print_exc()
            wait = _AFTER_ERROR
        time.sleep(wait)


def _alone(path: Path) -> IO | None:
    """The worker's lock; None where another one has it. Those who only try whether it is free hold it for a moment."""
    deadline = time.monotonic() + 1
    while (held := hold(path)) is None and time.monotonic() < deadline:
        time.sleep(0.02)
    if held is not None:
        held.truncate(0)
        held.write(str(os.getpid()).encode())
        held.flush()
    return held


def _working_folder(run: Run) -> str:
    asked = run.request.working_folder
    return asked if asked and Path(asked).is_dir() else str(PROJECT)


def _environment(root: Path, run: Run) -> dict[str, str]:
    """Ours, but with the variables of this project as they were for whoever asked for the run."""
    ours = environment(root)
    return {
        **{name: value for name, value in ours.items() if not name.startswith("VIZ_")},
        **run.request.environment,
        "VIZ_RUNS_DIR": ours["VIZ_RUNS_DIR"],
        ATTEMPT: str(run.status.attempt),
        "PYTHONUNBUFFERED": "1",
        "PYTHONIOENCODING": "utf-8",
    }  # a log that is whole when the process is killed


if __name__ == "__main__":
    work(folder(), *map(float, sys.argv[1:2]))
