"""Why a run ended, as a Message: from its error, its log, or what its executor knows."""

import logging
import re
import shutil
import time
from dataclasses import replace
from pathlib import Path

from viz_core.bounded_json import require_regular
from viz_core.jobs.files import is_disk_full
from viz_core.jobs.limits import Limits
from viz_core.jobs.request import read_request
from viz_core.jobs.state import LIVE, LOG, SEPARATOR, STALE, WAITING, End, Status, read_status, write_status
from viz_core.jobs.stop_requests import KILLED, OVERTIME, stop_lines, stop_requested
from viz_core.records import Failure, Message

# The words of Python, C++, CUDA, MPS, and the libraries cuBLAS, cuDNN, cuFFT (…_STATUS_ALLOC_FAILED) and NCCL.
_NO_MEMORY = re.compile(
    r"MemoryError|out of memory|can(no|')t allocate memory|failed to allocate memory|bad_alloc|_ALLOC_FAILED",
    re.IGNORECASE,
)
_DISK_FULL = re.compile(r"No space left on device|not enough space on the disk|Disk quota exceeded", re.IGNORECASE)
_FULL_BELOW = 1_000_000  # bytes: a disk with less free space counts as full
_TAIL_BYTES = 8_000  # bytes at the end of the log that are searched
_log = logging.getLogger(__name__)


def error_message(error: Exception, path: Path) -> Message:
    """The message for an error that ended the job in the run folder `path`."""
    if isinstance(error, Failure):
        return error.message
    if is_disk_full(error):
        return _disk_full_message(path)
    return _recognise(f"{type(error).__name__}: {error}", path) or Message(
        "jobs.error", {"reason": f"{type(error).__name__}: {error}", "log": str(path / LOG)}
    )


def record_end(path: Path, end: End) -> Status:
    """Record how a run ended whose process is gone, unless the process has recorded it.

    A run that never had a process, and whose executor has forgotten it, goes back to the queue as
    another attempt. Called by the worker, under the lock.

    Raises:
        OSError: If the status cannot be written.
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
    state, message = final_state(path, status, limits, end)
    if state == "queued":
        status = replace(status, state=state, attempt=status.attempt + 1, message=None, handle=None, started=None)
        write_status(path, status)
        _log.warning("Run %s never began, and is queued again", path.name)
        return status
    is_just_over = end.code is not None or end.signal  # otherwise it ended at some time after its last heartbeat
    ended = time.time() if is_just_over else min(time.time(), status.heartbeat + STALE)
    status = replace(status, state=state, message=message, ended=ended, eta=None)
    write_status(path, status)
    log_end(path.name, status)
    return status


def log_end(run: str, status: Status) -> None:
    """Log how a run ended."""
    level = logging.WARNING if status.state == "failed" else logging.INFO
    _log.log(level, "Run %s is %s%s", run, status.state, f": {status.message.key}" if status.message else "")


def final_state(path: Path, status: Status, limits: Limits, end: End) -> tuple[str, Message | None]:
    """State and reason of a run whose process ended without recording either.

    Args:
        path: The run folder.
        status: The status in it.
        limits: The limits of the run.
        end: How the process ended.
    """
    if end.lost and status.message == WAITING and not stop_requested(path):
        return "queued", None
    if stop_requested(path):
        if end.code == 0:
            return "stopped", overtime_message(path, limits)
        if KILLED in stop_lines(path):
            late = Message("jobs.stopped_late", {"seconds": round(limits.stop_seconds)})
            return "stopped", overtime_message(path, limits) or late
        if end.code is None:
            return "stopped", _failure_message(path, end)
    return "failed", _failure_message(path, end)


def overtime_message(path: Path, limits: Limits) -> Message | None:
    """The message for a run that was asked to stop because of its time limit; None if it was not."""
    return (
        Message("jobs.too_long", {"minutes": f"{limits.longest_minutes:g}"}) if OVERTIME in stop_lines(path) else None
    )


def _failure_message(path: Path, end: End) -> Message:
    memory = Message("jobs.out_of_memory")
    if end.reason:
        return Message("jobs.not_started", {"reason": end.reason.rstrip(".")})
    if end.signal == "SIGKILL":  # nothing in the log explains it
        return memory if end.out_of_memory else Message("jobs.killed")
    if message := _recognise(_log_tail(path), path):
        return message
    if end.signal:
        return Message("jobs.signal", {"signal": end.signal, "log": str(path / LOG)})
    if end.out_of_memory:
        return memory
    if _disk_is_full(path):
        return _disk_full_message(path)  # neither status nor log could be written
    if end.code is None:
        return Message("jobs.lost" if end.lost else "jobs.killed")
    if end.code == 0:
        return Message("jobs.no_result", {"log": str(path / LOG)})
    last = _log_tail(path).strip().rpartition("\n")[2]
    return Message("jobs.crashed", {"code": end.code, "last": last or "–", "log": str(path / LOG)})


def _recognise(text: str, path: Path) -> Message | None:
    """The reason at the end of an error message or a log, if it is of a known kind."""
    last = "\n".join(text.strip().splitlines()[-20:])
    if _DISK_FULL.search(last):
        return _disk_full_message(path)
    return Message("jobs.out_of_memory") if _NO_MEMORY.search(last) else None


def _disk_full_message(path: Path) -> Message:
    return Message("jobs.disk_full", {"folder": str(path)})


def _disk_is_full(path: Path) -> bool:
    try:
        return shutil.disk_usage(path).free < _FULL_BELOW
    except OSError:
        return False


def _log_tail(path: Path) -> str:
    """The end of the log, from the beginning of the last attempt on."""
    try:
        require_regular(path / LOG)
        with open(path / LOG, "rb") as file:
            file.seek(0, 2)
            file.seek(max(0, file.tell() - _TAIL_BYTES))
            text = file.read().decode("utf-8", errors="replace")
    except (OSError, ValueError):
        return ""
    _, separator, last = text.rpartition(SEPARATOR)
    return last.partition("\n")[2] if separator else text
