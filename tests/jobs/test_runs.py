"""The runs folder without a worker: what is asked for, in which order, and what is damaged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from dataclasses import replace

import pytest

from tests.jobs.programs import failure_of, spoken, submit
from viz_core.jobs import runs
from viz_core.jobs.limits import Limits
from viz_core.jobs.request import REQUEST
from viz_core.jobs.runs import Request
from viz_core.jobs.state import LOG, METRICS, STATUS, STOP, Status, read_status, write_status
from viz_core.records import Message

pytestmark = pytest.mark.usefixtures("worker")  # which does nothing here


def seen(run) -> tuple[str, int]:
    now = runs.read(run.id)
    return now.status.state, now.position


def rewrite(run, **changes) -> None:
    write_status(run.path, replace(read_status(run.path), **changes))


def test_submitted_run_waits_with_its_request(root):
    run = submit(settings={"layers": 2}, experiment="depth")
    assert (run.status.state, run.status.device) == ("queued", "cpu")
    assert (run.position, run.name, run.path) == (1, "one", root / run.id)
    asked = run.request
    assert (asked.kind, asked.settings, asked.experiment, asked.owner) == ("test", {"layers": 2}, "depth", "anna")
    assert runs.listing() == [run]
    assert not run.live and not run.over


def test_no_runs_folder_is_no_runs(root, monkeypatch):
    monkeypatch.setenv("VIZ_RUNS_DIR", str(root / "new" / "runs"))
    monkeypatch.setattr(runs, "ensure_worker", lambda _: None)  # the test has the worker's lock of another folder
    assert runs.listing() == []
    assert submit().status.state == "queued"  # and it is made


@pytest.mark.parametrize("command", [None, [], "-m x", ["-m", 3]])
def test_request_without_a_command_is_a_mistake_of_the_caller(root, command):
    with pytest.raises(ValueError, match="list of words"):
        runs.submit(Request("test", command=command))
    assert runs.listing() == []


def test_newest_is_listed_first_and_each_has_its_place_on_its_device():
    first, second, other, third = submit(), submit(), submit(device="cuda"), submit(device="cuda:0")
    assert [run.id for run in runs.listing()] == [third.id, other.id, second.id, first.id]
    assert [run.position for run in runs.listing()] == [2, 1, 2, 1]
    assert [runs.position(run.id) for run in (first, second, other, third)] == [1, 2, 1, 2]
    runs.stop(first.id)
    assert seen(first) == ("stopped", 0) and seen(second) == ("queued", 1)


def test_stop_and_resume_in_the_queue():
    first, second = submit(), submit()
    assert runs.stop(first.id).status.state == "stopped"
    assert runs.stop(first.id).status.state == "stopped"  # the other tab
    resumed = runs.resume(first.id)
    assert (resumed.status.state, resumed.position, resumed.status.attempt) == ("queued", 2, 2)
    assert not (first.path / STOP).exists()
    said = spoken(failure_of(lambda: runs.resume(second.id)))
    assert "“one”" in said and "waiting" in said


def test_resumed_run_keeps_its_files_and_takes_the_environment_of_now(monkeypatch):
    run = submit()
    rewrite(run, state="failed", step=7, total=9, best={"accuracy": 0.7}, message=Message("jobs.killed"))
    (run.path / METRICS).write_text('{"step": 7}\n')
    (run.path / STOP).touch()
    monkeypatch.setenv("VIZ_DATA_DIR", "/data")
    run = runs.resume(run.id)
    assert run.status == Status(
        "queued", step=7, total=9, best={"accuracy": 0.7}, device="cpu", queue="cpu:0", turn=2, attempt=2
    )
    assert run.request.environment["VIZ_DATA_DIR"] == "/data"
    assert runs.metrics(run)[0] == [{"step": 7}]
    assert not (run.path / STOP).exists()


def test_running_run_is_not_deleted_but_one_that_is_over_is(root):
    run = submit()
    rewrite(run, state="running", pid=os.getpid(), heartbeat=time.time())
    assert "still running" in spoken(failure_of(lambda: runs.delete(run.id)))
    assert runs.stop(run.id).status.state == "stopping"
    rewrite(run, state="stopped")
    runs.delete(run.id)
    assert runs.listing() == [] and not any(path.is_dir() for path in root.iterdir())
    assert failure_of(lambda: runs.read(run.id)) == Message("jobs.unknown", {"run": run.id})


@pytest.mark.parametrize("id", ["", ".", "..", "../x", "a/b", ".lock", "nothing"])
@pytest.mark.parametrize("call", [runs.read, runs.stop, runs.resume, runs.delete])
def test_unknown_run_is_named(root, id, call):
    assert failure_of(lambda: call(id)).key == "jobs.unknown"


@pytest.mark.parametrize("file", [REQUEST, STATUS])
@pytest.mark.parametrize(
    "content",
    [
        None,
        b"",
        b"{",
        b"[1]",
        b"{}",
        b"\xff\xfe",
        b'{"state": "flying", "command": 3}',
        b'{"state": "running", "step": "many", "command": []}',
        b"[" * 100_000,
    ],
)
def test_damaged_file_is_a_failed_run_that_names_it_and_the_others_go_on(file, content):
    damaged, whole = submit(), submit()
    (damaged.path / file).unlink() if content is None else (damaged.path / file).write_bytes(content)
    by_id = {run.id: run for run in runs.listing()}
    now = by_id[damaged.id].status
    assert (now.state, now.message.key) == ("failed", "jobs.unreadable")
    assert file in spoken(now.message) and damaged.id in spoken(now.message)
    assert (by_id[whole.id].status.state, by_id[whole.id].position) == ("queued", 1)
    assert runs.read(damaged.id) == by_id[damaged.id]
    if file == STATUS:  # the request says all that is needed
        assert runs.resume(damaged.id).status.state == "queued"
    else:
        assert failure_of(lambda: runs.resume(damaged.id)).key == "jobs.unreadable"
    runs.delete(damaged.id)
    assert [run.id for run in runs.listing()] == [whole.id]


def test_damaged_request_does_not_hide_that_its_run_runs():
    run = submit()
    rewrite(run, state="running", heartbeat=time.time(), pid=1, process="x")
    (run.path / REQUEST).write_text("{")
    assert runs.read(run.id).status.state == "running"
    assert runs.stop(run.id).status.state == "stopping"


def test_run_whose_process_is_gone_is_failed_and_that_is_written_down():
    run = submit()
    rewrite(run, state="running", step=3, pid=os.getpid(), process="of another time", heartbeat=time.time() - 60)
    now = runs.read(run.id).status
    assert (now.state, now.step, now.message) == ("failed", 3, Message("jobs.killed"))
    assert read_status(run.path).state == "failed"
    assert "ended from outside" in spoken(now.message)


def test_run_with_a_fresh_heartbeat_or_a_living_process_runs(monkeypatch):
    from viz_core.jobs.processes import identity

    run = submit()
    rewrite(run, state="running", pid=os.getpid(), process="in another container", heartbeat=time.time())
    assert runs.read(run.id).status.state == "running"
    rewrite(run, process=identity(os.getpid()), heartbeat=0.0)  # a machine that slept, a step that takes minutes
    assert runs.read(run.id).status.state == "running"
    rewrite(run, pid=None, process=None, heartbeat=time.time() - 10)  # about to say its number
    assert runs.read(run.id).status.state == "running"
    rewrite(run, heartbeat=time.time() - 60)
    assert runs.read(run.id).status.state == "failed"


def test_owner_may_have_only_so_many_waiting():
    limit = Limits(most_queued_per_owner=2, least_free_bytes=0)
    first = submit(limit=limit)
    submit(limit=limit)
    assert failure_of(lambda: submit(limit=limit)).key == "jobs.too_many"
    submit(owner="ben", limit=limit)
    runs.stop(first.id)
    submit(limit=limit)
    assert failure_of(lambda: runs.resume(first.id, limit)).key == "jobs.too_many"
    assert seen(first) == ("stopped", 0)


def test_disk_without_room_takes_no_run(root):
    assert failure_of(lambda: submit(limit=Limits(least_free_bytes=10**18))).key == "jobs.no_room"
    assert runs.listing() == []


def test_folder_that_cannot_be_written_is_named(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("VIZ_RUNS_DIR", str(tmp_path / "file"))
    assert failure_of(submit).key == "jobs.not_written"


def test_full_disk_while_submitting_leaves_no_half_run(monkeypatch):
    import errno

    before = submit()

    def full(_):
        raise OSError(errno.ENOSPC, "")

    monkeypatch.setattr(os, "fsync", full)
    assert failure_of(submit).key == "jobs.disk_full"
    assert failure_of(lambda: runs.stop(before.id)).key == "jobs.disk_full"
    assert runs.listing() == [before]


def test_reader_never_sees_half_a_run():
    writer = threading.Thread(target=lambda: [submit(limit=Limits(60, 100, 0)) for _ in range(30)])
    writer.start()
    states = set()
    while writer.is_alive():
        states |= {run.status.state for run in runs.listing()}
    writer.join()
    assert states <= {"queued"} and len(runs.listing()) == 30
    assert sorted(run.position for run in runs.listing()) == list(range(1, 31))


@pytest.mark.process
def test_processes_that_submit_at_once_keep_the_limit_and_the_order():
    program = (
        "import sys\nfrom viz_core.jobs import runs\nfrom viz_core.records import Failure\ninput()\n"
        "for _ in range(3):\n  try: runs.submit(runs.Request(command=['-c', ''], owner='anna'))\n"
        "  except Failure as failure: print(failure.message.key)"
    )
    tabs = [
        subprocess.Popen(
            [sys.executable, "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "VIZ_RUNS_PER_VISITOR": "4"},
        )
        for _ in range(2)
    ]
    for tab in tabs:
        tab.stdin.write("\n")
        tab.stdin.flush()
    said = "".join(tab.communicate(timeout=60)[0] for tab in tabs)
    assert said.split() == ["jobs.too_many"] * 2
    assert sorted(run.position for run in runs.listing()) == [1, 2, 3, 4]


def test_metrics_are_read_from_where_one_stopped(root):
    run = submit()
    file = run.path / METRICS
    assert runs.metrics(run) == ([], 0)
    file.write_bytes(b'{"step": 1}\n{"step": 2}\n{"st')
    rows, offset = runs.metrics(run)
    assert rows == [{"step": 1}, {"step": 2}] and offset == 24
    assert runs.metrics(run, offset) == ([], 24)
    with open(file, "ab") as more:
        more.write(b'ep": 3}\n{"ste\n7\n{"step": "\xe8\x8a\xb1"}\n')  # one never finished, one no row
    assert runs.metrics(run, offset) == ([{"step": 3}, {"step": "花"}], file.stat().st_size)


def test_status_of_somebody_elses_making_needs_only_its_state(root):
    run = submit()
    (run.path / STATUS).write_text(json.dumps({"state": "finished", "eta": 3, "unknown": 1}))
    assert (runs.read(run.id).status.state, runs.read(run.id).status.eta) == ("finished", 3)
    assert Status("finished", eta=3) == read_status(run.path)
    assert not (run.path / LOG).exists()
