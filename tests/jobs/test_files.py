"""Files that several processes share."""

import errno
import os
import subprocess
import sys

import numpy as np
import psutil
import pytest

from tests.jobs.programs import failure_of, until
from viz_core.jobs import files
from viz_core.jobs.state import STATUS, Status, read_status, write_status
from viz_core.records import Message

# Reads the status as fast as it can until the last; prints the steps, and fails on a partial status.
READER = """
import sys
from pathlib import Path
from viz_core.jobs.state import read_status
print(flush=True)
steps = [0]
while steps[-1] < 499:
    status = read_status(Path(sys.argv[1]))
    assert status.last == {"loss": "x" * (status.step * 37 % 5_000)}
    steps.append(status.step)
print(*steps)
"""
HOLDER = """
import sys, time
from viz_core.jobs.files import acquire_lock
lock = acquire_lock(sys.argv[1])
print(flush=True)
time.sleep(600)
"""

PARENT = """
import subprocess, sys, time
from viz_core.jobs.files import acquire_lock
lock = acquire_lock(sys.argv[1])
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], stdout=subprocess.DEVNULL)
print(child.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.process
def test_reader_never_sees_a_partial_file_while_a_file_is_replaced_500_times(tmp_path):
    states = [Status("running", step=step, last={"loss": "x" * (step * 37 % 5_000)}) for step in range(500)]
    write_status(tmp_path, states[0])
    with subprocess.Popen([sys.executable, "-c", READER, str(tmp_path)], stdout=subprocess.PIPE, text=True) as reader:
        reader.stdout.readline()  # it has started
        for state in states:
            write_status(tmp_path, state)
        steps = [int(step) for step in reader.communicate(timeout=60)[0].split()]
    assert steps == sorted(steps) and steps[-1] == 499
    assert [path.name for path in tmp_path.iterdir()] == [STATUS]


def test_failed_replacement_leaves_the_old_content(tmp_path, monkeypatch):
    write_status(tmp_path, Status("running", step=1))

    def raise_disk_full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", raise_disk_full)
    with pytest.raises(OSError) as error:
        write_status(tmp_path, Status("running", step=2))
    assert files.is_disk_full(error.value)
    assert read_status(tmp_path).step == 1
    assert [path.name for path in tmp_path.iterdir()] == [STATUS]


def test_json_holds_messages_and_numpy_numbers_but_no_nan():
    inner = Message("text.sentence", {"number": np.int64(2)})
    assert files.to_json(
        {
            "loss": np.float32("nan"),
            "step": np.int64(3),
            "rate": 0.5,
            "message": Message("text.blank", {"where": inner}),
            "names": ("a", "花呗"),
            "path": os.PathLike,
        }
    ) == (
        '{"loss": null, "step": 3, "rate": 0.5, "message": {"key": "text.blank", "values": {"where": {"key": '
        '"text.sentence", "values": {"number": 2}}}}, "names": ["a", "花呗"], "path": "' + str(os.PathLike) + '"}'
    )


def test_status_survives_a_round_trip_with_nested_messages(tmp_path):
    status = Status(
        "failed",
        3,
        10,
        1.5,
        2.0,
        "cuda:0",
        {"a": 1},
        None,
        Message("text.blank", {"where": Message("text.sentence", {"number": 2}), "names": ["a"]}),
        handle={"executor": "local", "pid": 7},
    )
    write_status(tmp_path, status)
    assert read_status(tmp_path) == status


def test_lock_excludes_threads_of_the_same_process(tmp_path):
    with files.file_lock(tmp_path / "lock"):
        assert files.acquire_lock(tmp_path / "lock") is None
        message = failure_of(lambda: files.file_lock(tmp_path / "lock", seconds=0.05).__enter__())
        assert message.key == "jobs.busy"
    lock = files.acquire_lock(tmp_path / "lock")
    assert lock
    lock.release()


@pytest.mark.process
def test_lock_is_released_when_its_process_is_killed(tmp_path):
    lock = tmp_path / "lock"
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(lock)], stdout=subprocess.PIPE) as holder:
        holder.stdout.readline()
        assert files.acquire_lock(lock) is None
        holder.kill()
        until(lambda: files.acquire_lock(lock)).release()


@pytest.mark.process
def test_started_process_does_not_inherit_a_lock(tmp_path):
    """A run goes on when its worker is killed, and must not keep the lock."""
    lock = tmp_path / "lock"
    with subprocess.Popen([sys.executable, "-c", PARENT, str(lock)], stdout=subprocess.PIPE, text=True) as holder:
        child = int(holder.stdout.readline())
        holder.kill()
    try:
        until(lambda: files.acquire_lock(lock)).release()
        assert psutil.pid_exists(child)
    finally:
        psutil.Process(child).kill()
