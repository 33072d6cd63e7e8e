"""Files that several processes share: replaced whole, read whole, and locked for as long as a process lives."""

from __future__ import annotations

import errno
import json
import math
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from viz_core.records import Failure, Message

# A quota and a limit on file sizes are full disks to whoever meets them.
_FULL = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}
_PATIENCE = 2.0  # seconds that Windows may keep a file from being replaced while another process reads it


def disk_full(error: BaseException | None) -> bool:
    return isinstance(error, OSError) and error.errno in _FULL


def to_json(value: object) -> str:
    """One line of JSON. Messages become objects; what is no number in JSON (a loss gone astray) becomes null."""
    return json.dumps(_plain(value), ensure_ascii=False, allow_nan=False)


def replace_file(path: Path, text: str) -> None:
    """Writes a file so that a reader finds the old content or the new, never a part. Raises OSError."""
    partial = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.tmp")
    try:
        with open(partial, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())  # else a power cut may leave the new name on an empty file
        _patiently(lambda: os.replace(partial, path))
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def read_object(path: Path) -> dict:
    """A file's JSON object. Raises Failure that names run and file where there is none."""
    try:
        value = json.loads(_patiently(lambda: path.read_text(encoding="utf-8")))
    except (OSError, ValueError, RecursionError) as error:  # JSON and UTF-8 errors are ValueErrors
        raise unreadable(path, error.strerror if isinstance(error, OSError) else str(error)) from error
    if not isinstance(value, dict):
        raise unreadable(path, f"{type(value).__name__}, not object")
    return value


def unreadable(path: Path, reason: str) -> Failure:
    """The failure that names a file of a run folder, the run and what is wrong with the file."""
    return Failure("jobs.unreadable", run=path.parent.name, file=path.name, reason=reason)


@contextmanager
def locked(path: Path, seconds: float = 20.0) -> Iterator[None]:
    """Holds the lock of a file, alone among all threads and processes. Raises Failure where it cannot be had in time."""
    deadline = time.monotonic() + seconds
    while (held := hold(path)) is None:
        if time.monotonic() > deadline:
            raise Failure("jobs.busy", file=str(path), seconds=round(seconds))
        time.sleep(0.005)
    try:
        yield
    finally:
        release(held)


def hold(path: Path) -> IO | None:
    """Takes the lock of a file if nobody has it; None if somebody has. The system takes it back when the process ends,
    however it ends; a process started by this one does not inherit it. Raises OSError where the file cannot be opened."""
    file = open(path, "a+b")
    try:
        _lock(file)
    except OSError:
        file.close()
        return None
    return file


def release(held: IO) -> None:
    """Gives a lock back; not by closing alone, since Windows may then take its time."""
    _unlock(held)
    held.close()


# Taken on a byte far behind the content: Windows lets nobody read what is locked.
if sys.platform == "win32":
    import msvcrt

    def _lock(file: IO) -> None:
        file.seek(1 << 30)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

    def _unlock(file: IO) -> None:
        file.seek(1 << 30)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    def _lock(file: IO) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(file: IO) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)


def _patiently(act: Callable):
    """Does it, again where Windows says that another process has the file open."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            return act()
        except PermissionError:
            if sys.platform != "win32" or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _plain(value: object) -> object:
    if isinstance(value, Message):
        return {"key": value.key, "values": _plain(value.values)}
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if hasattr(value, "item"):  # a number of NumPy or torch
        return _plain(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return str(value)
