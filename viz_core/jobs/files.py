"""Files shared by several processes: JSON read as a whole, and locks that end with their process."""

import errno
import json
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from viz_core.bounded_json import read_json_object
from viz_core.files import retry_while_in_use
from viz_core.records import Failure, Message, failing

MAX_BYTES = 2**20  # of a request or a status: pages keep them all in memory; ours have some 5 kB
# A quota and a limit on file sizes count as a full disk.
_FULL = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}


def is_disk_full(error: BaseException | None) -> bool:
    """Whether an error means that the disk is full."""
    return isinstance(error, OSError) and error.errno in _FULL


def to_json(value: object) -> str:
    """One line of JSON; nan, such as the loss of a diverged run, becomes null."""
    return json.dumps(to_plain(value), ensure_ascii=False, allow_nan=False)


def read_object(path: Path) -> dict:
    """Read the JSON object in a file.

    Raises:
        Failure: If there is none, naming run and file.
    """
    with failing((OSError, ValueError), "jobs.unreadable", run=path.parent.name, file=path.name):
        return retry_while_in_use(lambda: read_json_object(path, MAX_BYTES))


def unreadable_file(path: Path, reason: str) -> Failure:
    """The failure for an unreadable file of a run folder: names the run, the file and the reason."""
    return Failure("jobs.unreadable", run=path.parent.name, file=path.name, reason=reason)


@contextmanager
def file_lock(path: Path, seconds: float = 20.0) -> Iterator[None]:
    """Hold the lock of a file, exclusive among all threads and processes.

    Raises:
        Failure: If it is still taken after `seconds`.
    """
    if (lock := acquire_lock(path, seconds)) is None:
        raise Failure("jobs.busy", file=str(path), seconds=round(seconds))
    try:
        yield
    finally:
        lock.release()


def acquire_lock(path: Path, seconds: float = 0.0) -> FileLock | None:
    """Acquire the lock of an empty file; None if it is still taken after `seconds`.

    The system releases the lock when this process ends, however it ends; child processes do not
    inherit it.

    Raises:
        OSError: If the file cannot be opened.
    """
    lock = FileLock(path)  # one for each call: threads exclude each other, too
    try:
        lock.acquire(seconds, poll_interval=0.005)
    except Timeout:
        return None
    return lock


def to_plain(value: object) -> object:
    """The value as JSON can hold it: Messages as objects, nan and infinity as null."""
    if isinstance(value, Message):
        return {"key": value.key, "values": to_plain(value.values)}
    if isinstance(value, Mapping):
        return {str(name): to_plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_plain(item) for item in value]
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if hasattr(value, "item"):  # a NumPy or torch scalar
        return to_plain(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return str(value)
