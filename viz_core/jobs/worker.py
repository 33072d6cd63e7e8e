"""The worker, `python -m viz_core.jobs.worker`: starts queued runs in order, one per device at a time.

An executor with a queue of its own has as many runs at a time as it has places for, and a few that
wait there. They are watched by their folders alone.
All its state is in the run folders: killed at any moment, it leaves its runs running, and the next
worker takes over. It ends after being idle for a while.
"""

import logging
import os
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from viz_core.folders import CODE
from viz_core.jobs.end_reasons import error_message, record_end
from viz_core.jobs.executors import Executor, chosen_executor, stop_process
from viz_core.jobs.files import acquire_lock, file_lock, is_disk_full
from viz_core.jobs.limits import check_free_space
from viz_core.jobs.request import belongs_to_run
from viz_core.jobs.run_folder import Run, folder, queue, read_runs
from viz_core.jobs.state import (
    LOCK,
    LOG,
    NEW,
    SEPARATOR,
    TRASH,
    WAITING,
    End,
    Handle,
    Unavailable,
    read_status,
    write_status,
)
from viz_core.jobs.stop_requests import KILLED, OVERTIME, request_stop, stop_lines
from viz_core.jobs.stopwatch import Stopwatches
from viz_core.jobs.worker_launch import WORKER_LOCK, WORKER_PID, worker_environment
from viz_core.log import set_up_log
from viz_core.records import Failure, Message
from viz_core.variables import RUN_ATTEMPT, RUNS_DIR

IDLE = 10.0  # seconds without anything to do after which the worker ends
_POLL_INTERVAL, _ERROR_DELAY = 0.2, 2.0  # seconds between two rounds, as a rule and after an error
_SHARE, _LONGEST_PAUSE = 0.015, 5.0  # of a core, for rounds among many runs; seconds between two of them
_AHEAD = 4  # runs of a device that may wait in the queue of an executor; the others wait here, in their order
_LOCK_SECONDS = 1.0  # a new worker waits so long for its lock, which `ensure_worker` holds while it looks

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Started:
    """A process that this worker has started, and the device that it occupies."""

    handle: Handle
    queue: str


class Worker:
    """Starts, limits and reaps the runs of a folder, a round per `poll`.

    Nobody else records how a process ended.
    """

    def __init__(self, root: Path, executor: Executor | None = None) -> None:
        """Set up a worker.

        Args:
            root: The runs folder.
            executor: Starts the runs, by default the one of this machine.
        """
        self.root, self.executor = root, executor or chosen_executor()
        self.started: dict[str, Started] = {}  # by run id
        self._stopwatches = Stopwatches()  # by run, attempt and state: how long this worker has seen a run so

    def poll(self) -> bool:
        """Do one round; returns whether any run is queued or live.

        Raises:
            Failure: If the lock cannot be acquired.
        """
        with file_lock(self.root / LOCK):
            for id in list(self.started):
                self._reap(id)
            # The rest stays as it is: of some thousands, only these are looked at five times a second.
            runs = [run for run in read_runs(self.root) if not run.is_over or run.end or run.id in self.started]
            self._stopwatches.advance({_since(run) for run in runs})
            for run in runs:
                if run.end:
                    with suppress(OSError):  # the disk is full: again in the next round
                        record_end(run.path, run.end)
                elif run.is_live or run.id in self.started:
                    self._enforce_limits(run)
            self._start([run for run in runs if not run.end])
            return bool(self.started) or any(not run.is_over for run in runs)

    def _reap(self, id: str) -> None:
        """Record how a process ended, if it has ended."""
        handle, path = self.started[id].handle, self.root / id
        if not path.is_dir():
            self.executor.stop(handle)  # deleted after its final status: its process must not keep the device
        end = self.executor.poll(handle, _memory(path))
        if end is None:
            return
        with suppress(OSError):
            if path.is_dir():
                record_end(path, end)
            del self.started[id]

    def _enforce_limits(self, run: Run) -> None:
        """Ask a run to stop that exceeds its time limit, and kill a run that ignores the request."""
        limits, status, started = run.request.limits, run.status, self.started.get(run.id)
        if run.is_waiting:  # nobody reads a request to stop, and the time does not count yet
            if status.state == "stopping":
                stop_process(status.handle)
                with suppress(OSError):
                    record_end(run.path, End(0))
            return
        seconds = self._stopwatches.seconds(_since(run))
        if status.state == "running":
            if max(seconds, status.seconds) >= limits.longest_minutes * 60:
                with suppress(OSError):
                    request_stop(run.path, OVERTIME)
        # Also the process of a run that is over may hang while it exits, and would keep the device.
        elif status.state == "queued" or (seconds > limits.stop_seconds and (run.is_live or status.ended)):
            if run.is_live and KILLED not in stop_lines(run.path):
                with suppress(OSError):  # without the line the run is stopped all the same, for an unknown reason
                    request_stop(run.path, KILLED)
            _log.warning("Run %s does not end and is killed", run.id)
            stop_process(status.handle)
            if started:
                self.executor.stop(started.handle)  # it may be the launcher of a virtual environment instead

    def _start(self, runs: Iterable[Run]) -> None:
        has_queue = self.executor.has_queue
        taken = Counter(run.status.queue for run in runs if run.is_live and (run.is_waiting or not has_queue))
        taken.update(item.queue for item in self.started.values())
        for run in queue(runs):
            device = run.status.queue
            if taken[device] >= (_AHEAD if has_queue else 1):
                if run.status.message:  # nobody answered; by now it waits for its turn again
                    with suppress(OSError):
                        write_status(run.path, replace(run.status, message=None))
            elif handle := self._launch(run):
                taken[device] += 1
                if not has_queue:
                    self.started[run.id] = Started(handle, device)

    def _launch(self, run: Run) -> Handle | None:
        """Start the process of a run. If that fails, record the failure and return None."""
        now, has_queue = time.time(), self.executor.has_queue
        status = replace(
            run.status,
            state="running",
            eta=None,
            heartbeat=now,
            message=WAITING if has_queue else None,
            handle=None,
            started=now,
            ended=None,
            memory=0,
            seconds=0.0,
        )
        for partial in run.path.glob(".*.tmp"):  # left by an attempt that was killed while writing
            partial.unlink(missing_ok=True)
        try:
            check_free_space(self.root, run.request.limits)
            if not has_queue:
                # The status first: a run that is still queued while its process runs would be started twice.
                _begin_log(run)
                write_status(run.path, status)
            handle = self.executor.start(
                run.request.command, run.path, _environment(self.root, run), _working_folder(run)
            )
        except Unavailable as error:
            message = Message("jobs.no_answer", {"reason": str(error)})
            if message != run.status.message:
                _log.warning("Run %s waits: %s", run.id, error)
                with suppress(OSError):
                    write_status(run.path, replace(run.status, message=message))
            return None
        except (OSError, ValueError, Failure) as error:
            has_message = isinstance(error, Failure) or is_disk_full(error)
            message = (
                error_message(error, run.path) if has_message else Message("jobs.not_started", {"reason": str(error)})
            )
            with suppress(OSError):
                write_status(run.path, replace(status, state="failed", message=message, ended=now))
            _log.warning("Run %s was not started: %s", run.id, message.key)
            return None
        _log.info("Run %s, attempt %d, is started", run.id, status.attempt)
        with suppress(OSError):  # the process writes the same as soon as we release the lock
            if has_queue:
                _begin_log(run)
            write_status(run.path, replace(status, handle=handle))
        return handle


def run_worker(root: Path, idle: float = IDLE) -> None:
    """Run a worker until it has been idle for `idle` seconds.

    Returns at once if another worker is running.
    """
    root.mkdir(parents=True, exist_ok=True)
    lock = acquire_lock(root / WORKER_LOCK, _LOCK_SECONDS)
    if lock is None:
        return
    (root / WORKER_PID).write_text(str(os.getpid()))
    with file_lock(root / LOCK):  # the lock is held while making one, so these were left by a process that died
        for leftover in [*root.glob(NEW + "*"), *root.glob(TRASH + "*")]:
            shutil.rmtree(leftover, ignore_errors=True)
    worker, last_busy = Worker(root), time.monotonic()
    while root.is_dir():
        wait, began = _POLL_INTERVAL, time.thread_time()
        try:
            if worker.poll():
                last_busy = time.monotonic()
            elif time.monotonic() - last_busy > idle:
                with file_lock(root / LOCK):  # a process that submits now waits, and then finds the worker's lock free
                    if all(run.is_over for run in read_runs(root)):
                        lock.release()
                        return
        except Exception:  # an error with a run must not affect the others
            _log.exception("A round failed")
            wait = _ERROR_DELAY
        time.sleep(max(wait, pause(time.thread_time() - began)))


def pause(seconds: float) -> float:
    """Seconds after a round that took so long on the processor, so that many runs do not slow down the running one."""
    return min(max(_POLL_INTERVAL, seconds / _SHARE), _LONGEST_PAUSE)


def _working_folder(run: Run) -> str:
    """The working folder for a run's process: its submitter's, if it still exists."""
    path = run.request.working_folder
    return path if path and Path(path).is_dir() else str(CODE)


def _environment(root: Path, run: Run) -> dict[str, str]:
    """The worker's environment, with the variables that belong to the run as its submitter had them."""
    variables = worker_environment(root)
    return {
        **{name: value for name, value in variables.items() if not belongs_to_run(name)},
        **run.request.environment,
        RUNS_DIR: variables[RUNS_DIR],
        RUN_ATTEMPT: str(run.status.attempt),
        "PYTHONUNBUFFERED": "1",  # so that the log is complete when the process is killed
        "PYTHONIOENCODING": "utf-8",
    }


def _begin_log(run: Run) -> None:
    """Mark in the log of a run where the output of this attempt begins."""
    with open(run.path / LOG, "ab") as log:
        log.write(f"{SEPARATOR} {run.status.attempt}, {time.strftime('%Y-%m-%d %H:%M:%S')}\n".encode())


def _memory(path: Path) -> int:
    """Bytes that the process of a run used at its last heartbeat; 0 if its status does not say."""
    try:
        return read_status(path).memory
    except Failure:
        return 0


def _since(run: Run) -> tuple[str, int, str]:
    """The name of the worker's stopwatch for a run in this state."""
    return run.id, run.status.attempt, WAITING.key if run.is_waiting else run.status.state


if __name__ == "__main__":
    set_up_log("worker")
    run_worker(folder(), *map(float, sys.argv[1:2]))
