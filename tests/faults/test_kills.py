"""Whatever writes may be killed at any moment: readers find what was there before, or what was written, whole."""

import itertools
import os
import random
import sys
from pathlib import Path

import pytest

from tests.faults.children import DONE, fork, kill_after
from tests.faults.writers import NAMES, make_writer

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="copies itself and kills the copy")
KILLS = int(os.environ.get("VIZ_FAULTS", 30))  # make faults: some hundreds
LONGEST = 0.15  # seconds until a kill; a write takes a few milliseconds


def kill_a_writer(name: str, folder: Path, times: int) -> None:
    """Again and again a copy of this process writes number after number, until it is killed in the middle."""
    writer, moments = make_writer(name, folder), random.Random(name)
    last = 0
    for _ in range(times):
        first = last + 1

        def write_on(first: int = first) -> None:
            for number in itertools.count(first):
                writer.write(number)

        assert kill_after(fork(write_on), moments.uniform(0, LONGEST)) == -9
        now = writer.read()
        assert now >= last, "something that was written is lost"
        writer.write(now + 1)  # what the killed process left is in nobody's way
        last = writer.read()
        assert last == now + 1


@pytest.mark.parametrize("name", NAMES)
def test_a_killed_writer_leaves_whole_files(name, folder):
    kill_a_writer(name, folder, 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_writers_killed_at_many_random_moments_leave_whole_files(name, folder):
    kill_a_writer(name, folder, KILLS)


@pytest.mark.parametrize("name", NAMES)
def test_writers_write_in_a_copy_of_this_process(name, folder):
    """Else the tests above would kill what does nothing."""
    writer = make_writer(name, folder)
    assert os.waitstatus_to_exitcode(os.waitpid(fork(lambda: writer.write(1)), 0)[1]) == DONE
    assert writer.read() == 1
