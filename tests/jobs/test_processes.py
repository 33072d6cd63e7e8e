"""Processes by number and start time."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from tests.jobs.programs import until
from viz_core.jobs import processes


@pytest.fixture
def sleeper():
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], **processes.DETACHED) as child:
        yield child
        child.kill()


def test_identity_stays_the_same_and_is_only_of_one_process(sleeper):
    mine = processes.identity(os.getpid())
    assert mine == processes.identity(os.getpid())
    assert processes.alive(os.getpid(), mine)
    assert not processes.alive(os.getpid(), "another time")  # the number was given to another process
    assert not processes.alive(os.getpid(), None)
    assert processes.identity(sleeper.pid) is not None


def test_remains_of_a_process_are_not_alive(sleeper):
    known = processes.identity(sleeper.pid)
    sleeper.kill()  # and nobody waits for it: a zombie
    until(lambda: not processes.alive(sleeper.pid, known))


def test_end_spares_a_process_that_only_has_the_same_number(sleeper):
    processes.end(sleeper.pid, "another time")
    assert sleeper.poll() is None
    processes.end(sleeper.pid, processes.identity(sleeper.pid))
    assert sleeper.wait(10) != 0
    processes.end(sleeper.pid, processes.identity(sleeper.pid))  # gone already: nothing happens


@pytest.mark.skipif(sys.platform == "win32" or not shutil.which("ps"), reason="needs ps")
def test_where_there_is_no_proc_ps_says_the_same(sleeper):
    known = processes._posix(sleeper.pid)
    assert known and known == processes._posix(sleeper.pid)
    sleeper.kill()
    until(lambda: processes._posix(sleeper.pid) is None)
    sleeper.wait()
    assert processes._posix(sleeper.pid) is None


@pytest.mark.skipif(sys.platform != "linux", reason="macOS gives a peak, Windows nothing")
def test_memory_of_process_and_machine():
    assert 1e6 < processes.resident() < processes.machine_memory()


@pytest.mark.skipif(sys.platform != "linux", reason="Linux counts whom it ends for want of memory")
def test_count_of_processes_ended_for_memory_is_a_number_or_unknown():
    count = processes.ended_for_memory()
    assert count is None or count >= 0
