"""Files that several processes share."""

from __future__ import annotations

import errno
import os
import subprocess
import sys

import numpy as np
import pytest

from tests.jobs.programs import failure_of, until
from viz_core.jobs import files
from viz_core.jobs.state import STATUS, Status, read_status, write_status
from viz_core.records import Message

# Reads as fast as it can until the last status is there; says which it saw, each of them whole.
READER = """
import sys
from pathlib import Path
from viz_core.jobs.state import read_status
print(flush=True)
seen = [0]
while seen[-1] < 499:
    status = read_status(Path(sys.argv[1]))
    assert status.last == {"loss": "x" * (status.step * 37 % 5_000)}
    seen.append(status.step)
print(*seen)
"""
HOLDER = """
import sys, time
from viz_core.jobs.files import hold
held = hold(sys.argv[1])
print(flush=True)
time.sleep(600)
"""


@pytest.mark.process
def test_reader_never_finds_a_part_while_a_file_is_replaced_500_times(tmp_path):
    states = [Status("running", step=step, last={"loss": "x" * (step * 37 % 5_000)}) for step in range(500)]
    write_status(tmp_path, states[0])
    with subprocess.Popen([sys.executable, "-c", READER, str(tmp_path)], stdout=subprocess.PIPE, text=True) as reader:
        reader.stdout.readline()  # it reads
        for state in states:
            write_status(tmp_path, state)
        seen = [int(step) for step in reader.communicate(timeout=60)[0].split()]
    assert seen == sorted(seen) and seen[-1] == 499
    assert [path.name for path in tmp_path.iterdir()] == [STATUS]


def test_failed_replacement_leaves_what_was_there(tmp_path, monkeypatch):
    write_status(tmp_path, Status("running", step=1))

    def full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError) as error:
        write_status(tmp_path, Status("running", step=2))
    assert files.disk_full(error.value)
    assert read_status(tmp_path).step == 1
    assert [path.name for path in tmp_path.iterdir()] == [STATUS]


def test_json_holds_messages_numbers_of_numpy_and_no_nan():
    inner = Message("text.sentence", {"number": np.int64(2)})
    assert files.to_json(
        {
            "loss": np.float32("nan"),
            "step": np.int64(3),
            "rate": 0.5,
            "said": Message("text.blank", {"where": inner}),
            "names": ("a", "花呗"),
            "path": os.PathLike,
        }
    ) == (
        '{"loss": null, "step": 3, "rate": 0.5, "said": {"key": "text.blank", "values": {"where": {"key": "text.sentence", '
        '"values": {"number": 2}}}}, "names": ["a", "花呗"], "path": "' + str(os.PathLike) + '"}'
    )


def test_status_comes_back_with_messages_in_messages(tmp_path):
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
        pid=7,
    )
    write_status(tmp_path, status)
    assert read_status(tmp_path) == status


def test_lock_keeps_others_out_of_the_same_process_too(tmp_path):
    with files.locked(tmp_path / "lock"):
        assert files.hold(tmp_path / "lock") is None
        said = failure_of(lambda: files.locked(tmp_path / "lock", seconds=0.05).__enter__())
        assert said.key == "jobs.busy"
    held = files.hold(tmp_path / "lock")
    assert held
    files.release(held)


@pytest.mark.process
def test_lock_vanishes_with_a_killed_process(tmp_path):
    lock = tmp_path / "lock"
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(lock)], stdout=subprocess.PIPE) as holder:
        holder.stdout.readline()
        assert files.hold(lock) is None
        holder.kill()
        files.release(until(lambda: files.hold(lock)))


@pytest.mark.process
def test_started_process_does_not_inherit_a_lock(tmp_path):
    held = files.hold(tmp_path / "lock")
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        held.close()  # as when its process is killed: nothing is given back by hand
        again = files.hold(tmp_path / "lock")
        assert again
        files.release(again)
        child.stdin.close()
        child.kill()
