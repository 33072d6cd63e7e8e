"""Runs on a real Ray cluster of two nodes on this machine (tests/ray.txt)."""

import os
import random
import time
from collections import Counter
from pathlib import Path

import psutil
import pytest

from tests.jobs.programs import sentence, until
from tests.jobs.ray_cluster import TOKEN, Cluster, is_installed, process_of
from tests.training.tiny import ENCODER
from viz_core.jobs import files, runs
from viz_core.jobs.executors import EXECUTORS, chosen_executor
from viz_core.jobs.ray import RayExecutor
from viz_core.jobs.run_folder import read_runs
from viz_core.jobs.runs import Run
from viz_core.jobs.state import read_status
from viz_core.jobs.worker import Worker
from viz_core.jobs.worker_launch import WORKER_LOCK
from viz_core.training.door import TrainingSettings, submit

pytestmark = [
    pytest.mark.process,
    pytest.mark.slow,
    pytest.mark.skipif(not is_installed(), reason="needs Ray (make test-slow installs it)"),
]
KILLS = max(3, int(os.environ.get("VIZ_FAULTS", 30)) // 10)  # make faults: more
KINDS, AT_ONCE = ("process", "node", "head"), 4
SECONDS = 600  # for a run, on a machine that does other things, too
SHORT = dict(epochs=4, evaluations=4, pretrain_epochs=0)
LONG = dict(epochs=24, evaluations=1, pretrain_epochs=0)


@pytest.fixture(scope="module")
def cluster():
    with Cluster() as cluster:
        yield cluster


@pytest.fixture
def worker(cluster, root, monkeypatch):
    """A worker that the test polls."""
    monkeypatch.setenv("VIZ_RAY", cluster.address)
    monkeypatch.setenv("RAY_AUTH_TOKEN", TOKEN)
    monkeypatch.setitem(EXECUTORS, "ray", RayExecutor())
    lock = files.acquire_lock(root / WORKER_LOCK)
    yield Worker(root)
    for run in read_runs(root):
        if run.is_live and (process := process_of(run.path)):
            process.kill()
    lock.release()


def train(name: str, recipe: dict = SHORT) -> Run:
    settings = TrainingSettings("imdb", "small", name, "sample", "cpu", overrides=ENCODER, recipe=recipe)
    return submit(settings, "cpu", "anna")


def work_until(worker: Worker, condition):
    def look():
        worker.poll()
        time.sleep(0.2)
        return condition()

    return until(look, SECONDS)


def wait_for_end(worker: Worker, run: Run) -> Run:
    return work_until(worker, lambda: (now := runs.read(run.id)).is_over and not now.end and now)


def weights(run: Run) -> dict[str, bytes]:
    """By checkpoint."""
    return {file.parent.name: file.read_bytes() for file in run.path.glob("checkpoints/*/model.safetensors")}


def wait_for_step(worker: Worker, run: Run, step: int) -> None:
    work_until(worker, lambda: (now := runs.read(run.id)).status.step >= step or now.is_over)


def test_ten_runs_on_two_nodes_several_at_once(worker, root):
    all_runs, most = [train(f"run-{number}") for number in range(10)], 0

    def all_over() -> bool:
        nonlocal most
        now = read_runs(root)
        most = max(most, sum(run.is_live and run.status.step > 0 for run in now))
        return all(run.is_over and not run.end for run in now)

    start = time.monotonic()
    work_until(worker, all_over)
    print(f"\n10 runs: {time.monotonic() - start:.0f} s, at most {most} at once")
    assert [runs.read(run.id).status.state for run in all_runs] == ["finished"] * 10
    assert most > 1
    first, *others = (weights(run) for run in all_runs)
    assert all(other == first for other in others) and first


def test_a_second_job_of_the_same_name_is_refused_and_the_run_has_one_process(worker, cluster):
    run = train("twice")
    wait_for_step(worker, run, 1)
    again = chosen_executor().start(run.request.command, run.path, {"VIZ_RUN_ATTEMPT": "1"}, "/")
    assert again == read_status(run.path).handle
    command = [str(run.path.resolve())]
    found = [process for process in psutil.process_iter(["cmdline"]) if (process.info["cmdline"] or [])[-1:] == command]
    assert len(found) == 1
    assert wait_for_end(worker, run).status.state == "finished"


def test_a_job_that_ray_stops_saves_a_checkpoint_and_goes_on_from_there(worker, cluster):
    reference, run = train("undisturbed"), train("stopped")
    wait_for_step(worker, run, 10)
    chosen_executor().stop(read_status(run.path).handle)
    stopped = wait_for_end(worker, run)
    assert (stopped.status.state, stopped.status.message) == ("stopped", None)
    assert list(run.path.glob("checkpoints/*/*.safetensors"))
    runs.resume(run.id)
    assert wait_for_end(worker, run).status.state == "finished"
    assert wait_for_end(worker, reference).status.state == "finished"
    assert weights(run) == weights(reference)


def test_without_its_token_the_cluster_refuses_with_a_sentence(worker, monkeypatch):
    for token in ("", "not the token of this cluster, 32 characters"):
        monkeypatch.setenv("RAY_AUTH_TOKEN", token)
        monkeypatch.setenv("RAY_AUTH_TOKEN_PATH", "/nonexistent")
        run = wait_for_end(worker, train("refused"))
        assert (run.status.state, run.status.message.key) == ("failed", "jobs.refused_by_cluster")


def test_kills_at_random_moments_lose_no_run(worker, cluster, root):
    """Of processes, nodes and the head. Runs that fail are resumed, to the weights of one that nothing disturbed."""
    reference = train("undisturbed", LONG)
    assert wait_for_end(worker, reference).status.state == "finished"
    expected, seed = weights(reference), random.randrange(10**6)
    moments, reasons = random.Random(seed), Counter()

    def look_after() -> list[Run]:
        """Resumes what has failed; the runs that are not over."""
        worker.poll()
        now = read_runs(root)
        for run in now:
            if run.status.state == "failed" and not run.end:
                assert sentence(run.status.message)
                reasons[run.status.message.key] += 1
                runs.resume(run.id)
        return [run for run in now if run.status.state != "finished"]

    for number in range(KILLS):
        what = KINDS[number % len(KINDS)]
        while len(look_after()) < AT_ONCE:
            train(f"run-{number}", LONG)
        until(lambda: any(run.status.step for run in look_after()), SECONDS)
        moment = time.monotonic() + moments.uniform(0, 10)
        while time.monotonic() < moment:
            look_after()
            time.sleep(0.2)
        kill(what, cluster, moments, root)
        print(f"\nkill {number + 1} (seed {seed}): {what}", flush=True)
    until(lambda: (time.sleep(0.2), not look_after())[1], 3 * SECONDS)
    all_runs = read_runs(root)
    lost = [run.id for run in all_runs if weights(run) != expected]
    attempts = sum(run.status.attempt - 1 for run in all_runs)
    print(f"\n{KILLS} kills, {len(all_runs)} runs, {attempts} further attempts, {dict(reasons)}, {len(lost)} lost")
    assert not lost and all(run.status.state == "finished" for run in all_runs)


def kill(what: str, cluster: Cluster, moments: random.Random, root: Path) -> None:
    """Ends a process, a node or the head, and starts what a supervisor would start again."""
    if what == "process":
        live = [process for run in read_runs(root) if run.is_live and (process := process_of(run.path))]
        if live:
            moments.choice(live).kill()
        return
    if what == "head":
        cluster.kill("head")
        cluster.start_head()
    for name in [name for name in cluster.nodes if name != "head"]:  # one whose head has forgotten it ends by itself
        cluster.kill(name)
    cluster.start_node()
