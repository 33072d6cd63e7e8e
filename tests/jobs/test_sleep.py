"""A machine that sleeps, and a clock that is set: neither ends a run, and neither keeps one alive."""

import os
import signal
import sys
import time
from dataclasses import replace

import pytest

from tests.jobs.programs import BARE_JOB, REPORTING_JOB, submit, until
from viz_core.jobs import runs
from viz_core.jobs.limits import Limits
from viz_core.jobs.state import read_status, write_status

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signal that stops a process"),
]
HOUR = 3600.0


@pytest.fixture
def clock(monkeypatch):
    """Sets the clock of this process, the worker; the job has the real one."""
    real, difference = time.time, [0.0]
    monkeypatch.setattr(time, "time", lambda: real() + difference[0])
    return lambda seconds: difference.__setitem__(0, seconds)


@pytest.mark.parametrize("difference", [2 * HOUR, -2 * HOUR], ids=["forward", "back"])
def test_a_run_outlives_a_clock_that_is_set_and_can_still_be_stopped(worker, clock, difference):
    run = submit(REPORTING_JOB, limits=Limits(longest_minutes=60, least_free_bytes=0, stop_seconds=60))
    until(lambda: (worker.poll(), runs.read(run.id).status.step > 0)[1])
    clock(difference)
    step = read_status(run.path).step
    until(lambda: (worker.poll(), runs.read(run.id).status.step > step + 5)[1])
    assert runs.read(run.id).status.state == "running"
    runs.stop(run.id)
    until(lambda: (worker.poll(), runs.read(run.id).is_over)[1])
    assert (runs.read(run.id).status.state, runs.read(run.id).status.message) == ("stopped", None)


@pytest.mark.parametrize("difference", [2 * HOUR, -2 * HOUR], ids=["forward", "back"])
def test_limits_hold_on_whatever_the_clock_shows(worker, clock, difference):
    run = submit(BARE_JOB, limits=Limits(longest_minutes=0.01, least_free_bytes=0, stop_seconds=0.2))
    worker.poll()
    clock(difference)
    until(lambda: (worker.poll(), runs.read(run.id).is_over)[1])
    assert runs.read(run.id).status.message.key == "jobs.too_long"


def test_seconds_of_sleep_do_not_count_towards_the_limit(worker, monkeypatch):
    """The start is two hours ago, but the process reports that it has run for seconds."""
    run = submit(REPORTING_JOB, limits=Limits(longest_minutes=60, least_free_bytes=0))
    until(lambda: (worker.poll(), runs.read(run.id).status.seconds > 0)[1])
    os.kill(pid := read_status(run.path).handle["pid"], signal.SIGSTOP)
    write_status(run.path, replace(read_status(run.path), started=time.time() - 2 * HOUR))
    for _ in range(3):
        worker.poll()
    assert runs.read(run.id).status.state == "running"
    os.kill(pid, signal.SIGCONT)


def test_a_run_that_was_stopped_with_its_whole_machine_goes_on(worker, monkeypatch):
    """While it sleeps its heartbeat grows old; it is not taken for dead, because its process is still there."""
    monkeypatch.setattr("viz_core.jobs.executors.STALE", 0.3)
    run = submit(REPORTING_JOB)
    until(lambda: (worker.poll(), runs.read(run.id).status.step > 0)[1])
    pid = read_status(run.path).handle["pid"]
    os.kill(pid, signal.SIGSTOP)
    until(lambda: time.time() - read_status(run.path).heartbeat > 1)
    worker.poll()
    assert runs.read(run.id).status.state == "running"
    step = read_status(run.path).step
    os.kill(pid, signal.SIGCONT)
    until(lambda: runs.read(run.id).status.step > step)
    (run.path / "go").touch()
    until(lambda: (worker.poll(), runs.read(run.id).is_over)[1])
    assert (runs.read(run.id).status.state, runs.read(run.id).status.attempt) == ("finished", 1)
