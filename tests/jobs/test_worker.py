"""The worker, round by round: order, devices, reasons, limits."""

from __future__ import annotations

import errno
import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.jobs.programs import PATIENT, QUICK, reporting, submit, until
from tests.jobs.programs import spoken as said
from viz_core.jobs import runs, state
from viz_core.jobs.limits import Limits
from viz_core.jobs.request import REQUEST
from viz_core.jobs.state import LOG, STATUS, STOP, read_status, write_status
from viz_core.jobs.worker import Worker, work

pytestmark = pytest.mark.process

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals")


def states(*all_runs) -> list[str]:
    return [runs.read(run.id).status.state for run in all_runs]


def work_until(worker, condition):
    return until(lambda: (worker.look(), condition())[1])


def ended(worker, run):
    """The run, once the worker knows that it is over and that its process is gone."""
    return work_until(worker, lambda: (now := runs.read(run.id)).over and run.id not in worker.children and now)


def go(run) -> None:
    (run.path / "go").touch()


def test_one_at_a_time_in_order_on_each_device(worker):
    first, second, third = (submit(QUICK) for _ in range(3))
    other, same = submit(QUICK, device="cuda"), submit(QUICK, device="cuda:0")
    assert worker.look()
    assert states(first, second, third, other, same) == ["running", "queued", "queued", "running", "queued"]
    assert [runs.position(run.id) for run in (first, second, third, other, same)] == [0, 1, 2, 0, 1]
    go(first)
    ended(worker, first)
    worker.look()
    assert states(second, third, other, same) == ["running", "queued", "running", "queued"]
    runs.stop(third.id)
    for run in (second, other, same):
        go(run)
        ended(worker, run)
    assert states(third) == ["stopped"] and not (third.path / LOG).exists()
    assert not worker.look()


def test_resumed_run_goes_behind_the_others_and_knows_its_attempt(worker):
    first = submit(reporting("import os", "print(os.environ['VIZ_RUN_ATTEMPT'])", "assert False"))
    assert ended(worker, first).status.message.key == "jobs.error"
    second = submit(QUICK)
    runs.resume(first.id)
    worker.look()
    assert states(first, second) == ["queued", "running"]
    go(second)
    ended(worker, second)
    assert ended(worker, first).status.attempt == 2
    log = (first.path / LOG).read_text()
    assert [line for line in log.splitlines() if line in "12"] == ["1", "2"]
    assert log.count("AssertionError") == 2


@pytest.mark.parametrize(
    "program, key",
    [
        ("pass", "jobs.no_result"),
        ("raise MemoryError", "jobs.out_of_memory"),
        ("raise SystemExit(3)", "jobs.crashed"),
        (
            "from viz_core.records import Failure; raise Failure('tasks.unknown', name='x', known=['imdb'])",
            "tasks.unknown",
        ),
        pytest.param("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "jobs.killed", marks=posix),
        pytest.param("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "jobs.signal", marks=posix),
    ],
)
def test_process_that_ends_without_a_word_is_failed_with_its_reason(worker, program, key):
    run = ended(worker, submit(program))
    assert (run.status.state, run.status.message.key) == ("failed", key)
    assert said(run.status.message)


def test_killed_run_is_failed_at_once_and_the_next_one_starts(worker):
    first, second = submit(PATIENT), submit(QUICK)
    work_until(worker, lambda: runs.read(first.id).status.step > 0)
    worker.children[first.id].process.kill()
    now = work_until(worker, lambda: (now := runs.read(first.id)).over and now.status)
    assert (now.state, now.best) == ("failed", {"accuracy": 0.5})
    assert time.time() - now.heartbeat < 5  # the last one of the process
    assert states(second) == ["running"]


def test_running_run_stops_when_asked(worker):
    run = submit(PATIENT)
    work_until(worker, lambda: runs.read(run.id).status.step > 0)
    assert runs.stop(run.id).status.state == "stopping"
    now = ended(worker, run).status
    assert (now.state, now.message, now.best) == ("stopped", None, {"accuracy": 0.5})


def test_run_that_does_not_stop_is_ended(worker):
    run = submit(QUICK, limit=Limits(stop_seconds=0.2, least_free_bytes=0))
    worker.look()
    runs.stop(run.id)
    now = ended(worker, run).status
    assert (now.state, now.message.key) == ("stopped", "jobs.stopped_late")


@pytest.mark.parametrize("program", [PATIENT, QUICK], ids=["stops", "does not stop"])
def test_run_that_takes_too_long_is_stopped(worker, program):
    patience = 0.2 if program == QUICK else 30
    run = submit(program, limit=Limits(longest_minutes=0.01, least_free_bytes=0, stop_seconds=patience))
    now = ended(worker, run).status
    assert (now.state, now.message.key) == ("stopped", "jobs.too_long")
    assert "0.01 minutes" in said(now.message)


def test_process_that_hangs_after_its_last_word_does_not_keep_the_device(worker):
    hangs = reporting("report.finished()", "import time", "time.sleep(600)")
    first, second = submit(hangs, limit=Limits(stop_seconds=0.2, least_free_bytes=0)), submit(QUICK)
    assert ended(worker, first).status.state == "finished"
    worker.look()
    assert states(second) == ["running"]


def test_disk_without_room_fails_the_run_whose_turn_it_is(worker):
    run = submit(QUICK)
    request = json.loads((run.path / REQUEST).read_text())
    request["limits"]["least_free_bytes"] = 10**18
    (run.path / REQUEST).write_text(json.dumps(request))
    assert ended(worker, run).status.message.key == "jobs.no_room"


def test_program_that_cannot_be_started(worker):
    run, other = submit("\0"), submit(QUICK)
    assert ended(worker, run).status.message.key == "jobs.not_started"
    assert states(other) == ["running"]


def test_job_sees_the_folders_of_who_asked_for_it(worker, root, monkeypatch, tmp_path):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("VIZ_DATA_DIR", "somewhere")
    run = submit(
        reporting(
            "import os, pathlib",
            "path = pathlib.Path(os.environ['VIZ_DATA_DIR']).absolute()",
            "report.progress(1, last={'path': str(path), 'runs': os.environ['VIZ_RUNS_DIR'],",
            "    'cache': os.environ.get('VIZ_CHECKPOINTS_DIR')})",
            "report.finished()",
        )
    )
    monkeypatch.setenv("VIZ_DATA_DIR", "elsewhere")  # of the worker's
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", "elsewhere")
    assert ended(worker, run).status.last == {
        "path": str(tmp_path / "here" / "somewhere"),
        "runs": str(root.resolve()),
        "cache": None,
    }


def test_next_worker_takes_over_what_runs_and_sees_its_end(worker, root, monkeypatch):
    monkeypatch.setattr(state, "STALE", 1.5)
    first, second = submit(PATIENT, limit=Limits(stop_seconds=0.2, least_free_bytes=0)), submit(QUICK)
    work_until(worker, lambda: runs.read(first.id).status.step > 0)
    after = Worker(root)  # knows nothing but the folders
    after.look()
    # Which does not make it another device than the second one's.
    assert runs.read(first.id).status.device == "cpu, 8 threads"
    assert states(first, second) == ["running", "queued"] and not after.children
    worker.children[first.id].process.kill()
    worker.children[first.id].process.wait()
    now = work_until(after, lambda: (now := runs.read(first.id)).over and now.status)
    assert (now.state, now.message.key) == ("failed", "jobs.killed")
    go(second)
    ended(after, second)


def test_next_worker_ends_what_does_not_stop(worker, root, monkeypatch):
    monkeypatch.setattr(state, "STALE", 0.5)
    deaf = reporting("import time", "report.progress(1)", "time.sleep(600)")
    run = submit(deaf, limit=Limits(stop_seconds=0.7, least_free_bytes=0))
    work_until(worker, lambda: runs.read(run.id).status.step > 0)
    process = worker.children.pop(run.id).process
    runs.stop(run.id)
    until(lambda: (worker.look(), process.poll())[1] is not None)
    now = work_until(worker, lambda: (now := runs.read(run.id)).over and now.status)
    assert (now.state, now.message.key) == ("stopped", "jobs.stopped_late")


def test_damaged_status_of_a_run_whose_process_ends_is_mended(worker):
    run = submit(QUICK)
    worker.look()
    (run.path / STATUS).write_text("{")
    assert runs.read(run.id).status.message.key == "jobs.unreadable"
    go(run)
    assert ended(worker, run).status.message.key == "jobs.no_result"


def test_end_that_cannot_be_written_is_written_later(worker, monkeypatch):
    run = submit(QUICK)
    worker.look()
    worker.children[run.id].process.kill()
    worker.children[run.id].process.wait()

    def full(*_):
        raise OSError(errno.ENOSPC, "")

    with monkeypatch.context() as patched:
        patched.setattr("viz_core.jobs.endings.write_status", full)
        worker.look()
        assert run.id in worker.children and read_status(run.path).state == "running"
    worker.look()
    assert runs.read(run.id).status.state == "failed" and not worker.children


def test_deleted_run_gives_its_device_back(worker):
    first, second = submit(QUICK), submit(QUICK)
    worker.look()
    write_status(first.path, replace(read_status(first.path), state="finished"))  # its last word; then it hangs
    runs.delete(first.id)
    work_until(worker, lambda: states(second) == ["running"])


def test_leftovers_are_swept_and_an_idle_worker_ends(root):
    for name in (".new-1", ".trash-2"):
        (root / name).mkdir()
        (root / name / STOP).touch()
    work(root, idle=0)
    assert not [path for path in root.iterdir() if path.is_dir()]
    work(root.with_name("fresh"), idle=0)


def test_second_worker_leaves_at_once(root):
    command = [sys.executable, "-m", "viz_core.jobs.worker"]
    with subprocess.Popen(command, cwd=Path(__file__).parents[2]) as first:
        until(lambda: (root / ".worker.lock").exists() and (root / ".worker.lock").read_text() == str(first.pid))
        assert subprocess.run(command, cwd=Path(__file__).parents[2], timeout=60, check=False).returncode == 0
        assert first.poll() is None
        first.send_signal(signal.SIGTERM)
