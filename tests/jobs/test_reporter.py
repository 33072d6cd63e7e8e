"""Reporter: the job's side of a run folder."""

import errno
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.jobs.programs import failure_of, submit, until
from viz_core.jobs import processes, runs
from viz_core.jobs import reporter as reporter_module
from viz_core.jobs.local import handle_here
from viz_core.jobs.reporter import Reporter
from viz_core.jobs.state import METRICS, STATUS, read_status, write_status
from viz_core.jobs.stop_requests import OVERTIME, request_stop
from viz_core.records import Failure, Message
from viz_core.variables import RUN_ATTEMPT

pytestmark = pytest.mark.usefixtures("worker")


@pytest.fixture
def run(root, monkeypatch):
    """A queued run; its reporter writes more often than usual."""
    monkeypatch.setattr(reporter_module, "_WRITE_INTERVAL", 0.05)
    monkeypatch.setattr(reporter_module, "_HEARTBEAT_INTERVAL", 0.2)
    return submit()


def state(run) -> str:
    return read_status(run.path).state


def test_status_follows_the_job(run):
    with Reporter(run.path) as reporter:
        assert state(run) == "running" and runs.read(run.id).is_live
        reporter.mark_running("cuda:0", 100)
        reporter.update(3, eta=9.5, last={"loss": 0.7}, best={"accuracy": 0.6})
        reporter.update(4, eta=9.0)
        now = until(lambda: (status := runs.read(run.id).status).step == 4 and status)
        assert (now.device, now.total, now.eta) == ("cuda:0", 100, 9.0)
        assert (now.last, now.best) == ({"loss": 0.7}, {"accuracy": 0.6})
        before = now.heartbeat
        until(lambda: runs.read(run.id).status.heartbeat > before)  # the heartbeat goes on without progress
        reporter.update(100, last={"loss": 0.1})
        reporter.mark_finished()
    now = runs.read(run.id).status
    assert (now.state, now.step, now.eta, now.last, now.message) == ("finished", 100, None, {"loss": 0.1}, None)
    assert now.started <= now.ended


def test_stop_request_is_visible_to_the_job_and_its_readers(run):
    with Reporter(run.path) as reporter:
        assert not reporter.stop_requested()
        assert runs.stop(run.id).status.state == "stopping"
        assert reporter.stop_requested()
        until(lambda: state(run) == "stopping")
        reporter.mark_stopped()
    assert (state(run), runs.read(run.id).status.message) == ("stopped", None)


def test_run_stopped_for_its_time_limit_says_so(run):
    with Reporter(run.path) as reporter:
        request_stop(run.path, OVERTIME)
        reporter.mark_stopped()
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


def test_recorded_end_is_not_overwritten(run):
    with pytest.raises(ZeroDivisionError), Reporter(run.path) as reporter:
        reporter.mark_finished(Message("jobs.state_finished"))
        raise ZeroDivisionError
    assert (state(run), runs.read(run.id).status.message) == ("finished", Message("jobs.state_finished"))


def test_metrics_are_appended_after_an_incomplete_line(run):
    (run.path / METRICS).write_text('{"step": 1}\n{"st')
    with Reporter(run.path) as reporter:
        reporter.append_metrics({"step": 2, "loss": float("inf")})
        reporter.append_metrics({"step": 3})
        reporter.mark_stopped()
    assert runs.read_metrics(run)[0] == [{"step": 1}, {"step": 2, "loss": None}, {"step": 3}]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_metrics_on_a_full_disk_end_the_job_with_the_reason(run):
    (run.path / METRICS).symlink_to("/dev/full")
    with pytest.raises(Failure, match="jobs.disk_full"), Reporter(run.path) as reporter:
        reporter.append_metrics({"step": 1})
    assert (state(run), runs.read(run.id).status.message.key) == ("failed", "jobs.disk_full")


def raise_disk_full(*_):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_status_on_a_full_disk_ends_the_job_with_the_reason(run, monkeypatch):
    with pytest.raises(Failure, match="jobs.disk_full"), Reporter(run.path) as reporter:
        with monkeypatch.context() as patched:
            patched.setattr(reporter_module, "write_status", raise_disk_full)
            until(lambda: reporter._write_error)
            assert state(run) == "running"  # as it was
        reporter.update(1)  # there is space again, perhaps only for the status
    assert (state(run), runs.read(run.id).status.message.key) == ("failed", "jobs.disk_full")


def test_final_status_that_cannot_be_written_raises_and_is_left_to_the_worker(run, monkeypatch):
    monkeypatch.setattr(reporter_module, "_FINAL_SECONDS", 0.2)
    with pytest.raises(Failure) as failure, Reporter(run.path) as reporter:
        monkeypatch.setattr(reporter_module, "write_status", raise_disk_full)
        reporter.mark_finished()
    assert failure.value.message == Message("jobs.disk_full", {"folder": str(run.path)})
    assert state(run) == "running"


def test_final_status_is_written_once_there_is_space_again(run, monkeypatch):
    failures = 2

    def write_when_there_is_space(*arguments):
        nonlocal failures
        if failures:
            failures -= 1
            raise_disk_full()
        write_status(*arguments)

    with Reporter(run.path) as reporter:
        reporter._stop_heartbeat()
        monkeypatch.setattr(reporter_module, "write_status", write_when_there_is_space)
        reporter.mark_finished()
    assert (state(run), failures) == ("finished", 0)


def test_removed_folder_ends_the_job(run):
    with pytest.raises(FileNotFoundError), Reporter(run.path) as reporter:
        run.path.rename(run.path.with_name("elsewhere"))
        until(lambda: reporter._write_error)
        reporter.update(1)


@pytest.mark.process
def test_run_is_never_taken_by_two_processes(run, monkeypatch):
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]) as other:
        write_status(
            run.path,
            replace(
                read_status(run.path),
                state="running",
                handle={**handle_here(None), "pid": other.pid, "process": processes.identity(other.pid)},
                heartbeat=time.time(),
            ),
        )
        assert failure_of(lambda: Reporter(run.path)).key == "jobs.taken"
        other.kill()
    monkeypatch.setenv(RUN_ATTEMPT, "1")  # started by a worker that died before writing the handle
    with Reporter(run.path) as reporter:
        handle = read_status(run.path).handle
        assert (handle["pid"], handle["process"]) == (os.getpid(), processes.identity(os.getpid()))
        reporter.mark_stopped()
    runs.resume(run.id)
    assert failure_of(lambda: Reporter(run.path)).key == "jobs.taken"  # of the first attempt, while there is a second
    assert state(run) == "queued"


def test_a_process_whose_run_was_resumed_elsewhere_writes_no_more_and_ends(run):
    with pytest.raises(Failure) as failure, Reporter(run.path) as reporter:
        reporter.update(1)
        write_status(run.path, replace(read_status(run.path), state="queued", attempt=2))
        until(lambda: reporter._is_superseded)
        reporter.update(2)
    assert failure.value.message.key == "jobs.taken"
    assert (state(run), read_status(run.path).attempt, read_status(run.path).message) == ("queued", 2, None)


def test_a_process_that_begins_after_its_run_was_stopped_does_nothing(run, monkeypatch):
    monkeypatch.setenv(RUN_ATTEMPT, "1")
    runs.stop(run.id)
    assert failure_of(lambda: Reporter(run.path)).key == "jobs.taken"
    assert state(run) == "stopped"


def test_damaged_status_is_written_anew(run):
    (run.path / STATUS).write_text("{")
    with Reporter(run.path) as reporter:
        assert state(run) == "running"
        reporter.mark_finished()
    assert state(run) == "finished"
