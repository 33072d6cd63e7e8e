"""The runs folder without a worker: requests, their order, damaged files."""

import errno
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest

from tests.jobs.programs import failure_of, sentence, submit
from viz_core.jobs import files, runs
from viz_core.jobs.limits import Limits
from viz_core.jobs.local import handle_here
from viz_core.jobs.request import REQUEST
from viz_core.jobs.runs import Request
from viz_core.jobs.state import LOG, METRICS, STATUS, Status, read_status, write_status
from viz_core.jobs.stop_requests import STOP
from viz_core.records import Message

pytestmark = pytest.mark.usefixtures("worker")  # which is never polled


def state_and_position(run) -> tuple[str, int]:
    now = runs.read(run.id)
    return now.status.state, now.position


def handle_of(**changes) -> dict:
    """The handle of this process, with changes."""
    return {**handle_here(None), **changes}


def rewrite(run, **changes) -> None:
    write_status(run.path, replace(read_status(run.path), **changes))


def test_submitted_run_is_queued_with_its_request(root):
    run = submit(settings={"layers": 2}, experiment="depth")
    assert (run.status.state, run.status.device) == ("queued", "cpu")
    assert (run.position, run.name, run.path) == (1, "example", root / run.id)
    assert re.fullmatch(r"\d{8}-\d{6}-\d{6}-[0-9a-f]{4}", run.id)  # sorted by name, they are in order of time
    request = run.request
    assert (request.kind, request.settings, request.experiment, request.owner) == (
        "test",
        {"layers": 2},
        "depth",
        "anna",
    )
    assert runs.list_runs() == [run]
    assert not run.is_live and not run.is_over


def test_missing_runs_folder_means_no_runs(root, monkeypatch):
    monkeypatch.setenv("VIZ_RUNS_DIR", str(root / "new" / "runs"))
    monkeypatch.setattr(runs, "ensure_worker", lambda _: None)  # the test holds the lock of another folder
    assert runs.list_runs() == []
    assert submit().status.state == "queued"  # the folder is created


@pytest.mark.parametrize("command", [None, [], "-m x", ["-m", 3]])
def test_request_without_a_command_raises_value_error(root, command):
    with pytest.raises(ValueError, match="list of words"):
        runs.submit(Request("test", command=command))
    assert runs.list_runs() == []


def test_newest_run_is_listed_first_and_positions_count_per_device():
    first, second, other, third = submit(), submit(), submit(device="cuda"), submit(device="cuda:0")
    assert [run.id for run in runs.list_runs()] == [third.id, other.id, second.id, first.id]
    assert [run.position for run in runs.list_runs()] == [2, 1, 2, 1]
    assert [runs.position(run.id) for run in (first, second, other, third)] == [1, 2, 1, 2]
    runs.stop(first.id)
    assert state_and_position(first) == ("stopped", 0) and state_and_position(second) == ("queued", 1)


def test_stop_and_resume_in_the_queue():
    first, second = submit(), submit()
    assert runs.stop(first.id).status.state == "stopped"
    assert runs.stop(first.id).status.state == "stopped"  # from another tab
    resumed = runs.resume(first.id)
    assert (resumed.status.state, resumed.position, resumed.status.attempt) == ("queued", 2, 2)
    assert not (first.path / STOP).exists()
    text = sentence(failure_of(lambda: runs.resume(second.id)))
    assert "“example”" in text and "waiting" in text


def test_resumed_run_keeps_its_files_and_takes_the_current_environment(monkeypatch):
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
    assert runs.read_metrics(run)[0] == [{"step": 7}]
    assert not (run.path / STOP).exists()


def test_only_a_run_that_is_over_can_be_deleted(root):
    run = submit()
    rewrite(run, state="running", handle=handle_here(None), heartbeat=time.time())
    assert failure_of(lambda: runs.delete(run.id)).key == "jobs.still_running"
    assert runs.stop(run.id).status.state == "stopping"
    rewrite(run, state="stopped")
    runs.delete(run.id)
    assert runs.list_runs() == [] and not any(path.is_dir() for path in root.iterdir())
    assert failure_of(lambda: runs.read(run.id)) == Message("jobs.unknown", {"run": run.id})


@pytest.mark.parametrize("id", ["", ".", "..", "../x", "a/b", ".lock", "nothing"])
@pytest.mark.parametrize("call", [runs.read, runs.stop, runs.resume, runs.delete])
def test_unknown_run_fails(root, id, call):
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
        b'{"state": "finished", "command": ["x"], "a": "\\udcff"}',
    ],
)
def test_damaged_file_fails_its_run_only_and_is_named(file, content):
    damaged, intact = submit(), submit()
    (damaged.path / file).unlink() if content is None else (damaged.path / file).write_bytes(content)
    by_id = {run.id: run for run in runs.list_runs()}
    now = by_id[damaged.id].status
    assert (now.state, now.message.key) == ("failed", "jobs.unreadable")
    assert file in sentence(now.message) and damaged.id in sentence(now.message)
    assert (by_id[intact.id].status.state, by_id[intact.id].position) == ("queued", 1)
    assert runs.read(damaged.id) == by_id[damaged.id]
    if file == STATUS:  # the request is enough
        assert runs.resume(damaged.id).status.state == "queued"
    else:
        assert failure_of(lambda: runs.resume(damaged.id)).key == "jobs.unreadable"
    runs.delete(damaged.id)
    assert [run.id for run in runs.list_runs()] == [intact.id]


def test_run_with_a_damaged_request_still_counts_as_running():
    run = submit()
    rewrite(run, state="running", heartbeat=time.time(), handle=handle_of(process="x"))
    (run.path / REQUEST).write_text("{")
    assert runs.read(run.id).status.state == "running"
    assert runs.stop(run.id).status.state == "stopping"


def test_run_whose_process_is_gone_fails_and_the_worker_records_it(worker):
    run = submit()
    rewrite(run, state="running", step=3, handle=handle_of(process="another time"), heartbeat=time.time() - 60)
    now = runs.read(run.id).status
    assert (now.state, now.step, now.message) == ("failed", 3, Message("jobs.killed"))
    assert read_status(run.path).state == "running"  # whoever reads writes nothing
    worker.poll()
    assert read_status(run.path) == runs.read(run.id).status == replace(now, ended=read_status(run.path).ended)


def test_run_with_a_fresh_heartbeat_or_a_live_process_is_running():
    run = submit()
    rewrite(run, state="running", handle=handle_of(process="in another container"), heartbeat=time.time())
    assert runs.read(run.id).status.state == "running"
    rewrite(run, handle=handle_here(None), heartbeat=0.0)  # a machine that slept, a step that takes minutes
    assert runs.read(run.id).status.state == "running"
    rewrite(run, handle=None, heartbeat=time.time() - 10)  # about to write its handle
    assert runs.read(run.id).status.state == "running"
    rewrite(run, heartbeat=time.time() - 60)
    assert runs.read(run.id).status.state == "failed"


@pytest.mark.parametrize("handle", [handle_of(host="elsewhere", process="7"), {"executor": "cluster", "job": 3}])
def test_a_run_of_another_machine_is_lost_only_after_minutes_of_silence(worker, handle):
    """Its files arrive late over a shared folder, and nobody here can ask for its process."""
    run = submit()
    rewrite(run, state="running", handle=handle, heartbeat=time.time() - 60)
    worker.poll()
    assert runs.read(run.id).status.state == "running"
    rewrite(run, heartbeat=time.time() - 3600)
    assert runs.read(run.id).status.message.key == "jobs.lost"
    worker.poll()
    assert (read_status(run.path).state, read_status(run.path).message.key) == ("failed", "jobs.lost")


def test_a_run_that_has_not_changed_is_not_read_again(root, worker, monkeypatch):
    over, waiting = submit(), submit()
    rewrite(over, state="finished")
    monkeypatch.setattr(worker, "_start", lambda runs: None)
    for run in (over, waiting):
        for file in (REQUEST, STATUS):
            os.utime(run.path / file, (1e9, 1e9))  # written long ago
    opened, read = [], files.read_json_object
    monkeypatch.setattr(files, "read_json_object", lambda path, most: opened.append(path) or read(path, most))
    worker.poll()
    assert sorted(opened) == sorted(run.path / file for run in (over, waiting) for file in (REQUEST, STATUS))
    worker.poll()
    assert [run.status.state for run in runs.list_runs()] == ["queued", "finished"]
    assert len(opened) == 4
    rewrite(over, step=7)
    assert [run.status.step for run in runs.list_runs()] == [0, 7]


def test_queue_limit_counts_per_owner():
    limits = Limits(most_queued_per_owner=2, least_free_bytes=0)
    first = submit(limits=limits)
    submit(limits=limits)
    assert failure_of(lambda: submit(limits=limits)).key == "jobs.too_many"
    submit(owner="ben", limits=limits)
    runs.stop(first.id)
    submit(limits=limits)
    assert failure_of(lambda: runs.resume(first.id, limits)).key == "jobs.too_many"
    assert state_and_position(first) == ("stopped", 0)


def test_several_runs_are_queued_in_order_as_one_of_their_owner():
    limits = Limits(most_queued_per_owner=1, least_free_bytes=0)
    requests = [Request("test", f"{number}", ["-c", ""], owner="anna") for number in range(3)]
    together = runs.submit_together(requests, limits)
    assert [(run.name, run.position) for run in together] == [("0", 1), ("1", 2), ("2", 3)]
    assert [run.name for run in runs.list_runs()] == ["2", "1", "0"]
    assert failure_of(lambda: runs.submit_together(requests, limits)).key == "jobs.too_many"
    assert len(runs.list_runs()) == 3


@pytest.mark.parametrize("step", ["write_request", "write_status", "os.rename"])
def test_of_several_runs_all_are_queued_or_none(root, monkeypatch, step):
    before, calls = submit(), []
    owner, _, name = f"viz_core.jobs.runs.{step}".rpartition(".")
    act = getattr(os if step == "os.rename" else runs, name)

    def fail_at_the_third(*arguments):
        calls.append(arguments)
        if len(calls) == 3:
            raise OSError(errno.ENOSPC, "full")
        act(*arguments)

    monkeypatch.setattr(f"{owner}.{name}", fail_at_the_third)
    requests = [Request("test", "run", ["-c", ""], owner="anna")] * 4
    assert failure_of(lambda: runs.submit_together(requests)).key == "jobs.disk_full"
    monkeypatch.undo()
    monkeypatch.setenv("VIZ_RUNS_DIR", str(root))
    assert [run.id for run in runs.list_runs()] == [before.id]
    assert [path.name for path in root.iterdir() if path.is_dir()] == [before.id]


def test_submit_fails_without_free_space(root):
    assert failure_of(lambda: submit(limits=Limits(least_free_bytes=10**18))).key == "jobs.no_room"
    assert runs.list_runs() == []


def test_a_run_that_waits_on_a_full_disk_says_why(worker, monkeypatch):
    """Also where the worker can neither start it nor write down why."""

    def raise_disk_full(_):
        raise OSError(errno.ENOSPC, "")

    run = submit(limits=Limits(least_free_bytes=1_000_000))
    with monkeypatch.context() as full:
        full.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=8_000))
        full.setattr(os, "fsync", raise_disk_full)
        worker.poll()
        for waiting in (runs.read(run.id), *runs.list_runs()):
            assert (waiting.status.state, waiting.position) == ("queued", 1)
            assert waiting.status.message.key == "jobs.no_room"
    assert runs.list_runs() == [run]


def test_folder_that_cannot_be_written_is_named(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("VIZ_RUNS_DIR", str(tmp_path / "file"))
    assert failure_of(submit).key == "jobs.not_written"


def test_full_disk_while_submitting_leaves_no_partial_run(monkeypatch):
    before = submit()

    def raise_disk_full(_):
        raise OSError(errno.ENOSPC, "")

    monkeypatch.setattr(os, "fsync", raise_disk_full)
    assert failure_of(submit).key == "jobs.disk_full"
    assert failure_of(lambda: runs.stop(before.id)).key == "jobs.disk_full"
    assert runs.list_runs() == [before]


def test_files_in_use_do_not_hide_what_went_wrong_and_do_not_keep_a_run(monkeypatch):
    def raise_in_use(*_, **__):
        raise PermissionError("in use")

    def fill(folder):
        (folder / "inputs").mkdir()
        raise KeyError("no such column")

    run = submit()
    monkeypatch.setattr(os, "rmdir", raise_in_use)
    with pytest.raises(KeyError, match="no such column"):
        runs.submit(run.request, fill=fill)
    runs.stop(run.id)
    runs.delete(run.id)
    assert runs.list_runs() == []


def test_reader_never_sees_a_partial_run():
    writer = threading.Thread(target=lambda: [submit(limits=Limits(60, 100, 0)) for _ in range(30)])
    writer.start()
    states = set()
    while writer.is_alive():
        states |= {run.status.state for run in runs.list_runs()}
    writer.join()
    assert states <= {"queued"} and len(runs.list_runs()) == 30
    assert sorted(run.position for run in runs.list_runs()) == list(range(1, 31))


@pytest.mark.process
def test_processes_that_submit_at_once_respect_limit_and_order():
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
    output = "".join(tab.communicate(timeout=60)[0] for tab in tabs)
    assert output.split() == ["jobs.too_many"] * 2
    assert sorted(run.position for run in runs.list_runs()) == [1, 2, 3, 4]


def test_metrics_are_read_from_an_offset(root):
    run = submit()
    file = run.path / METRICS
    assert runs.read_metrics(run) == ([], 0)
    file.write_bytes(b'{"step": 1}\n{"step": 2}\n{"st')
    rows, offset = runs.read_metrics(run)
    assert rows == [{"step": 1}, {"step": 2}] and offset == 24
    assert runs.read_metrics(run, offset) == ([], 24)
    with open(file, "ab") as metrics:
        metrics.write(b'ep": 3}\n{"ste\n7\n{"step": "\xe8\x8a\xb1"}\n')  # an incomplete line, and a line that is no row
    assert runs.read_metrics(run, offset) == ([{"step": 3}, {"step": "花"}], file.stat().st_size)


def test_status_needs_only_a_state(root):
    run = submit()
    (run.path / STATUS).write_text(json.dumps({"state": "finished", "eta": 3, "unknown": 1}))
    assert (runs.read(run.id).status.state, runs.read(run.id).status.eta) == ("finished", 3)
    assert Status("finished", eta=3) == read_status(run.path)
    (run.path / STATUS).write_text(json.dumps({"state": "finished", "step": "many"}))
    assert runs.read(run.id).status.message.values["reason"] == "step?"
    assert not (run.path / LOG).exists()
