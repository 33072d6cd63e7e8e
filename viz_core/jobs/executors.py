"""Who carries out the commands of runs: this machine, or something that a program adds to `EXECUTORS`.

Everything that is known of processes stays behind `Executor`. The status of a run has a handle, which only the executor
that gave it can read: a worker, a page or another machine asks that executor, and never looks for a process itself.
"""

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from viz_core.jobs.local import LocalExecutor
from viz_core.jobs.state import STALE, End, Handle, Status
from viz_core.records import Failure
from viz_core.variables import EXECUTOR

_HANDLE_SECONDS = 30.0  # that a process may take to write its handle, if the worker died before it could
_SILENT_SECONDS = 300.0  # without a heartbeat after which a run counts as lost where nobody can ask for its process


class Executor(Protocol):
    """Starts the commands of runs, each in its run folder, and knows what became of them."""

    def start(
        self, command: Sequence[str], folder: Path, environment: Mapping[str, str], working_folder: str
    ) -> Handle:
        """Starts `python COMMAND FOLDER`, whose output goes to the end of `log.txt` there, and returns at once.

        Returns a JSON object with `executor`, its name in EXECUTORS, and whatever it needs to find the process again,
        also from another process. Raises OSError or ValueError if it cannot be started.
        """

    def poll(self, handle: Handle, memory: int = 0) -> End | None:
        """How it ended; None while it runs, and where this machine cannot tell. memory: bytes at its last heartbeat."""

    def stop(self, handle: Handle) -> None:
        """Ends it at once, without asking; does nothing if it has ended."""

    def is_alive(self, handle: Handle) -> bool | None:
        """Whether it runs; None where this machine cannot tell. Quick: pages ask for every live run."""


EXECUTORS: dict[str, Executor] = {"local": LocalExecutor()}


def chosen_executor() -> Executor:
    """The executor of this machine's worker: `VIZ_EXECUTOR`, by default `local`. Raises Failure if there is none."""
    name = os.environ.get(EXECUTOR) or "local"
    if name not in EXECUTORS:
        raise Failure("jobs.no_executor", name=name, known=list(EXECUTORS))
    return EXECUTORS[name]


def executor_of(handle: Handle | None) -> Executor | None:
    """Who gave a handle; None if it is not known here."""
    return EXECUTORS.get(str(handle.get("executor"))) if handle else None


def end_of(status: Status) -> End | None:
    """How the process of a live run ended, where the run has not written so; None while it goes on."""
    age = abs(time.time() - status.heartbeat)  # the clock may be set back
    if age <= STALE:
        return None  # a fresh heartbeat counts for more: processes outside a container cannot be seen from inside
    executor = executor_of(status.handle)
    if not status.handle or executor is None or (alive := executor.is_alive(status.handle)) is None:
        return End(lost=bool(status.handle)) if age > (_SILENT_SECONDS if status.handle else _HANDLE_SECONDS) else None
    return None if alive else executor.poll(status.handle, status.memory)


def stop_process(handle: Handle | None) -> None:
    """Ends the process of a handle, if its executor is known here."""
    if handle and (executor := executor_of(handle)):
        executor.stop(handle)
