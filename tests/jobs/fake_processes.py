"""Processes that only exist in this test: started by the real worker, and ended, hung or killed as the test says."""

from __future__ import annotations

import itertools
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

from viz_core.jobs import state
from viz_core.jobs.state import read_status, write_status


class WorkerKilled(BaseException):
    """Stands for a SIGKILL of the worker: nothing in the program catches it."""


class FakeProcess:
    """What `Popen` returns; `alive` until it exits or is killed."""

    def __init__(self, pid: int, path: Path, attempt: int) -> None:
        self.pid, self.path, self.attempt, self.code = pid, path, attempt, None

    @property
    def alive(self) -> bool:
        return self.code is None

    def poll(self) -> int | None:
        return self.code

    def kill(self) -> None:
        if self.alive:
            self.code = -9

    def write(self, **changes: object) -> bool:
        """Writes its status as the Reporter of this process would, unless it is of an earlier attempt; whether it
        did."""
        status = read_status(self.path)
        if status.attempt != self.attempt:
            return False
        write_status(self.path, replace(status, pid=self.pid, process=str(self.pid), heartbeat=time.time(), **changes))
        return True


class FakeSystem:
    """The table of processes, in place of the functions of the operating system that the worker calls."""

    def __init__(self, monkeypatch) -> None:
        self.processes: list[FakeProcess] = []
        self.kill_worker_at_next_start = False
        self.now = 0.0
        self._pids = itertools.count(10_000)
        monkeypatch.setattr("viz_core.jobs.worker.subprocess", SimpleNamespace(Popen=self._popen, DEVNULL=0, STDOUT=0))
        monkeypatch.setattr("viz_core.jobs.worker.lower_priority", lambda pid: None)
        monkeypatch.setattr("viz_core.jobs.worker.identity", str)
        monkeypatch.setattr("viz_core.jobs.worker.kill", self._kill)
        monkeypatch.setattr("viz_core.jobs.stopwatch.time", SimpleNamespace(monotonic=lambda: self.now))
        monkeypatch.setattr(state, "is_alive", self._is_alive)
        monkeypatch.setattr(state, "STALE", -1.0)  # a process that has ended is noticed at once
        monkeypatch.setattr(state, "_PID_TIMEOUT", -1.0)
        monkeypatch.setattr("viz_core.jobs.runs.ensure_worker", lambda root: None)

    def _popen(self, command: list[str], **options: object) -> FakeProcess:
        path = Path(command[-1])
        process = FakeProcess(next(self._pids), path, int(options["env"][state.ATTEMPT]))
        self.processes.append(process)
        if self.kill_worker_at_next_start:
            self.kill_worker_at_next_start = False
            process.write()  # it writes its number soon; until then nobody may take it for dead
            raise WorkerKilled
        return process

    def _kill(self, pid: int, process: str | None) -> None:
        for item in self.processes:
            if item.pid == pid and process == str(pid):
                item.kill()

    def _is_alive(self, pid: int, process: str | None) -> bool:
        return any(item.pid == pid and item.alive for item in self.processes)
