"""Another executor behind the same seam: a run goes from the request through the queue to each of its ends."""

import pytest

from tests.jobs.programs import until
from tests.jobs.toy_jobs import ThreadExecutor
from viz_core.jobs import request, runs
from viz_core.jobs.executors import EXECUTORS
from viz_core.jobs.runs import Request, Run
from viz_core.jobs.worker import Worker
from viz_core.language import Translator
from viz_core.records import Failure
from viz_core.variables import RUN_ATTEMPT


@pytest.fixture
def worker(root, monkeypatch) -> Worker:
    """A worker with the other executor, and a kind of job; the test polls it."""
    monkeypatch.setitem(EXECUTORS, "threads", ThreadExecutor())
    monkeypatch.setitem(request.JOBS, "wait", "tests.jobs.toy_jobs:wait")
    monkeypatch.setenv("VIZ_EXECUTOR", "threads")
    monkeypatch.setenv(RUN_ATTEMPT, "1")  # threads share their environment
    monkeypatch.setattr(runs, "ensure_worker", lambda root: None)
    return Worker(root)


def start(worker: Worker) -> Run:
    """A run that its job has begun."""
    run = runs.submit(Request("wait", "example", owner="anna"))
    worker.poll()
    return until(lambda: (now := runs.read(run.id)).status.device == "a thread" and now)


def wait_for_end(worker: Worker, run: Run) -> tuple[str, str | None]:
    """State and reason of a run that is over."""
    status = until(lambda: (worker.poll(), now := runs.read(run.id))[1].is_over and now).status
    return status.state, status.message and status.message.key


@pytest.mark.parametrize(
    "file, expected",
    [
        ("go", ("finished", None)),
        ("error", ("failed", "jobs.error")),
        ("end", ("failed", "jobs.no_result")),  # as the executor says, and the job does not
    ],
)
def test_a_run_of_another_executor_comes_to_its_end(worker, file, expected):
    run = start(worker)
    assert run.status.handle == {"executor": "threads", "number": 0}  # as the executor gave it
    (run.path / file).touch()
    assert wait_for_end(worker, run) == expected


def test_a_run_of_another_executor_keeps_its_device_and_stops_when_asked(worker):
    first = start(worker)
    second = runs.submit(Request("wait", "example", owner="anna"))
    worker.poll()
    assert (runs.read(first.id).status.state, runs.read(second.id).position) == ("running", 1)
    runs.stop(first.id)
    assert wait_for_end(worker, first) == ("stopped", None)
    until(lambda: (worker.poll(), runs.read(second.id).is_live)[1])
    (second.path / "go").touch()
    assert wait_for_end(worker, second) == ("finished", None)


def test_a_worker_without_this_executor_leaves_its_runs_alone(worker, monkeypatch):
    run = start(worker)
    monkeypatch.delitem(EXECUTORS, "threads")
    monkeypatch.setenv("VIZ_EXECUTOR", "")
    Worker(worker.root).poll()
    assert runs.read(run.id).status.state == "running"
    (run.path / "go").touch()
    until(lambda: runs.read(run.id).status.state == "finished")


def test_an_unknown_executor_is_named_before_a_run_is_queued(root, monkeypatch):
    monkeypatch.setenv("VIZ_EXECUTOR", "slurm")
    for use in (lambda: runs.submit(Request("wait", owner="anna")), lambda: Worker(root)):
        with pytest.raises(Failure) as failure:
            use()
        sentence = Translator("en")(failure.value.message)
        assert sentence.startswith("VIZ_EXECUTOR is “slurm”, and there is no such executor; known are local, ray.")
    assert not runs.list_runs()
