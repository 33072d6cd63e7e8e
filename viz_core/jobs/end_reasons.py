"""Why a run ended, as a Message: from its error, its exit code, its log."""

from __future__ import annotations

import ast
import logging
import re
import shutil
import signal
import time
from dataclasses import replace
from pathlib import Path

from viz_core.jobs.files import is_disk_full
from viz_core.jobs.limits import Limits
from viz_core.jobs.processes import machine_memory, oom_kills
from viz_core.jobs.request import read_request
from viz_core.jobs.state import LIVE, LOG, SEPARATOR, STALE, Status, read_status, write_status
from viz_core.jobs.stop_requests import KILLED, OVERTIME, stop_lines, stop_requested
from viz_core.records import Failure, Message

# As Python, C++, CUDA, MPS, and the libraries cuBLAS, cuDNN, cuFFT (…_STATUS_ALLOC_FAILED) and NCCL say it.
_NO_MEMORY = re.compile(
    r"MemoryError|out of memory|can(no|')t allocate memory|failed to allocate memory|bad_alloc|_ALLOC_FAILED",
    re.IGNORECASE,
)
_DISK_FULL = re.compile(r"No space left on device|not enough space on the disk|Disk quota exceeded", re.IGNORECASE)
# The last line of the traceback of an uncaught Failure.
_FAILURE = re.compile(rf"{re.escape(f'{Failure.__module__}.{Failure.__name__}')}: ([\w.]+) (\{{.*\}})$", re.MULTILINE)
_SIGKILL = -9
_MEMORY_SHARE = 0.8  # of the machine's memory: a killed process that used more was killed for it
_FULL_BELOW = 1_000_000  # bytes: a disk with less free space counts as full
_TAIL_BYTES = 8_000  # bytes at the end of the log that are searched
_log = logging.getLogger(__name__)


def error_message(error: Exception, path: Path) -> Message:
    """The message for an error that ended the job of the run folder `path`."""
    if isinstance(error, Failure):
        return error.message
    if is_disk_full(error):
        return _disk_full_message(path)
    return _recognise(f"{type(error).__name__}: {error}", path) or Message(
        "jobs.error", {"reason": f"{type(error).__name__}: {error}", "log": str(path / LOG)}
    )


def record_end(path: Path, code: int | None = None) -> Status:
    """Writes how a run ended whose process is gone, unless the process did so itself. The caller holds the lock.

    code: the exit code if known (negative: the signal). Raises OSError if the status cannot be written.
    """
    try:
        status = read_status(path)
        if status.state not in LIVE:
            log_end(path.name, status)
            return status
    except Failure:
        status = Status("running")  # a damaged status is replaced
    try:
        limits = read_request(path).limits
    except Failure:
        limits = Limits()
    state, message = final_state(path, status, limits, code)
    status = replace(status, state=state, message=message, ended=_end_time(status, code), eta=None)
    write_status(path, status)
    log_end(path.name, status)
    return status


def log_end(run: str, status: Status) -> None:
    """Writes into the log how a run ended."""
    level = logging.WARNING if status.state == "failed" else logging.INFO
    _log.log(level, "Run %s is %s%s", run, status.state, f": {status.message.key}" if status.message else "")


def final_state(path: Path, status: Status, limits: Limits, code: int | None) -> tuple[str, Message | None]:
    """State and reason of a run whose process ended without recording either."""
    if stop_requested(path):
        if code == 0:
            return "stopped", overtime_message(path, limits)
        if KILLED in stop_lines(path):
            late = Message("jobs.stopped_late", {"seconds": round(limits.stop_seconds)})
            return "stopped", overtime_message(path, limits) or late
        if code is None or code < 0:
            return "stopped", _failure_message(path, status, code)
    return "failed", _failure_message(path, status, code)


def overtime_message(path: Path, limits: Limits) -> Message | None:
    """The message for a run that was asked to stop because of its time limit; None if it was not."""
    return (
        Message("jobs.too_long", {"minutes": f"{limits.longest_minutes:g}"}) if OVERTIME in stop_lines(path) else None
    )


def _end_time(status: Status, code: int | None) -> float:
    """When the process ended: now if its exit code is known, else shortly after its last heartbeat."""
    return time.time() if code is not None else min(time.time(), status.heartbeat + STALE)


def _failure_message(path: Path, status: Status, code: int | None) -> Message:
    if code == _SIGKILL:  # nothing in the log explains it
        return Message("jobs.out_of_memory" if _killed_for_memory(status) else "jobs.killed")
    if message := _recognise(_log_tail(path), path):
        return message
    if code is not None and code < 0:
        return Message("jobs.signal", {"signal": _signal_name(-code), "log": str(path / LOG)})
    if code is None and _killed_for_memory(status):
        return Message("jobs.out_of_memory")
    if _disk_is_full(path):
        return _disk_full_message(path)  # neither status nor log could be written
    if code is None:
        return Message("jobs.killed")
    if code == 0:
        return Message("jobs.no_result", {"log": str(path / LOG)})
    last = _log_tail(path).strip().rpartition("\n")[2]
    return Message("jobs.crashed", {"code": code, "last": last or "–", "log": str(path / LOG)})


def _recognise(text: str, path: Path) -> Message | None:
    """The reason named at the end of an error or a log, if it is of a known kind."""
    if failures := _FAILURE.findall(text):
        key, values = failures[-1]
        try:
            return Message(key, ast.literal_eval(values))
        except (ValueError, SyntaxError):
            pass  # a value that is no literal, such as a Message
    last = "\n".join(text.strip().splitlines()[-20:])
    if _DISK_FULL.search(last):
        return _disk_full_message(path)
    return Message("jobs.out_of_memory") if _NO_MEMORY.search(last) else None


def _disk_full_message(path: Path) -> Message:
    return Message("jobs.disk_full", {"folder": str(path)})


def _killed_for_memory(status: Status) -> bool:
    ooms = oom_kills()
    if ooms is not None and status.ooms is not None and ooms > status.ooms:
        return True
    return status.memory > _MEMORY_SHARE * machine_memory()


def _disk_is_full(path: Path) -> bool:
    try:
        return shutil.disk_usage(path).free < _FULL_BELOW
    except OSError:
        return False


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def _log_tail(path: Path) -> str:
    """The end of the log, cut off where the last attempt begins."""
    try:
        with open(path / LOG, "rb") as file:
            file.seek(0, 2)
            file.seek(max(0, file.tell() - _TAIL_BYTES))
            text = file.read().decode("utf-8", errors="replace")
    except OSError:
        return ""
    _, separator, last = text.rpartition(SEPARATOR)
    return last.partition("\n")[2] if separator else text
