"""A small disk of its own: it can be full, or may only be read, also by root."""

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

FILLER = ".filler"


@contextmanager
def small_disk(megabytes: int) -> Iterator[Path]:
    """A file system of this size; skips the test where this process may not mount one."""
    folder = Path(tempfile.mkdtemp())
    mount = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]
    try:
        if subprocess.run(mount, capture_output=True, check=False).returncode:
            pytest.skip("may not mount a file system")
        yield folder
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def full(disk: Path) -> Iterator[None]:
    """Not a byte is left meanwhile."""
    with suppress(OSError):
        (disk / FILLER).write_bytes(bytes(shutil.disk_usage(disk).total))
    yield
    (disk / FILLER).unlink()


@contextmanager
def read_only(disk: Path) -> Iterator[None]:
    """It may only be read meanwhile. Waits for those who have a file open to write."""
    for _ in range(120):
        if _remount(disk, "ro") == 0:
            break
        time.sleep(0.5)
    else:
        raise TimeoutError("somebody keeps a file of the disk open")
    yield
    assert _remount(disk, "rw") == 0


def _remount(disk: Path, mode: str) -> int:
    return subprocess.run(["mount", "-o", f"remount,{mode}", str(disk)], capture_output=True, check=False).returncode
