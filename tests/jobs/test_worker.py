"""The worker, round by round: order, devices, failures, limits."""

import errno
import json
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from tests.jobs.programs import BARE_JOB, REPORTING_JOB, job_with_reporter, sentence, submit, until
from viz_core.jobs import executors, runs
from viz_core.jobs.limits import Limits
from viz_core.jobs.request import REQUEST
from viz_core.jobs.state import LOG, STATUS, read_status, write_status
from viz_core.jobs.stop_requests import STOP
from viz_core.jobs.worker import Worker, pause, run_worker

pytestmark = pytest.mark.process

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals")


def states(*all_runs) -> list[str]:
    return [runs.read(run.id).status.state for run in all_runs]


def work_until(worker, condition):
    return until(lambda: (worker.poll(), condition())[1])


def wait_for_end(worker, run):
    """Polls until the run is over and its process gone; returns the run."""
    return work_until(worker, lambda: (now := runs.read(run.id)).is_over and run.id not in worker.started and now)


def kill_process(worker, run) -> None:
    """Kills the process of a run and waits for its end, as if somebody else had."""
    worker.executor.stop(worker.started[run.id].handle)
    until(lambda: worker.executor.poll(worker.started[run.id].handle))


def let_finish(run) -> None:
    (run.path / "go").touch()


def test_only_the_started_process_goes_after_pages(worker, monkeypatch):
    lowered = []
    monkeypatch.setattr("viz_core.jobs.processes.lower_priority", lowered.append)
    run = submit(BARE_JOB)
    worker.poll()
    assert lowered == [worker.started[run.id].handle["pid"]]


def test_runs_start_in_order_and_one_at_a_time_per_device(worker):
    first, second, third = (submit(BARE_JOB) for _ in range(3))
    other, same = submit(BARE_JOB, device="cuda"), submit(BARE_JOB, device="cuda:0")
    assert worker.poll()
    assert states(first, second, third, other, same) == ["running", "queued", "queued", "running", "queued"]
    assert read_status(first.path).handle == worker.started[first.id].handle
    assert [runs.position(run.id) for run in (first, second, third, other, same)] == [0, 1, 2, 0, 1]
    let_finish(first)
    wait_for_end(worker, first)
    worker.poll()
    assert states(second, third, other, same) == ["running", "queued", "running", "queued"]
    runs.stop(third.id)
    for run in (second, other, same):
        let_finish(run)
        wait_for_end(worker, run)
    assert states(third) == ["stopped"] and not (third.path / LOG).exists()
    assert not worker.poll()


@posix
def test_pages_go_before_runs(worker):
    run = submit(
        "import psutil, time\nwhile (nice := psutil.Process().nice()) < 10: time.sleep(0.01)\nprint('niceness', nice)"
    )
    wait_for_end(worker, run)
    name, niceness = (run.path / LOG).read_text().split()[-2:]
    assert (name, int(niceness)) == ("niceness", max(psutil.Process().nice(), 10))


def test_resumed_run_queues_again_and_knows_its_attempt(worker):
    first = submit(job_with_reporter("import os", "print(os.environ['VIZ_RUN_ATTEMPT'])", "assert False"))
    assert wait_for_end(worker, first).status.message.key == "jobs.error"
    second = submit(BARE_JOB)
    runs.resume(first.id)
    worker.poll()
    assert states(first, second) == ["queued", "running"]
    let_finish(second)
    wait_for_end(worker, second)
    assert wait_for_end(worker, first).status.attempt == 2
    log = (first.path / LOG).read_text()
    assert [line for line in log.splitlines() if line in "12"] == ["1", "2"]
    assert log.count("AssertionError") == 2


@pytest.mark.parametrize(
    "program, key",
    [
        ("pass", "jobs.no_result"),
        ("raise MemoryError", "jobs.out_of_memory"),
        ("raise SystemExit(3)", "jobs.crashed"),
        pytest.param("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "jobs.killed", marks=posix),
        pytest.param("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "jobs.signal", marks=posix),
    ],
)
def test_process_that_ends_without_a_status_fails_with_a_reason(worker, program, key):
    run = wait_for_end(worker, submit(program))
    assert (run.status.state, run.status.message.key) == ("failed", key)
    assert sentence(run.status.message)


def test_killed_run_fails_at_once_and_the_next_starts(worker):
    first, second = submit(REPORTING_JOB), submit(BARE_JOB)
    work_until(worker, lambda: runs.read(first.id).status.step > 0)
    kill_process(worker, first)
    now = work_until(worker, lambda: (now := runs.read(first.id)).is_over and now.status)
    assert (now.state, now.best) == ("failed", {"accuracy": 0.5})
    assert states(second) == ["running"]


def test_running_run_stops_when_asked(worker):
    run = submit(REPORTING_JOB)
    work_until(worker, lambda: runs.read(run.id).status.step > 0)
    runs.stop(run.id)
    now = wait_for_end(worker, run).status
    assert (now.state, now.message, now.best) == ("stopped", None, {"accuracy": 0.5})


def test_run_that_does_not_stop_is_killed(worker):
    run = submit(BARE_JOB, limits=Limits(stop_seconds=0.2, least_free_bytes=0))
    worker.poll()
    runs.stop(run.id)
    now = wait_for_end(worker, run).status
    assert (now.state, now.message.key) == ("stopped", "jobs.stopped_late")


def test_run_whose_handle_is_unknown_is_killed_all_the_same(worker):
    run = submit(BARE_JOB, limits=Limits(stop_seconds=0.2, least_free_bytes=0))
    worker.poll()
    write_status(run.path, replace(read_status(run.path), handle=None))
    runs.stop(run.id)
    assert wait_for_end(worker, run).status.message.key == "jobs.stopped_late"


@posix
def test_log_of_a_killed_process_is_complete(worker, monkeypatch):
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    run = submit("import os, signal; print('loss 0.5'); os.kill(os.getpid(), signal.SIGKILL)")
    wait_for_end(worker, run)
    assert "loss 0.5\n" in (run.path / LOG).read_text()


@pytest.mark.parametrize("program", [REPORTING_JOB, BARE_JOB], ids=["stops", "does not stop"])
def test_run_that_takes_too_long_is_stopped(worker, program):
    stop_seconds = 0.2 if program == BARE_JOB else 30
    run = submit(program, limits=Limits(longest_minutes=0.01, least_free_bytes=0, stop_seconds=stop_seconds))
    now = wait_for_end(worker, run).status
    assert (now.state, now.message.key) == ("stopped", "jobs.too_long")
    assert "0.01 minutes" in sentence(now.message)


def test_process_that_hangs_after_its_final_status_does_not_keep_the_device(worker):
    hangs = job_with_reporter("report.mark_finished()", "import time", "time.sleep(600)")
    first, second = submit(hangs, limits=Limits(stop_seconds=0.2, least_free_bytes=0)), submit(BARE_JOB)
    assert wait_for_end(worker, first).status.state == "finished"
    worker.poll()
    assert states(second) == ["running"]


def test_run_fails_at_its_start_without_free_space(worker):
    run = submit(BARE_JOB)
    request = json.loads((run.path / REQUEST).read_text())
    request["limits"]["least_free_bytes"] = 10**18
    (run.path / REQUEST).write_text(json.dumps(request))
    assert wait_for_end(worker, run).status.message.key == "jobs.no_room"


def test_program_that_cannot_be_started_fails_its_run_only(worker):
    run, other = submit("\0"), submit(BARE_JOB)
    now = wait_for_end(worker, run).status
    assert (now.state, now.message.key, now.ended) == ("failed", "jobs.not_started", now.started)
    assert states(other) == ["running"]


def test_job_sees_the_folders_of_its_submitter(worker, root, monkeypatch, tmp_path):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("VIZ_DATA_DIR", "somewhere")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3")
    run = submit(
        job_with_reporter(
            "import os, pathlib",
            "path = pathlib.Path(os.environ['VIZ_DATA_DIR']).absolute()",
            "report.update(1, last={'path': str(path), 'runs': os.environ['VIZ_RUNS_DIR'],",
            "    'cache': os.environ.get('VIZ_CHECKPOINTS_DIR'), 'gpus': os.environ['CUDA_VISIBLE_DEVICES']})",
            "report.mark_finished()",
        )
    )
    monkeypatch.setenv("VIZ_DATA_DIR", "elsewhere")  # in the worker's environment
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", "elsewhere")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    assert wait_for_end(worker, run).status.last == {
        "path": str(tmp_path / "here" / "somewhere"),
        "runs": str(root.resolve()),
        "cache": None,
        "gpus": "3",
    }


def test_next_worker_takes_over_live_runs(worker, root, monkeypatch):
    monkeypatch.setattr(executors, "STALE", 1.5)
    first, second = submit(REPORTING_JOB, limits=Limits(stop_seconds=0.2, least_free_bytes=0)), submit(BARE_JOB)
    work_until(worker, lambda: runs.read(first.id).status.step > 0)
    next_worker = Worker(root)  # knows only the folders
    next_worker.poll()
    # The job's own description of its device does not change its queue.
    assert runs.read(first.id).status.device == "cpu, 8 threads"
    assert states(first, second) == ["running", "queued"] and not next_worker.started
    kill_process(worker, first)
    now = work_until(next_worker, lambda: (now := runs.read(first.id)).is_over and now.status)
    assert (now.state, now.message.key) == ("failed", "jobs.killed")
    let_finish(second)
    wait_for_end(next_worker, second)


def test_next_worker_kills_a_run_that_does_not_stop(worker, root, monkeypatch):
    monkeypatch.setattr(executors, "STALE", 0.5)
    deaf = job_with_reporter("import time", "report.update(1)", "time.sleep(600)")
    run = submit(deaf, limits=Limits(stop_seconds=0.7, least_free_bytes=0))
    work_until(worker, lambda: runs.read(run.id).status.step > 0)
    handle = worker.started.pop(run.id).handle
    runs.stop(run.id)
    until(lambda: (worker.poll(), worker.executor.poll(handle))[1])
    now = work_until(worker, lambda: (now := runs.read(run.id)).is_over and now.status)
    assert (now.state, now.message.key) == ("stopped", "jobs.stopped_late")


def test_damaged_status_is_replaced_when_the_process_ends(worker):
    run = submit(BARE_JOB)
    worker.poll()
    (run.path / STATUS).write_text("{")
    assert runs.read(run.id).status.message.key == "jobs.unreadable"
    let_finish(run)
    assert wait_for_end(worker, run).status.message.key == "jobs.no_result"


def test_end_that_cannot_be_recorded_is_recorded_later(worker, monkeypatch):
    run = submit(BARE_JOB)
    worker.poll()
    kill_process(worker, run)

    def raise_disk_full(*_):
        raise OSError(errno.ENOSPC, "")

    with monkeypatch.context() as patched:
        patched.setattr("viz_core.jobs.end_reasons.write_status", raise_disk_full)
        worker.poll()
        assert run.id in worker.started and read_status(run.path).state == "running"
    worker.poll()
    assert runs.read(run.id).status.state == "failed" and not worker.started


def test_deleted_run_frees_its_device(worker):
    first, second = submit(BARE_JOB), submit(BARE_JOB)
    worker.poll()
    write_status(first.path, replace(read_status(first.path), state="finished"))  # its process hangs
    runs.delete(first.id)
    work_until(worker, lambda: states(second) == ["running"])


def test_worker_removes_leftover_folders_and_ends_when_idle(root):
    for name in (".new-1", ".trash-2"):
        (root / name).mkdir()
        (root / name / STOP).touch()
    (root / ".trash-3").touch()  # cannot be removed as a folder: the worker goes on
    run_worker(root, idle=0)
    assert not [path for path in root.iterdir() if path.is_dir()]
    run_worker(root.with_name("fresh"), idle=0.1)


def test_second_worker_ends_at_once(root):
    command = [sys.executable, "-m", "viz_core.jobs.worker"]
    with subprocess.Popen(command, cwd=Path(__file__).parents[2]) as first:
        until(lambda: (root / ".worker.pid").exists() and (root / ".worker.pid").read_text() == str(first.pid))
        assert subprocess.run(command, cwd=Path(__file__).parents[2], timeout=60, check=False).returncode == 0
        assert first.poll() is None
        first.send_signal(signal.SIGTERM)


@pytest.mark.parametrize(("seconds", "rest"), [(0.0, 0.2), (0.003, 0.2), (0.03, 2.0), (0.06, 4.0), (1.0, 5.0)])
def test_a_worker_rests_longer_the_more_runs_it_has_to_read(seconds, rest):
    """So that its rounds take 1.5 % of a core, but nobody waits for more than five seconds."""
    assert pause(seconds) == pytest.approx(rest)
