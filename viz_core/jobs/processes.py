"""Processes of the operating system: whether they are alive, memory, priority, how to kill them.

The system reuses process numbers, so a process is identified by its number together with its start
time.
"""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

# Arguments for Popen: detached from the terminal or server that starts it, so that Ctrl-C and a closed window do not
# reach it.
DETACHED: dict[str, Any]
_NICENESS: int
if sys.platform == "win32":
    DETACHED = {"creationflags": subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP}
    _NICENESS = psutil.BELOW_NORMAL_PRIORITY_CLASS
else:
    DETACHED = {"start_new_session": True}
    _NICENESS = 10  # about a tenth of a core beside a busy page, so that a run still proceeds


def identity(pid: int) -> str | None:
    """An identifier of a process, unlike those of earlier and later processes with its number.

    None if there is no such process, or only a zombie.
    """
    try:
        process = psutil.Process(pid)
        if process.status() in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD):
            return None
    except (psutil.Error, ValueError, OverflowError):  # a number that no process can have
        return None
    # psutil hashes number and start time, with the same result in every interpreter. Unlike create_time(), that start
    # time does not move when the clock is set: on Linux it counts from boot, so the boot is part of the identity.
    return f"{boot()} {hash(process)}".strip()


def boot() -> str:
    """An identifier of this start of the machine; empty where the system has none."""
    return _read("/proc/sys/kernel/random/boot_id").strip()


def is_alive(pid: int, process: str | None) -> bool:
    """Whether the process with this number still has this identity."""
    return process is not None and identity(pid) == process


def kill(pid: int, process: str | None) -> None:
    """Kill a process, and the group that it leads, if it still has this identity."""
    if not is_alive(pid, process):
        return
    with suppress(ProcessLookupError, psutil.NoSuchProcess):  # it ended meanwhile
        # Only the group, not all children: a process that left the group, such as a worker, shall survive.
        if sys.platform != "win32" and os.getpgid(pid) == pid:
            os.killpg(pid, signal.SIGKILL)
        else:
            psutil.Process(pid).kill()


def signal_name(number: int) -> str:
    """The name of a signal, else its number."""
    with suppress(ValueError):
        return signal.Signals(number).name
    return str(number)


def lower_priority(pid: int) -> None:
    """Lower the priority of a process, so that everything else here goes first, above all the pages."""
    with suppress(psutil.Error, OSError):  # it ended already, or the system has no priorities
        process = psutil.Process(pid)
        process.nice(_NICENESS if sys.platform == "win32" else max(process.nice(), _NICENESS))


def resident_memory() -> int:
    """Bytes of memory that this process uses."""
    return psutil.Process().memory_info().rss


def machine_memory() -> int:
    """Bytes of memory of this machine, or of its container if that has less."""
    limits = [_read(f"/sys/fs/cgroup/{file}").strip() for file in ("memory.max", "memory/memory.limit_in_bytes")]
    return min([psutil.virtual_memory().total, *(int(limit) for limit in limits if limit.isdigit())])


def oom_kills() -> int | None:
    """How many processes Linux has killed for lack of memory since boot; None on other systems."""
    for line in _read("/proc/vmstat").splitlines():
        name, _, count = line.partition(" ")
        if name == "oom_kill":
            return int(count)
    return None


def _read(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""
