"""Processes, identified by number and start time."""

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


def test_identity_is_stable_and_unique(sleeper):
    mine = processes.identity(os.getpid())
    assert mine == processes.identity(os.getpid())
    assert processes.is_alive(os.getpid(), mine)
    assert not processes.is_alive(os.getpid(), "another time")  # the number was reused
    assert not processes.is_alive(os.getpid(), None)
    assert processes.identity(sleeper.pid) is not None


def test_zombie_is_not_alive(sleeper):
    identity = processes.identity(sleeper.pid)
    sleeper.kill()  # not waited for: a zombie
    until(lambda: not processes.is_alive(sleeper.pid, identity))


def test_kill_spares_a_process_that_reuses_the_number(sleeper):
    processes.kill(sleeper.pid, "another time")
    assert sleeper.poll() is None
    processes.kill(sleeper.pid, processes.identity(sleeper.pid))
    assert sleeper.wait(10) != 0
    processes.kill(sleeper.pid, processes.identity(sleeper.pid))  # already gone: does nothing


def test_every_interpreter_computes_the_same_identity():
    program = f"from viz_core.jobs.processes import identity; print(identity({os.getpid()}))"
    output = subprocess.run(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=60,
        env={**os.environ, "PYTHONHASHSEED": "7"},
    ).stdout
    assert output.strip() == processes.identity(os.getpid())


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere psutil does not count from boot")
def test_identity_does_not_change_with_the_clock(monkeypatch):
    identity, created = processes.identity(os.getpid()), psutil.Process().create_time()
    boot = psutil.boot_time()
    monkeypatch.setattr(psutil._psplatform, "boot_time", lambda: boot + 3600)
    assert psutil.Process().create_time() == pytest.approx(created + 3600)
    assert processes.identity(os.getpid()) == identity


@pytest.mark.parametrize("pid", [-1, 2**22 + 1, 10**12])
def test_unused_number_has_no_identity(pid):
    assert processes.identity(pid) is None and not processes.is_alive(pid, "x")
    processes.kill(pid, "x")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no process groups")
def test_process_is_killed_with_its_group_but_not_with_processes_that_left_it():
    program = (
        "import subprocess, sys, time\nwait = [sys.executable, '-c', 'import time; time.sleep(600)']\n"
        "print(*(subprocess.Popen(wait, start_new_session=own).pid for own in (False, True)), flush=True)\n"
        "time.sleep(600)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, **processes.DETACHED
    ) as job:
        within, apart = ((int(pid), processes.identity(int(pid))) for pid in job.stdout.readline().split())
        processes.kill(job.pid, processes.identity(job.pid))
        until(lambda: not processes.is_alive(*within))
    assert processes.is_alive(*apart)
    processes.kill(*apart)
    until(lambda: not processes.is_alive(*apart))


def test_memory_of_process_and_machine():
    assert 1e6 < processes.resident_memory() < processes.machine_memory()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts them")
def test_count_of_oom_kills_is_a_number_or_unknown():
    count = processes.oom_kills()
    assert count is None or count >= 0
