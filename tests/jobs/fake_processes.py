"""An executor whose processes only exist in this test: started by the real worker, and ended, hung or killed as the
test says."""

import itertools
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

from viz_core.jobs import executors
from viz_core.jobs.state import End, Handle, read_status, write_status
from viz_core.variables import RUN_ATTEMPT


class WorkerKilled(BaseException):
    """Stands for a SIGKILL of the worker: nothing in the program catches it."""


class FakeProcess:
    """`alive` until it exits or is killed; code: then its exit code, negative the signal."""

    def __init__(self, number: int, path: Path, attempt: int) -> None:
        self.handle, self.path, self.attempt = {"executor": "fake", "number": number}, path, attempt
        self.code: int | None = None

    @property
    def alive(self) -> bool:
        return self.code is None

    def write(self, **changes: object) -> bool:
        """Writes its status as the Reporter of this process would, unless it is of an earlier attempt; whether it
        did."""
        status = read_status(self.path)
        if status.attempt != self.attempt:
            return False
        write_status(self.path, replace(status, handle=self.handle, heartbeat=time.time(), **changes))
        return True


class FakeExecutor:
    """An `Executor` with a table of processes, which registers itself for the duration of a test."""

    has_queue = False

    def __init__(self, monkeypatch) -> None:
        self.processes: list[FakeProcess] = []
        self.kill_worker_at_next_start = False
        self.now = 0.0
        self._numbers = itertools.count()
        monkeypatch.setitem(executors.EXECUTORS, "fake", self)
        monkeypatch.setenv("VIZ_EXECUTOR", "fake")
        monkeypatch.setattr("viz_core.jobs.stopwatch.time", SimpleNamespace(monotonic=lambda: self.now))
        monkeypatch.setattr(executors, "STALE", -1.0)  # a process that has ended is noticed at once
        monkeypatch.setattr(executors, "_HANDLE_SECONDS", -1.0)
        monkeypatch.setattr("viz_core.jobs.runs.ensure_worker", lambda root: None)

    def start(
        self, command: Sequence[str], folder: Path, environment: Mapping[str, str], working_folder: str
    ) -> Handle:
        process = FakeProcess(next(self._numbers), folder, int(environment[RUN_ATTEMPT]))
        self.processes.append(process)
        if self.kill_worker_at_next_start:
            self.kill_worker_at_next_start = False
            process.write()  # it writes its handle soon; until then nobody may take it for dead
            raise WorkerKilled
        return process.handle

    def poll(self, handle: Handle, memory: int = 0) -> End | None:
        code = self._find(handle).code
        if code is None:
            return None
        return End(code) if code >= 0 else End(signal={-9: "SIGKILL", -11: "SIGSEGV"}[code])

    def stop(self, handle: Handle) -> None:
        process = self._find(handle)
        if process.alive:
            process.code = -9

    def is_alive(self, handle: Handle) -> bool:
        return self._find(handle).alive

    def _find(self, handle: Handle) -> FakeProcess:
        return self.processes[int(str(handle["number"]))]
