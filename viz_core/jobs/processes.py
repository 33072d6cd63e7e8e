"""Processes as the system sees them: is that one still alive, how much memory it takes, how to end it.

A number alone does not name a process, since the system gives it to another one later: number and start time together do.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

# For Popen. On its own, away from the terminal or server that started it: Ctrl-C and a closed window do not reach it.
DETACHED = ({"creationflags": subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP}
            if sys.platform == "win32" else {"start_new_session": True})


def identity(pid: int) -> str | None:
    """When the process was started, in the system's own words; None if there is no such process, or only its remains."""
    if sys.platform == "linux":
        return _linux(pid)
    return _windows(pid) if sys.platform == "win32" else _posix(pid)


def alive(pid: int, process: str | None) -> bool:
    """Whether the process of this number is still the one that had this identity."""
    return process is not None and identity(pid) == process


def end(pid: int, process: str | None) -> None:
    """Ends a process (and the group that it leads) at once, if it is still the one that had this identity."""
    if not alive(pid, process):
        return
    try:
        if sys.platform == "win32":
            os.kill(pid, signal.SIGTERM)  # there: TerminateProcess
        elif os.getpgid(pid) == pid:
            os.killpg(pid, signal.SIGKILL)
        else:
            os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass  # it was faster


def resident() -> int:
    """Bytes of memory that this process takes (at its peak, on macOS); 0 where the system does not say."""
    if sys.platform == "linux":
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")
    if sys.platform == "darwin":
        import resource
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return 0


def machine_memory() -> int | None:
    """Bytes of memory that there are for us, a container's limit included; None where the system does not say."""
    try:
        whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE")
    except (AttributeError, ValueError, OSError):  # Windows has no sysconf
        return None
    limits = [_read(f"/sys/fs/cgroup/{file}").strip() for file in ("memory.max", "memory/memory.limit_in_bytes")]
    return min([whole, *(int(limit) for limit in limits if limit.isdigit())])


def ended_for_memory() -> int | None:
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


def _linux(pid: int) -> str | None:
    # The name of the program, in parentheses, may hold anything; state is the first field behind it, start the 20th.
    fields = _read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    if not fields or fields[0] in "ZX":
        return None
    return f"{_read('/proc/sys/kernel/random/boot_id').strip()} {fields[19]}"


def _posix(pid: int) -> str | None:
    found = subprocess.run(["ps", "-o", "stat=,lstart=", "-p", str(pid)], capture_output=True, text=True, check=False,
                           env={**os.environ, "LC_ALL": "C", "TZ": "UTC"}).stdout.split(maxsplit=1)
    return None if len(found) < 2 or "Z" in found[0] else found[1].strip()


def _windows(pid: int) -> str | None:
    import ctypes
    from ctypes import wintypes
    kernel, still_active, query = ctypes.WinDLL("kernel32"), 259, 0x1000
    kernel.OpenProcess.restype = wintypes.HANDLE
    handle = wintypes.HANDLE(kernel.OpenProcess(query, False, pid))
    if not handle:
        return None
    try:
        code, times = wintypes.DWORD(), [wintypes.FILETIME() for _ in range(4)]
        if not (kernel.GetExitCodeProcess(handle, ctypes.byref(code)) and code.value == still_active
                and kernel.GetProcessTimes(handle, *map(ctypes.byref, times))):
            return None
        return str(times[0].dwHighDateTime << 32 | times[0].dwLowDateTime)
    finally:
        kernel.CloseHandle(handle)
