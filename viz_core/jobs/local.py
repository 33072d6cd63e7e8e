"""Runs as processes of this machine, known by number and start time, with a lower priority than pages."""

import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from viz_core.jobs import processes
from viz_core.jobs.state import LOG, End, Handle
from viz_core.variables import RUN_HANDLE

_HOST = platform.node()
_MEMORY_SHARE = 0.8  # a killed process that used more of the machine's memory was killed for it


def handle_here(before: Handle | None) -> Handle:
    """The handle of this process for the run that it carries out.

    An executor that starts processes elsewhere tells them their handle in `VIZ_RUN_HANDLE`.

    Args:
        before: The handle in the status; it stays if it is another executor's.
    """
    if given := os.environ.get(RUN_HANDLE):
        return json.loads(given)
    if before and before.get("executor") != "local":
        return before
    return _handle(os.getpid(), before.get("ooms") if before else processes.oom_kills())


class LocalExecutor:
    """An `Executor` for this machine. It knows the exit codes of the processes that it has started."""

    has_queue = False

    def __init__(self) -> None:
        self._children: dict[tuple, subprocess.Popen] = {}  # by number and identity

    def start(
        self, command: Sequence[str], folder: Path, environment: Mapping[str, str], working_folder: str
    ) -> Handle:
        """Start a command in a run folder."""
        ooms = processes.oom_kills()
        with open(folder / LOG, "ab") as log:
            child = subprocess.Popen(
                [sys.executable, *command, str(folder.resolve())],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=working_folder,
                env=environment,
                **processes.DETACHED,
            )
        processes.lower_priority(child.pid)
        handle = _handle(child.pid, ooms)
        self._children[child.pid, handle["process"]] = child
        return handle

    def poll(self, handle: Handle, memory: int = 0) -> End | None:
        """How the process ended; None while it runs, or if it is on another machine."""
        if self.is_alive(handle) is not False:
            return None
        child = self._children.get(_process(handle))
        code = None if child is None else child.poll()
        if code is not None and code >= 0:
            return End(code)
        ooms, before = processes.oom_kills(), handle.get("ooms")
        killed_meanwhile = ooms is not None and isinstance(before, int) and ooms > before
        out_of_memory = killed_meanwhile or memory > _MEMORY_SHARE * processes.machine_memory()
        return End(signal="" if code is None else processes.signal_name(-code), out_of_memory=out_of_memory)

    def stop(self, handle: Handle) -> None:
        """Kill the process."""
        pid, identity = _process(handle)
        if pid is not None:
            processes.kill(pid, identity)
        if child := self._children.get((pid, identity)):
            child.kill()  # not always the job itself: it may be the launcher of a virtual environment

    def is_alive(self, handle: Handle) -> bool | None:
        """Whether the process runs; None if it is on another machine."""
        pid, identity = _process(handle)
        if pid is None:
            return None
        if child := self._children.get((pid, identity)):
            return child.poll() is None
        return processes.is_alive(pid, identity)


def _handle(pid: int, ooms: object) -> Handle:
    """The handle of a process.

    Args:
        pid: Number of the process.
        ooms: How many processes the system had killed for lack of memory when this one started.
    """
    return {"executor": "local", "host": _HOST, "pid": pid, "process": processes.identity(pid), "ooms": ooms}


def _process(handle: Handle) -> tuple[int | None, str | None]:
    """Number and identity of a process of this machine; no number if it is on another machine.

    Containers of a machine have different names and the same boot; after a restart it is the other
    way round.
    """
    host, pid, identity = (handle.get(name) for name in ("host", "pid", "process"))
    identity = identity if isinstance(identity, str) else None
    is_here = host == _HOST or bool(identity and (boot := processes.boot()) and identity.startswith(boot))
    return (pid if is_here and isinstance(pid, int) else None), identity
