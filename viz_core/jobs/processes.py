"""Processes as the system sees them: is that one still alive, how much memory it takes, how to end it.

A number alone does not name a process, since the system gives it to another one later: number and start time together do.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import psutil

# For Popen. On its own, away from the terminal or server that started it: Ctrl-C and a closed window do not reach it.
DETACHED = (
    {"creationflags": subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP}
    if sys.platform == "win32"
    else {"start_new_session": True}
)


def identity(pid: int) -> str | None:
    """What tells a process from others that have had its number; None if there is no process, or only its remains."""
    try:
        process = psutil.Process(pid)
        if process.status() in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD):
            return None
    except (psutil.Error, ValueError):  # ValueError: a negative number
        return None
    # psutil hashes number and start time, which gives the same in every interpreter. Unlike create_time(), that start
    # time does not move when the clock is set: on Linux it counts from boot, and so the boot belongs to the identity.
    return f"{_read('/proc/sys/kernel/random/boot_id').strip()} {hash(process)}".strip()


def alive(pid: int, process: str | None) -> bool:
    """Whether the process of this number is still the one that had this identity."""
    return process is not None and identity(pid) == process


def end(pid: int, process: str | None) -> None:
    """Ends a process (and the group that it leads) at once, if it is still the one that had this identity."""
    if not alive(pid, process):
        return
    with suppress(ProcessLookupError, psutil.NoSuchProcess):  # it was faster
        # Not its children, as psutil would find them: one that left the group, a worker for one, is to outlive it.
        if sys.platform != "win32" and os.getpgid(pid) == pid:
            os.killpg(pid, signal.SIGKILL)
        else:
            psutil.Process(pid).kill()


def resident() -> int:
    """Bytes of memory that this process takes."""
    return psutil.Process().memory_info().rss


def machine_memory() -> int:
    """Bytes of memory that there are for us, a container's limit included."""
    limits = [_read(f"/sys/fs/cgroup/{file}").strip() for file in ("memory.max", "memory/memory.limit_in_bytes")]
    return min([psutil.virtual_memory().total, *(int(limit) for limit in limits if limit.isdigit())])


def oom_kills() -> int | None:
    """How many processes Linux has ended for want of memory since it started; None on other systems."""
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
