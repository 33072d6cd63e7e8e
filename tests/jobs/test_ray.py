"""Runs as jobs of a Ray cluster: what the executor asks of Ray's REST API, and what becomes of a run."""

import json
import os
import shlex
import signal
import sys
from pathlib import Path

import pytest

from tests.jobs.programs import BARE_JOB, REPORTING_JOB, failure_of, sentence, submit, until
from tests.jobs.ray_jobs import Jobs
from viz_core.jobs import executors, ray, runs
from viz_core.jobs.executors import EXECUTORS, chosen_executor
from viz_core.jobs.limits import Limits
from viz_core.jobs.ray import RayExecutor
from viz_core.jobs.request import Request
from viz_core.jobs.run_folder import read_runs
from viz_core.jobs.state import LOG, read_status
from viz_core.jobs.worker import Worker

pytestmark = [pytest.mark.process, pytest.mark.skipif(sys.platform == "win32", reason="Ray's commands are for a shell")]

# The job of the kind `wait` (toy_jobs.py), as `viz_core.jobs.main` carries it out.
WAIT = """
import pathlib, sys
from viz_core.jobs import main, request
request.JOBS["wait"] = "tests.jobs.toy_jobs:wait"
main.carry_out(pathlib.Path(sys.argv[-1]))
"""


@pytest.fixture
def cluster(root, monkeypatch):
    """A cluster with two places."""
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    monkeypatch.setattr(runs, "ensure_worker", lambda root: None)
    monkeypatch.setattr(ray, "_FRESH", 0.0)
    monkeypatch.setattr(ray, "_PAUSE", 0.0)
    monkeypatch.setattr(executors, "STALE", 0.2)  # Ray is asked soon, and always by the word of the folder first
    monkeypatch.setitem(EXECUTORS, "ray", RayExecutor())
    for name in ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(root))  # without a token of Ray's
    with Jobs() as jobs:
        monkeypatch.setenv("VIZ_RAY", jobs.address)
        yield jobs


@pytest.fixture
def worker(cluster, root) -> Worker:
    return Worker(root)


def work_until(worker, condition):
    return until(lambda: (worker.poll(), condition())[1])


def wait_for_end(worker, run) -> tuple[str, str | None]:
    """State and reason of a run that is over."""
    status = work_until(worker, lambda: (now := runs.read(run.id)).is_over and not now.end and now.status)
    assert not status.message or sentence(status.message)
    return status.state, status.message and status.message.key


def start(worker, program=REPORTING_JOB, **more):
    """A run that has begun."""
    run = submit(program, **more)
    work_until(worker, lambda: runs.read(run.id).status.step)
    return run


def let_finish(*all_runs) -> None:
    for run in all_runs:
        (run.path / "go").touch()


def test_a_run_is_a_job_with_its_name_its_resources_and_only_our_variables(worker, cluster, monkeypatch):
    monkeypatch.setenv("VIZ_RAY_CPUS", "3")
    monkeypatch.setenv("VIZ_DATA_DIR", "/shared/data")
    monkeypatch.setenv("VIZ_TEACHER_KEY", "secret of the server")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "7")
    run = submit(BARE_JOB, device="cuda:0", memory=10**9)
    worker.poll()
    (job,) = cluster.submitted
    assert job["submission_id"] == run.id
    assert (job["entrypoint_num_cpus"], job["entrypoint_num_gpus"], job["entrypoint_memory"]) == (3, 1, 10**9)
    assert set(job["runtime_env"]) == {"env_vars"}
    variables = job["runtime_env"]["env_vars"]
    assert variables["VIZ_DATA_DIR"] == "/shared/data" and variables["VIZ_RUN_ATTEMPT"] == "1"
    assert variables["RAY_JOB_STOP_WAIT_TIME_S"] == "30" and variables["OMP_NUM_THREADS"] == "3"
    assert not {"VIZ_TEACHER_KEY", "CUDA_VISIBLE_DEVICES", "PATH", "HOME", "PYTHONPATH"} & set(variables)
    assert shlex.join(["python", "-c", BARE_JOB, str(run.path.resolve())]) in job["entrypoint"]
    assert job["entrypoint"].endswith(f" >>{run.path.resolve() / LOG} 2>&1")
    assert read_status(run.path).handle == {"executor": "ray", "job": run.id}
    let_finish(run)
    assert wait_for_end(worker, run) == ("failed", "jobs.no_result")  # it has no Reporter


def test_as_many_runs_at_once_as_the_cluster_has_places_and_the_others_in_their_order(worker, cluster):
    all_runs = [submit() for _ in range(8)]
    work_until(worker, lambda: sum(run.status.step > 0 for run in read_runs(worker.root)) == 2)
    worker.poll()
    waiting = [run.id for run in read_runs(worker.root) if run.is_waiting]
    assert [job["submission_id"] for job in cluster.submitted] == [run.id for run in all_runs[:6]]
    assert sorted(waiting) == [run.id for run in all_runs[2:6]]
    assert [runs.read(run.id).position for run in all_runs] == [0, 0, 0, 0, 0, 0, 1, 2]
    assert sentence(runs.read(waiting[0]).status.message)
    let_finish(*all_runs)
    assert [wait_for_end(worker, run) for run in all_runs] == [("finished", None)] * 8
    assert [job["submission_id"] for job in cluster.submitted] == [run.id for run in all_runs]


def test_the_limit_of_a_visitor_counts_what_waits_in_our_queue(worker, cluster, monkeypatch):
    monkeypatch.setenv("VIZ_RUNS_PER_VISITOR", "1")
    for _ in range(4):
        submit(BARE_JOB)
        worker.poll()
    submit(BARE_JOB)
    assert failure_of(submit).key == "jobs.too_many"


def test_a_run_that_is_submitted_twice_has_one_process(worker, cluster):
    run = submit()
    again = (["-c", REPORTING_JOB], run.path, {"VIZ_RUN_ATTEMPT": "1"}, os.getcwd())
    assert chosen_executor().start(*again) == chosen_executor().start(*again)  # the worker died before it wrote so
    work_until(worker, lambda: runs.read(run.id).status.step)
    assert len(cluster.submitted) == len(cluster.processes) == 1
    assert read_status(run.path).handle == {"executor": "ray", "job": run.id}
    let_finish(run)
    assert wait_for_end(worker, run) == ("finished", None)


def test_a_killed_process_fails_its_run_which_resumes_as_another_job(worker, cluster):
    run = start(worker)
    os.killpg(cluster.processes[run.id].pid, signal.SIGKILL)
    assert wait_for_end(worker, run) == ("failed", "jobs.killed")
    runs.resume(run.id)
    work_until(worker, lambda: f"{run.id}-2" in cluster.processes)
    let_finish(run)
    assert wait_for_end(worker, run) == ("finished", None)


def test_a_run_is_lost_with_its_computer_and_resumes_elsewhere(worker, cluster):
    run = start(worker)
    cluster.kill_node(run.id)
    assert wait_for_end(worker, run) == ("failed", "jobs.lost")
    runs.resume(run.id)
    let_finish(run)
    assert wait_for_end(worker, run) == ("finished", None)


def test_a_run_whose_process_lives_outlives_the_head(worker, cluster):
    run = start(worker)
    cluster.kill_head()
    worker.poll()
    cluster.start_head()  # and knows of no job
    step = runs.read(run.id).status.step
    work_until(worker, lambda: runs.read(run.id).status.step > step)
    let_finish(run)
    assert wait_for_end(worker, run) == ("finished", None)


def test_a_run_is_lost_if_the_head_has_forgotten_it_and_its_process_is_gone(worker, cluster):
    run = start(worker)
    cluster.kill_head()
    os.killpg(cluster.processes[run.id].pid, signal.SIGKILL)
    work_until(worker, lambda: runs.read(run.id).status.state == "running")  # nobody can tell
    cluster.start_head()
    assert wait_for_end(worker, run) == ("failed", "jobs.lost")


def test_a_run_that_waited_at_a_head_that_was_killed_is_submitted_again(worker, cluster):
    cluster.places = 0
    run = submit()
    work_until(worker, lambda: runs.read(run.id).is_waiting)
    cluster.kill_head()
    cluster.places = 2
    cluster.start_head()
    let_finish(run)
    assert wait_for_end(worker, run) == ("finished", None)
    assert [job["submission_id"] for job in cluster.submitted] == [run.id, f"{run.id}-2"]


def test_without_an_answer_runs_stay_in_the_queue_and_say_why(worker, cluster):
    cluster.kill_head()
    run = submit()
    now = work_until(worker, lambda: (now := runs.read(run.id)).status.message and now)
    assert (now.status.state, now.status.message.key, now.position) == ("queued", "jobs.no_answer", 1)
    assert str(cluster.port) in sentence(now.status.message)
    cluster.start_head()
    work_until(worker, lambda: runs.read(run.id).status.step)
    assert runs.read(run.id).status.message is None
    let_finish(run)
    assert wait_for_end(worker, run) == ("finished", None)


def test_runs_that_wait_for_their_turn_no_longer_say_that_nobody_answers(worker, cluster):
    cluster.places = 0
    cluster.kill_head()
    all_runs = [submit() for _ in range(5)]
    work_until(worker, lambda: runs.read(all_runs[4].id).status.message)
    cluster.start_head()
    now = work_until(worker, lambda: (now := runs.read(all_runs[4].id)).position == 1 and now)
    work_until(worker, lambda: runs.read(now.id).status.message is None)
    assert runs.read(now.id).status.state == "queued"


def test_a_run_stops_when_asked_in_its_folder(worker, cluster):
    run = start(worker)
    runs.stop(run.id)
    assert wait_for_end(worker, run) == ("stopped", None)
    assert not any(request.endswith("/stop") for request in cluster.requests)


def test_a_run_that_does_not_read_its_folder_is_stopped_by_ray(worker, cluster):
    run = submit(BARE_JOB, limits=Limits(stop_seconds=0.2, least_free_bytes=0))
    deaf = submit(REPORTING_JOB.replace("report.stop_requested()", "False"), limits=run.request.limits)
    work_until(worker, lambda: runs.read(deaf.id).status.step)
    runs.stop(deaf.id)
    assert wait_for_end(worker, deaf) == ("stopped", "jobs.stopped_late")


def test_a_job_that_ray_stops_ends_as_if_its_folder_had_said_so(worker, cluster):
    run = runs.submit(Request("wait", "example", ["-c", WAIT], owner="anna"))
    work_until(worker, lambda: runs.read(run.id).status.device == "a thread")
    cluster.stop(run.id)  # `ray job stop`
    assert wait_for_end(worker, run) == ("stopped", None)


def test_a_run_that_waits_at_ray_stops_at_once_and_never_begins(worker, cluster):
    cluster.places = 0
    run = submit()
    work_until(worker, lambda: runs.read(run.id).is_waiting)
    runs.stop(run.id)
    assert wait_for_end(worker, run) == ("stopped", None)
    cluster.places = 1
    cluster.read(run.id)  # Ray begins it all the same
    until(lambda: cluster.processes[run.id].poll() is not None)
    assert (runs.read(run.id).status.state, runs.read(run.id).status.step) == ("stopped", 0)


def test_the_time_at_ray_before_a_run_begins_does_not_count(worker, cluster, monkeypatch):
    cluster.places = 0
    run = submit(limits=Limits(longest_minutes=0.01, least_free_bytes=0))
    work_until(worker, lambda: runs.read(run.id).is_waiting)
    monkeypatch.setattr(worker._stopwatches, "seconds", lambda name: 10**6 if "jobs." in name[2] else 0.0)
    for _ in range(3):
        worker.poll()
    assert runs.read(run.id).is_waiting and not runs.read(run.id).status.seconds


def test_a_job_that_ray_cannot_begin_says_why(worker, cluster):
    cluster.places = 0
    run = submit()
    work_until(worker, lambda: runs.read(run.id).is_waiting)
    reason = "Job supervisor actor failed to start within 900.0 seconds."
    cluster.jobs[run.id] = {
        "status": "FAILED",
        "error_type": "JOB_SUPERVISOR_ACTOR_START_TIMEOUT",
        "message": f"{reason}\nTraceback …",
    }
    assert wait_for_end(worker, run) == ("failed", "jobs.not_started")
    assert "within 900.0 seconds" in sentence(runs.read(run.id).status.message)


def test_a_token_is_needed_and_read_from_where_ray_reads_it(worker, cluster, monkeypatch, tmp_path):
    cluster.token = "a token of the cluster"
    refused, wrong = submit(), submit()
    assert wait_for_end(worker, refused) == ("failed", "jobs.refused_by_cluster")
    assert cluster.address in sentence(runs.read(refused.id).status.message)
    monkeypatch.setenv("RAY_AUTH_TOKEN", "wrong")
    assert wait_for_end(worker, wrong) == ("failed", "jobs.refused_by_cluster")
    monkeypatch.delenv("RAY_AUTH_TOKEN")
    (tmp_path / "token").write_text(f"{cluster.token}\n")
    monkeypatch.setenv("RAY_AUTH_TOKEN_PATH", str(tmp_path / "token"))
    runs.resume(refused.id)
    let_finish(refused)
    assert wait_for_end(worker, refused) == ("finished", None)


def test_the_next_worker_takes_over_runs_that_wait_and_runs_that_run(worker, cluster, root):
    all_runs = [submit() for _ in range(3)]
    work_until(worker, lambda: sum(run.status.step > 0 for run in read_runs(root)) == 2)
    next_worker = Worker(root)  # knows only the folders
    next_worker.poll()
    assert [run.is_waiting for run in sorted(read_runs(root), key=lambda run: run.id)] == [False, False, True]
    let_finish(*all_runs)
    assert [wait_for_end(next_worker, run) for run in all_runs] == [("finished", None)] * 3
    assert len(cluster.submitted) == 3


@pytest.mark.parametrize("address", ["head", "ray://head:10001", "http://head", "http://head:port", "http://:8265"])
def test_an_unusable_address_is_named_before_a_run_is_queued(root, monkeypatch, address):
    monkeypatch.setenv("VIZ_RAY", address)
    message = failure_of(lambda: runs.submit(Request("wait", owner="anna")))
    assert "VIZ_RAY" in sentence(message) and address in sentence(message)
    assert not list(root.glob("[!.]*"))


def test_without_an_address_runs_are_processes_of_this_machine(monkeypatch):
    monkeypatch.delenv("VIZ_RAY", raising=False)
    assert chosen_executor() is EXECUTORS["local"]
    assert EXECUTORS["ray"].is_alive({"executor": "ray", "job": "1"}) is None  # nobody is asked


@pytest.mark.parametrize("answer", ["[]", "{", json.dumps("no"), '{"status": 3}'])
def test_an_answer_that_is_no_job_says_nothing(worker, cluster, monkeypatch, answer):
    run = start(worker)
    monkeypatch.setattr(cluster, "read", lambda job: (200, answer))
    handle = read_status(run.path).handle
    assert chosen_executor().poll(handle) is None
    let_finish(run)
