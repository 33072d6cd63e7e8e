"""Why a run has ended, in words: from the error that it met, from its exit code, from what it left behind."""

from __future__ import annotations

import ast
import re
import shutil
import signal
import time
from dataclasses import replace
from pathlib import Path

from viz_core.jobs.files import disk_full
from viz_core.jobs.limits import Limits
from viz_core.jobs.processes import machine_memory, oom_kills
from viz_core.jobs.request import read_request
from viz_core.jobs.state import LOG, SEPARATOR, STALE, STOP, Status, read_status, write_status
from viz_core.records import Failure, Message

_NO_MEMORY = re.compile(r"MemoryError|out of memory|can(no|')t allocate memory|bad_alloc", re.IGNORECASE)
_DISK_FULL = re.compile(r"No space left on device|not enough space on the disk|Disk quota exceeded", re.IGNORECASE)
# As a traceback ends that nobody caught.
_FAILURE = re.compile(rf"{re.escape(f'{Failure.__module__}.{Failure.__name__}')}: ([\w.]+) (\{{.*\}})$", re.MULTILINE)
_KILLED = -9
_MUCH = 0.8  # of the machine's memory: who takes more and is killed was killed for it
_NO_ROOM = 1_000_000  # bytes: a disk with less is full
_TAIL = 8_000  # bytes of the log that are looked at


def reason(error: Exception, path: Path) -> Message:
    """What to say of an error that ended a job."""
    if isinstance(error, Failure):
        return error.message
    if disk_full(error):
        return _full(path)
    return _from_text(f"{type(error).__name__}: {error}", path) or Message(
        "jobs.error", {"reason": f"{type(error).__name__}: {error}", "log": str(path / LOG)}
    )


def record_ending(path: Path, code: int | None = None) -> Status:
    """Writes down how a run ended whose process is gone, unless the process did so itself. The caller holds the lock.

    code: the exit code (negative: the signal), where it is known. Raises OSError where that cannot be written.
    """
    try:
        status = read_status(path)
        if status.state not in ("running", "stopping"):
            return status
    except Failure:
        status = Status("running")  # damaged: what can be said is said anew
    try:
        limit = read_request(path).limits
    except Failure:
        limit = Limits()
    state, message = ending(path, status, limit, code)
    status = replace(status, state=state, message=message, ended=_when(status, code), eta=None)
    write_status(path, status)
    return status


def ending(path: Path, status: Status, limit: Limits, code: int | None) -> tuple[str, Message | None]:
    """State and reason of a run whose process has ended without saying how."""
    if (path / STOP).exists():
        when = _when(status, code)
        if code == 0:
            return "stopped", overtime(status.started, when, limit)
        if stop_overdue(path, when, limit):
            late = Message("jobs.stopped_late", {"seconds": round(limit.stop_seconds)})
            return "stopped", overtime(status.started, when, limit) or late
        if code is None or code < 0:
            return "stopped", _failed(path, status, code)
    return "failed", _failed(path, status, code)


def overtime(started: float | None, now: float, limit: Limits) -> Message | None:
    """What to say of a run that has been running for longer than it may; None if it has not."""
    if started is None or now - started < limit.longest_minutes * 60:
        return None
    return Message("jobs.too_long", {"minutes": f"{limit.longest_minutes:g}"})


def stop_overdue(path: Path, now: float, limit: Limits) -> bool:
    """Whether a run was asked to stop so long ago that it may be ended."""
    try:
        return now - (path / STOP).stat().st_mtime > limit.stop_seconds
    except OSError:
        return False


def _when(status: Status, code: int | None) -> float:
    """When a process ended: now, if its code is known; else soon after its last heartbeat: long ago, perhaps."""
    return time.time() if code is not None else min(time.time(), status.heartbeat + STALE)


def _failed(path: Path, status: Status, code: int | None) -> Message:
    if code == _KILLED:  # without a last word
        return Message("jobs.out_of_memory" if _killed_for_memory(status) else "jobs.killed")
    if said := _from_text(_tail(path), path):
        return said
    if code is not None and code < 0:
        return Message("jobs.signal", {"signal": _signal_name(-code), "log": str(path / LOG)})
    if code is None and _killed_for_memory(status):
        return Message("jobs.out_of_memory")
    if _no_room(path):
        return _full(path)  # neither run nor log had room for a word
    if code is None:
        return Message("jobs.killed")
    if code == 0:
        return Message("jobs.no_result", {"log": str(path / LOG)})
    last = _tail(path).strip().rpartition("\n")[2]
    return Message("jobs.crashed", {"code": code, "last": last or "–", "log": str(path / LOG)})


def _from_text(text: str, path: Path) -> Message | None:
    """The reason that the last words of a run give, if they are of a kind that we know."""
    if failures := _FAILURE.findall(text):
        key, values = failures[-1]
        try:
            return Message(key, ast.literal_eval(values))
        except (ValueError, SyntaxError):
            pass  # a value that is no literal, a Message for one
    last = "\n".join(text.strip().splitlines()[-20:])
    if _DISK_FULL.search(last):
        return _full(path)
    return Message("jobs.out_of_memory") if _NO_MEMORY.search(last) else None


def _full(path: Path) -> Message:
    return Message("jobs.disk_full", {"folder": str(path)})


def _killed_for_memory(status: Status) -> bool:
    ooms = oom_kills()
    if ooms is not None and status.ooms is not None and ooms > status.ooms:
        return True
    return status.memory > _MUCH * machine_memory()


def _no_room(path: Path) -> bool:
    try:
        return shutil.disk_usage(path).free < _NO_ROOM
    except OSError:
        return False


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def _tail(path: Path) -> str:
    """The end of the log, as far as it is of the last attempt."""
    try:
        with open(path / LOG, "rb") as file:
            file.seek(0, 2)
            file.seek(max(0, file.tell() - _TAIL))
            text = file.read().decode("utf-8", errors="replace")
    except OSError:
        return ""
    _, separator, last = text.rpartition(SEPARATOR)
    return last.partition("\n")[2] if separator else text
