"""Complete runs with real workers: started on demand, killed, taken over."""

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.jobs.conftest import worker_pid
from tests.jobs.programs import REPORTING_JOB, submit, until, until_state
from viz_core.jobs import files, processes, runs
from viz_core.jobs.executors import stop_process
from viz_core.jobs.state import read_status
from viz_core.jobs.worker_launch import WORKER_LOCK

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("root")]


def kill(pid: int) -> None:
    """Kills a process as the system does when it is out of memory."""
    processes.kill(pid, processes.identity(pid))


def workers(root) -> list[str]:
    """The worker processes of this runs folder."""
    pids = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or is not ours
            command, environment = (entry / "cmdline").read_bytes(), (entry / "environ").read_bytes()
            if b"viz_core.jobs.worker" in command and str(root).encode() in environment:
                pids.append(entry.name)
    return pids


def test_submitted_run_is_carried_out_to_its_end():
    run = submit(REPORTING_JOB)
    (run.path / "go").touch()
    assert until_state(run, "finished").status.message is None


def test_killed_job_fails_and_can_be_resumed():
    run = submit(REPORTING_JOB)
    until(lambda: runs.read(run.id).status.step > 0)
    stop_process(read_status(run.path).handle)
    now = until_state(run, "failed").status
    assert now.message.key == "jobs.killed" and now.step > 0
    runs.resume(run.id)
    (run.path / "go").touch()
    assert until_state(run, "finished").status.attempt == 2


def test_killed_worker_leaves_its_run_running_and_another_takes_over(root):
    first, second = submit(REPORTING_JOB), submit(REPORTING_JOB)
    until(lambda: runs.read(first.id).status.step > 0)
    before = worker_pid(root)
    kill(before)
    step = runs.read(first.id).status.step
    until(lambda: runs.read(first.id).status.step > step)  # reading runs starts the next worker
    assert runs.read(second.id).status.state == "queued"
    (first.path / "go").touch()
    (second.path / "go").touch()
    assert until_state(first, "finished").status.attempt == 1
    assert until_state(second, "finished").status.attempt == 1
    assert worker_pid(root) != before


def test_killed_job_without_a_worker_fails_too(root):
    run = submit(REPORTING_JOB)
    until(lambda: runs.read(run.id).status.step > 0)
    kill(worker_pid(root))
    lock = until(lambda: files.acquire_lock(root / WORKER_LOCK))  # keeps other workers away
    stop_process(read_status(run.path).handle)
    assert until_state(run, "failed").status.message.key == "jobs.killed"
    lock.release()


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_tabs_that_submit_at_once_share_one_worker(root):
    program = (
        "from viz_core.jobs import runs\ninput()\n"
        "print(runs.submit(runs.Request(command=['-c', 'import time; time.sleep(600)'], owner='anna')).id)"
    )
    tabs = [
        subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    for tab in tabs:
        tab.stdin.write("\n")
        tab.stdin.flush()
    ids = {tab.communicate(timeout=60)[0].strip() for tab in tabs}
    assert {run.id for run in runs.list_runs()} == ids and len(ids) == 3
    until(lambda: sorted(run.status.state for run in runs.list_runs()) == ["queued", "queued", "running"])
    until(lambda: workers(root) == [str(worker_pid(root))])
