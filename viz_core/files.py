"""Files that others read while they are written: a reader finds either the old or the new content."""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

_IN_USE_SECONDS = 2.0  # how long Windows may refuse to replace a file that another process reads


def replace_file(path: Path, text: str) -> None:
    """Write a file so that a reader finds the old or the new content, also after a power cut.

    Raises:
        OSError: If it cannot be written.
    """
    with replacing(path) as file:
        file.write(text.encode("utf-8"))


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """The same for content that is written piece by piece; an exception leaves the old content.

    Raises:
        OSError: If it cannot be written.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.tmp")
    try:
        with open(partial, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())  # otherwise a power cut may leave the new name on an empty file
        retry_while_in_use(lambda: os.replace(partial, path))
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    flush_folder(path.parent)


def file_version(file: Path) -> tuple[int, ...] | None:
    """What changes with the content of a file, for caches; None if there is no such file.

    Also where the new file has the size and the time of the old one, as after `cp -p`: the time of
    the last change of the inode cannot be set.
    """
    try:
        status = file.stat()
    except (OSError, ValueError):
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def flush_folder(folder: Path) -> None:
    """Flush the names in a folder to the disk, where the system can.

    Otherwise a power cut may take back the last ones.
    """
    with suppress(OSError):  # Windows opens no folder, and some file systems flush none
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def retry_while_in_use(action: Callable):
    """Return the result of `action`, retried while Windows reports that the file is open elsewhere."""
    deadline = time.monotonic() + _IN_USE_SECONDS
    while True:
        try:
            return action()
        except PermissionError:
            if sys.platform != "win32" or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
