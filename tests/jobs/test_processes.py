"""Processes by number and start time."""

from __future__ import annotations

import os
import subprocess
import sys

import psutil
import pytest

from tests.jobs.programs import until
from viz_core.jobs import processes

pytestmark = pytest.mark.process


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


def test_every_interpreter_says_the_same_of_a_process():
    program = f"from viz_core.jobs.processes import identity; print(identity({os.getpid()}))"
    said = subprocess.run(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=60,
        env={**os.environ, "PYTHONHASHSEED": "7"},
    ).stdout
    assert said.strip() == processes.identity(os.getpid())


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere psutil does not count from boot")
def test_identity_stays_the_same_when_the_clock_is_set(monkeypatch):
    known, created = processes.identity(os.getpid()), psutil.Process().create_time()
    boot = psutil.boot_time()
    monkeypatch.setattr(psutil._psplatform, "boot_time", lambda: boot + 3600)
    assert psutil.Process().create_time() == pytest.approx(created + 3600)
    assert processes.identity(os.getpid()) == known


@pytest.mark.parametrize("pid", [-1, 2**22 + 1, 10**12])
def test_number_that_no_process_has_is_nobodys(pid):
    assert processes.identity(pid) is None and not processes.alive(pid, "x")
    processes.end(pid, "x")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no process groups")
def test_process_is_ended_with_its_group_and_not_with_what_has_left_it():
    program = (
        "import subprocess, sys, time\nwait = [sys.executable, '-c', 'import time; time.sleep(600)']\n"
        "print(*(subprocess.Popen(wait, start_new_session=own).pid for own in (False, True)), flush=True)\n"
        "time.sleep(600)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, **processes.DETACHED
    ) as job:
        within, apart = ((int(pid), processes.identity(int(pid))) for pid in job.stdout.readline().split())
        processes.end(job.pid, processes.identity(job.pid))
        until(lambda: not processes.alive(*within))
    assert processes.alive(*apart)
    processes.end(*apart)
    until(lambda: not processes.alive(*apart))


def test_memory_of_process_and_machine():
    assert 1e6 < processes.resident() < processes.machine_memory()


@pytest.mark.skipif(sys.platform != "linux", reason="Linux counts whom it ends for want of memory")
def test_count_of_oom_kills_is_a_number_or_unknown():
    count = processes.oom_kills()
    assert count is None or count >= 0
