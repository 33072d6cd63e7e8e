"""Start and watch the processes of runs: on this machine, or by an executor added to `EXECUTORS`.

Everything that is known of processes stays behind `Executor`. The status of a run has a handle,
which only the executor that gave it can read: a worker, a page or another machine asks that
executor, and never looks for a process itself.
"""

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from viz_core.jobs.local import LocalExecutor
from viz_core.jobs.ray import RayExecutor, cluster_address
from viz_core.jobs.state import STALE, End, Handle, Status
from viz_core.records import Failure
from viz_core.variables import EXECUTOR

_HANDLE_SECONDS = 30.0  # time for a process to write its handle, if the worker died before it could
_SILENT_SECONDS = 300.0  # silence after which a run counts as lost, if nobody can ask for its process


class Executor(Protocol):
    """Starts the commands of runs, each in its run folder, and knows what became of them.

    Attributes:
        has_queue: Whether what is started may wait elsewhere before its process begins. A run then
            keeps its device only until it begins, and starting an attempt again starts nothing.
    """

    has_queue: bool

    def start(
        self, command: Sequence[str], folder: Path, environment: Mapping[str, str], working_folder: str
    ) -> Handle:
        """Start `python COMMAND FOLDER` and return at once; its output is appended to `log.txt` there.

        Returns:
            A JSON object with `executor`, its name in EXECUTORS, and whatever it needs to find the
            process again, also from another process.

        Raises:
            OSError: If it cannot be started.
            ValueError: If it cannot be started.
            Failure: If it cannot be started.
            Unavailable: If nobody answers; the run stays in the queue.
        """

    def poll(self, handle: Handle, memory: int = 0) -> End | None:
        """How the process ended; None while it runs, or if this machine cannot tell.

        Args:
            handle: The process.
            memory: Bytes used at its last heartbeat.
        """

    def stop(self, handle: Handle) -> None:
        """End the process without asking; does nothing if it has ended. May be called again and again."""

    def is_alive(self, handle: Handle) -> bool | None:
        """Whether the process runs; None if this machine cannot tell.

        Must be quick: pages ask for every live run.
        """


EXECUTORS: dict[str, Executor] = {"local": LocalExecutor(), "ray": RayExecutor()}


def chosen_executor() -> Executor:
    """The executor that this machine's worker uses: `VIZ_EXECUTOR`, by default `ray` with `VIZ_RAY`, else `local`.

    Raises:
        Failure: If there is no such executor, or `VIZ_RAY` is no address.
    """
    name = os.environ.get(EXECUTOR) or ("ray" if cluster_address() else "local")
    if name not in EXECUTORS:
        raise Failure("jobs.no_executor", name=name, known=list(EXECUTORS))
    return EXECUTORS[name]


def executor_of(handle: Handle | None) -> Executor | None:
    """The executor that gave a handle; None if it is not known here."""
    return EXECUTORS.get(str(handle.get("executor"))) if handle else None


def end_of(status: Status) -> End | None:
    """How the process of a live run ended, if the run has not recorded it; None while it goes on."""
    age = abs(time.time() - status.heartbeat)  # the clock may be set back
    if age <= STALE:
        return None  # a fresh heartbeat counts for more: processes outside a container cannot be seen from inside
    executor = executor_of(status.handle)
    if not status.handle or executor is None or (alive := executor.is_alive(status.handle)) is None:
        return End(lost=bool(status.handle)) if age > (_SILENT_SECONDS if status.handle else _HANDLE_SECONDS) else None
    return None if alive else executor.poll(status.handle, status.memory)


def stop_process(handle: Handle | None) -> None:
    """End the process of a handle, if its executor is known here."""
    if handle and (executor := executor_of(handle)):
        executor.stop(handle)
