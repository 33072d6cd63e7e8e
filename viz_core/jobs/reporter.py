"""The job's side of a run folder: writes its progress, a heartbeat, and how it ended."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from viz_core.jobs.end_reasons import error_message, overtime_message
from viz_core.jobs.executors import end_of
from viz_core.jobs.files import file_lock, is_disk_full, to_json
from viz_core.jobs.limits import Limits
from viz_core.jobs.local import handle_here
from viz_core.jobs.processes import resident_memory
from viz_core.jobs.request import read_request
from viz_core.jobs.state import ENDED, LIVE, LOCK, METRICS, Status, read_status, write_status
from viz_core.jobs.stop_requests import stop_requested
from viz_core.jobs.stopwatch import Stopwatch
from viz_core.records import Failure, Message
from viz_core.variables import RUN_ATTEMPT

_WRITE_INTERVAL, _HEARTBEAT_INTERVAL = 0.5, 1.0  # seconds: at least between two writes, at most between two heartbeats
_FINAL_SECONDS = 5.0  # writing the final status is retried for so long while the disk is full


class Reporter:
    """Reports the progress of a job: `with Reporter(folder) as reporter:`; for a single thread.

    An error that leaves the block marks the run as failed, with the error as reason. A job that
    leaves it without `mark_finished`, `mark_stopped` or `mark_failed` has no result, and the worker
    records that.
    """

    def __init__(self, path: Path | str, reports: bool = True) -> None:
        """Take over the run.

        Args:
            path: The run folder.
            reports: False for the other processes of a run on several devices, whose reporters do
                nothing.

        Raises:
            Failure: If another process has the run, or if this process belongs to an earlier
                attempt.
        """
        self.path, self._reports = Path(path), reports
        self._stopwatch, self._seconds = Stopwatch(), 0.0
        self._is_superseded = False
        self._status = Status("running")
        if reports:
            with file_lock(self.path.parent / LOCK):
                self._status = self._take_over(_read_status(self.path))
                self._write()
        try:
            self._limits = read_request(self.path).limits
        except Failure:
            self._limits = Limits()  # a damaged request does not end a running job
        self._write_error: OSError | None = None
        self._has_ended = False
        self._stop_event = threading.Event()
        self._thread = threading.Thread(target=self._write_heartbeats, name="heartbeat", daemon=True)
        self._thread.start()

    def _take_over(self, status: Status) -> Status:
        attempt, handle = os.environ.get(RUN_ATTEMPT), handle_here(status.handle)
        other = status.state in LIVE and status.handle not in (None, handle) and not end_of(status)
        superseded = attempt != str(status.attempt) or status.state in ENDED  # somebody stopped it before it began
        if superseded if attempt else other:
            raise Failure("jobs.taken", run=self.path.name)
        started = status.started if status.state in LIVE and status.started else time.time()
        return replace(status, state="running", handle=handle, message=None, ended=None, started=started)

    def __enter__(self) -> Reporter:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: object) -> None:
        try:
            if isinstance(error, Exception) and not self._has_ended:
                self.mark_failed(error_message(error, self.path))
        except Failure as failure:  # the status cannot be written; the log may still have room
            print(failure, file=sys.stderr)
        finally:
            self._stop_heartbeat()

    def mark_running(self, device: str, total: int) -> None:
        """Set the device on which the job runs and its total number of steps."""
        self._status = replace(self._status, device=device, total=total)

    def update(
        self, step: int, eta: float | None = None, last: Mapping | None = None, best: Mapping | None = None
    ) -> None:
        """Set the progress; cheap enough for every step.

        `last` and `best` metrics stay until replaced.

        Raises:
            Failure: If the status could not be written because the disk is full, or if another
                attempt has the run.
        """
        if self._is_superseded:
            raise Failure("jobs.taken", run=self.path.name)
        error = self._write_error
        if is_disk_full(error):
            raise Failure("jobs.disk_full", folder=str(self.path)) from error
        if isinstance(error, FileNotFoundError):
            raise error  # somebody removed the folder: no result could be saved
        now = self._status
        last, best = now.last if last is None else last, now.best if best is None else best
        self._status = replace(now, step=step, eta=eta, last=last, best=best)

    def append_metrics(self, metrics: Mapping) -> None:
        """Append a line to `metrics.jsonl`.

        Raises:
            Failure: If the disk is full.
        """
        line = (to_json(metrics) + "\n").encode()
        try:
            with open(self.path / METRICS, "a+b") as file:
                if file.tell() and file.seek(-1, os.SEEK_END) >= 0 and file.read(1) != b"\n":
                    line = b"\n" + line  # after the incomplete line of a killed attempt
                file.write(line)
        except OSError as error:
            if is_disk_full(error):
                raise Failure("jobs.disk_full", folder=str(self.path)) from error
            raise

    def stop_requested(self) -> bool:
        """Whether the job shall end and call `mark_stopped`; check at every step and during evaluations."""
        return self._reports and stop_requested(self.path)

    def mark_finished(self, message: Message | None = None) -> None:
        """Record that the job is complete.

        Raises:
            Failure: If the disk is full.
        """
        self._finish("finished", message)

    def mark_stopped(self, message: Message | None = None) -> None:
        """Record that the job stopped on request.

        Raises:
            Failure: If the disk is full.
        """
        self._finish("stopped", message or overtime_message(self.path, self._limits))

    def mark_failed(self, message: Message) -> None:
        """Record why the job cannot go on.

        Raises:
            Failure: If the disk is full.
        """
        self._finish("failed", message)

    def _finish(self, state: str, message: Message | None) -> None:
        self._stop_heartbeat()
        self._status = replace(self._status, state=state, message=message, eta=None, ended=time.time())
        deadline = time.monotonic() + _FINAL_SECONDS
        while True:
            try:
                self._write()
                self._has_ended = True
                return
            except OSError as error:
                if not is_disk_full(error):
                    raise
                if time.monotonic() > deadline:
                    raise Failure("jobs.disk_full", folder=str(self.path)) from error
                time.sleep(0.1)

    def _stop_heartbeat(self) -> None:
        self._stop_event.set()
        self._thread.join()

    def _write_heartbeats(self) -> None:
        """Write changes of the status, and a heartbeat every second in any case; the heartbeat thread."""
        written, write_time = self._status, time.monotonic()
        while not self._stop_event.wait(_WRITE_INTERVAL):
            if self._status is written and time.monotonic() - write_time < _HEARTBEAT_INTERVAL - 0.1:
                continue
            written, write_time = self._status, time.monotonic()
            try:
                self._write(stopping=self.stop_requested())
                self._write_error = None
            except OSError as error:  # the job goes on; `update` decides
                self._write_error = error

    def _write(self, stopping: bool = False) -> None:
        if not self._reports or self._is_superseded:
            return
        # Cut off from the others for a while, this process may have been given up for lost, and the run resumed.
        if _read_status(self.path).attempt > self._status.attempt:
            self._is_superseded = True
            return
        self._seconds += self._stopwatch.lap()
        status = replace(self._status, heartbeat=time.time(), memory=resident_memory(), seconds=round(self._seconds, 1))
        write_status(self.path, replace(status, state="stopping") if stopping else status)


def _read_status(path: Path) -> Status:
    try:
        return read_status(path)
    except Failure:
        return Status("queued", attempt=int(os.environ.get(RUN_ATTEMPT, 1)))  # damaged or missing: written anew
