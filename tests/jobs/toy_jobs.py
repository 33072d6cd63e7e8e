"""A kind of job for the tests of the seam, and an executor that carries jobs out in threads of this process."""

import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from viz_core.jobs.main import carry_out
from viz_core.jobs.reporter import Reporter
from viz_core.jobs.request import Request
from viz_core.jobs.state import End, Handle


class Ended(BaseException):
    """Ends a job without a reason, as a signal does."""


def wait(reporter: Reporter, request: Request) -> None:
    """Waits until its folder has a file: `go`, `error` or `end`; or until it is asked to stop."""
    reporter.mark_running("a thread", 0)
    while not (reporter.path / "go").exists():
        if reporter.stop_requested():
            reporter.mark_stopped()
            return
        if (reporter.path / "error").exists():
            raise ZeroDivisionError
        if (reporter.path / "end").exists():
            raise Ended
        time.sleep(0.01)
    reporter.mark_finished()


class ThreadExecutor:
    """An `Executor`: nothing in it is a process."""

    has_queue = False

    def __init__(self) -> None:
        self.threads: list[threading.Thread] = []

    def start(
        self, command: Sequence[str], folder: Path, environment: Mapping[str, str], working_folder: str
    ) -> Handle:
        self.threads.append(threading.Thread(target=_carry_out, args=[folder], daemon=True))
        self.threads[-1].start()
        return {"executor": "threads", "number": len(self.threads) - 1}

    def poll(self, handle: Handle, memory: int = 0) -> End | None:
        return None if self.is_alive(handle) else End(0)

    def stop(self, handle: Handle) -> None:
        """Threads cannot be ended from outside."""

    def is_alive(self, handle: Handle) -> bool:
        return self.threads[int(str(handle["number"]))].is_alive()


def _carry_out(folder: Path) -> None:
    with suppress(ZeroDivisionError, Ended):
        carry_out(folder)
