"""The job's side of a run folder."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.jobs.programs import failure_of, submit, until
from viz_core.jobs import processes, reporter, runs
from viz_core.jobs.reporter import Reporter
from viz_core.jobs.state import ATTEMPT, METRICS, STATUS, read_status, write_status
from viz_core.records import Failure, Message

pytestmark = pytest.mark.usefixtures("worker")


@pytest.fixture
def run(root, monkeypatch):
    """A run that waits; whoever reports of it does so more often than usual."""
    monkeypatch.setattr(reporter, "_OFTEN", 0.05)
    monkeypatch.setattr(reporter, "_BEAT", 0.2)
    return submit()


def state(run) -> str:
    return read_status(run.path).state


def test_status_follows_the_job(run):
    with Reporter(run.path) as report:
        assert state(run) == "running" and runs.read(run.id).live
        report.running("cuda:0", 100)
        report.progress(3, eta=9.5, last={"loss": 0.7}, best={"accuracy": 0.6})
        report.progress(4, eta=9.0)
        now = until(lambda: (found := runs.read(run.id).status).step == 4 and found)
        assert (now.device, now.total, now.eta) == ("cuda:0", 100, 9.0)
        assert (now.last, now.best) == ({"loss": 0.7}, {"accuracy": 0.6})
        before = now.heartbeat
        until(lambda: runs.read(run.id).status.heartbeat > before)  # it lives, though it has nothing to say
        report.progress(100, last={"loss": 0.1})
        report.finished()
    now = runs.read(run.id).status
    assert (now.state, now.step, now.eta, now.last, now.message) == ("finished", 100, None, {"loss": 0.1}, None)
    assert now.started <= now.ended


def test_stop_is_seen_by_the_job_and_by_everybody(run):
    with Reporter(run.path) as report:
        assert not report.stop_requested()
        assert runs.stop(run.id).status.state == "stopping"
        assert report.stop_requested()
        until(lambda: state(run) == "stopping")
        report.stopped()
    assert (state(run), runs.read(run.id).status.message) == ("stopped", None)


def test_run_stopped_after_its_time_says_so(run):
    with Reporter(run.path) as report:
        report._status = replace(report._status, started=time.time() - 61 * 60)
        report.stopped()
    assert runs.read(run.id).status.message == Message("jobs.too_long", {"minutes": "60"})


@pytest.mark.parametrize(
    "error, key",
    [
        (Failure("tasks.unknown", name="x", known=[]), "tasks.unknown"),
        (MemoryError(), "jobs.out_of_memory"),
        (OSError(errno.ENOSPC, "full"), "jobs.disk_full"),
        (ZeroDivisionError("zero"), "jobs.error"),
    ],
)
def test_error_that_ends_the_job_is_its_reason(run, error, key):
    with pytest.raises(type(error)), Reporter(run.path):
        raise error
    assert (state(run), runs.read(run.id).status.message.key) == ("failed", key)


def test_last_word_stands(run):
    with pytest.raises(ZeroDivisionError), Reporter(run.path) as report:
        report.finished(Message("jobs.state_finished"))
        raise ZeroDivisionError
    assert (state(run), runs.read(run.id).status.message) == ("finished", Message("jobs.state_finished"))


def test_metrics_are_appended_behind_a_line_that_was_never_finished(run):
    (run.path / METRICS).write_text('{"step": 1}\n{"st')
    with Reporter(run.path) as report:
        report.append_metrics({"step": 2, "loss": float("inf")})
        report.append_metrics({"step": 3})
        report.stopped()
    assert runs.metrics(run)[0] == [{"step": 1}, {"step": 2, "loss": None}, {"step": 3}]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_metrics_on_a_full_disk_end_the_job_with_the_reason(run):
    (run.path / METRICS).symlink_to("/dev/full")
    with pytest.raises(Failure, match="jobs.disk_full"), Reporter(run.path) as report:
        report.append_metrics({"step": 1})
    assert (state(run), runs.read(run.id).status.message.key) == ("failed", "jobs.disk_full")


def full(*_):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_status_on_a_full_disk_ends_the_job_with_the_reason(run, monkeypatch):
    with pytest.raises(Failure, match="jobs.disk_full"), Reporter(run.path) as report:
        with monkeypatch.context() as patched:
            patched.setattr(reporter, "write_status", full)
            until(lambda: report._trouble)
            assert state(run) == "running"  # as it was
        report.progress(1)  # there is room again, perhaps only for a word
    assert (state(run), runs.read(run.id).status.message.key) == ("failed", "jobs.disk_full")


def test_no_room_even_for_the_last_word_is_an_error_that_the_worker_sees(run, monkeypatch):
    monkeypatch.setattr(reporter, "_LAST_WORDS", 0.2)
    with pytest.raises(Failure, match="jobs.disk_full"), Reporter(run.path) as report:
        monkeypatch.setattr(reporter, "write_status", full)
        report.finished()
    assert state(run) == "running"


def test_removed_folder_ends_the_job(run):
    with pytest.raises(FileNotFoundError), Reporter(run.path) as report:
        run.path.rename(run.path.with_name("elsewhere"))
        until(lambda: report._trouble)
        report.progress(1)


@pytest.mark.process
def test_two_processes_are_never_at_one_run(run, monkeypatch):
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]) as other:
        write_status(
            run.path,
            replace(
                read_status(run.path),
                state="running",
                pid=other.pid,
                process=processes.identity(other.pid),
                heartbeat=time.time(),
            ),
        )
        assert failure_of(lambda: Reporter(run.path)).key == "jobs.taken"
        other.kill()
    monkeypatch.setenv(ATTEMPT, "1")  # started by a worker that died before it could write down whom it started
    with Reporter(run.path) as report:
        assert read_status(run.path).pid == os.getpid()
        report.stopped()
    runs.resume(run.id)
    assert failure_of(lambda: Reporter(run.path)).key == "jobs.taken"  # of the first attempt, and there is a second
    assert state(run) == "queued"


def test_damaged_status_is_written_anew(run):
    (run.path / STATUS).write_text("{")
    with Reporter(run.path) as report:
        assert state(run) == "running"
        report.finished()
    assert state(run) == "finished"
