"""The job's side of a run folder: says what it is doing, that it is alive, and how it ended."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from viz_core.jobs.endings import overtime, reason
from viz_core.jobs.files import disk_full, locked, to_json
from viz_core.jobs.limits import Limits
from viz_core.jobs.processes import identity, resident
from viz_core.jobs.request import read_request
from viz_core.jobs.state import ATTEMPT, LIVE, LOCK, METRICS, STOP, Status, gone, read_status, write_status
from viz_core.records import Failure, Message

_OFTEN, _BEAT = 0.5, 1.0  # seconds: between two writings at least; between two heartbeats at most
_LAST_WORDS = 5.0  # seconds for which the last status is tried again where the disk is full


class Reporter:
    """`with Reporter(folder) as report:` around a job; to be called from one thread.

    An error that leaves the block makes the run failed, with the error's reason in words. A job that leaves it without
    `finished`, `stopped` or `failed` has no result, and the worker says so.
    """

    def __init__(self, path: Path | str) -> None:
        """Takes the run over. Raises Failure where another process is at it, or this one is of an earlier attempt."""
        self.path = Path(path)
        with locked(self.path.parent / LOCK):
            status = _status(self.path)
            attempt = os.environ.get(ATTEMPT)
            other = status.state in LIVE and status.pid not in (None, os.getpid()) and not gone(status)
            if (attempt != str(status.attempt)) if attempt else other:
                raise Failure("jobs.taken", run=self.path.name)
            now = time.time()
            self._status = replace(
                status,
                state="running",
                pid=os.getpid(),
                process=identity(os.getpid()),
                message=None,
                ended=None,
                started=status.started if status.state in LIVE and status.started else now,
            )
            self._write()
        try:
            self._limit = read_request(self.path).limits
        except Failure:
            self._limit = Limits()  # a damaged request does not end what already runs
        self._trouble: OSError | None = None
        self._ended = False
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="heartbeat", daemon=True)
        self._thread.start()

    def __enter__(self) -> Reporter:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: object) -> None:
        try:
            if isinstance(error, Exception) and not self._ended:
                self.failed(reason(error, self.path))
        except Failure as failure:  # no room for a last word: the log or the worker may have some
            print(failure, file=sys.stderr)
        finally:
            self._silence()

    def running(self, device: str, total: int) -> None:
        """Says where the job runs and how many steps there are in all."""
        self._status = replace(self._status, device=device, total=total)

    def progress(
        self, step: int, eta: float | None = None, last: Mapping | None = None, best: Mapping | None = None
    ) -> None:
        """Says how far the job is; cheap enough for every step. Figures stay until others come.

        Raises Failure where the status could not be written for want of room on disk.
        """
        trouble = self._trouble
        if disk_full(trouble):
            raise Failure("jobs.disk_full", folder=str(self.path)) from trouble
        if isinstance(trouble, FileNotFoundError):
            raise trouble  # somebody removed the folder: nothing that comes could be kept
        figures = {name: value for name, value in (("last", last), ("best", best)) if value is not None}
        self._status = replace(self._status, step=step, eta=eta, **figures)

    def append_metrics(self, figures: Mapping) -> None:
        """Adds a line to `metrics.jsonl`. Raises Failure where the disk is full."""
        line = (to_json(figures) + "\n").encode()
        try:
            with open(self.path / METRICS, "a+b") as file:
                if file.tell() and file.seek(-1, os.SEEK_END) >= 0 and file.read(1) != b"\n":
                    line = b"\n" + line  # half a line of an attempt that was killed
                file.write(line)
        except OSError as error:
            if disk_full(error):
                raise Failure("jobs.disk_full", folder=str(self.path)) from error
            raise

    def stop_requested(self) -> bool:
        """Whether the job shall come to an end and call `stopped`; to be asked at every step, and while evaluating."""
        return (self.path / STOP).exists()

    def finished(self, message: Message | None = None) -> None:
        """Says that the job has done all that it was to do. Raises Failure where the disk is full."""
        self._end("finished", message)

    def stopped(self, message: Message | None = None) -> None:
        """Says that the job stopped because it was asked to. Raises Failure where the disk is full."""
        self._end("stopped", message or overtime(self._status.started, time.time(), self._limit))

    def failed(self, message: Message) -> None:
        """Says why the job cannot go on. Raises Failure where the disk is full."""
        self._end("failed", message)

    def _end(self, state: str, message: Message | None) -> None:
        self._silence()
        self._status = replace(self._status, state=state, message=message, eta=None, ended=time.time())
        deadline = time.monotonic() + _LAST_WORDS
        while True:
            try:
                self._write()
                self._ended = True
                return
            except OSError as error:
                if not disk_full(error):
                    raise
                if time.monotonic() > deadline:
                    raise Failure("jobs.disk_full", folder=str(self.path)) from error
                time.sleep(0.1)

    def _silence(self) -> None:
        self._over.set()
        self._thread.join()

    def _beat(self) -> None:
        """The heartbeat's thread: writes what has changed, and once a second in any case."""
        written, when = self._status, time.monotonic()
        while not self._over.wait(_OFTEN):
            if self._status is written and time.monotonic() - when < _BEAT - 0.1:
                continue
            written, when = self._status, time.monotonic()
            try:
                self._write(stopping=self.stop_requested())
                self._trouble = None
            except OSError as error:  # the job goes on; `progress` decides
                self._trouble = error

    def _write(self, stopping: bool = False) -> None:
        status = replace(self._status, heartbeat=time.time(), memory=resident())
        write_status(self.path, replace(status, state="stopping") if stopping else status)


def _status(path: Path) -> Status:
    try:
        return read_status(path)
    except Failure:
        return Status("queued", attempt=int(os.environ.get(ATTEMPT, 1)))  # damaged or missing: written anew
