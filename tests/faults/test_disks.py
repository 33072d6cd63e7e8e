"""A full disk and a folder that may only be read: a Failure, and everything that was there is still there."""

import shutil
import sys
from pathlib import Path

import pytest

from tests.faults.children import DONE, REFUSED, as_nobody, contents, exit_code, fork, with_small_files
from tests.faults.disks import FILLER, small_disk
from tests.faults.writers import NAMES, make_writer

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="copies itself, with limits of Linux")
SIZES = (0, 100)  # bytes of a file that still fit


@pytest.mark.parametrize("name", NAMES)
def test_a_full_disk_loses_nothing(name, folder):
    """At whatever byte of whichever file it is full: what was there is complete, and with room the next write works."""
    writer = make_writer(name, folder)
    refused = 0
    for size in SIZES:
        before = writer.read()
        code = exit_code(fork(with_small_files(lambda: writer.write(before + 1), size)))  # noqa: B023
        assert code in (DONE, REFUSED)
        refused += code == REFUSED
        assert writer.read() in ((before, before + 1) if code == DONE else (before,))
    assert refused, "no file was too large"
    writer.write(writer.read() + 1)
    assert writer.read() > before


@pytest.mark.parametrize("name", NAMES)
def test_what_may_only_be_read_stays_as_it_is_and_is_read(name, folder):
    writer = make_writer(name, folder)
    for path in (folder, *folder.parents):
        if path.owner() == "root" and path != Path("/"):
            path.chmod(path.stat().st_mode | 0o055)  # nobody may come in and read
    for path in folder.rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = contents(folder)
    folder.chmod(0o555)
    assert exit_code(fork(as_nobody(lambda: writer.write(1)))) == REFUSED
    assert exit_code(fork(as_nobody(writer.read))) == DONE
    assert contents(folder) == before and writer.read() == 0
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755)


@pytest.fixture
def disk():
    with small_disk(2) as folder:
        yield folder


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_real_disk_that_fills_up_loses_nothing(name, disk, monkeypatch):
    """Everything is written until nothing fits, while another file takes a page of the disk less each time."""
    monkeypatch.setenv("VIZ_RUNS_DIR", str(disk / "runs"))
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(disk / "checkpoints"))
    monkeypatch.setattr("viz_core.jobs.runs.ensure_worker", lambda root: None)
    monkeypatch.setenv("VIZ_RUN_ATTEMPT", "1")
    writer = make_writer(name, disk)
    other = disk / FILLER
    for rest in range(24):  # pages of 4 kB that are left
        free = shutil.disk_usage(disk).free
        other.write_bytes(b"x" * max(0, free - rest * 4096))
        before = writer.read()
        code = exit_code(fork(lambda: writer.write(before + 1)))  # noqa: B023
        assert code in (DONE, REFUSED)
        assert writer.read() == before + (code == DONE)
        other.unlink()
    writer.write(writer.read() + 1)
