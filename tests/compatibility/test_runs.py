"""Runs and a saved model written by an earlier version can be opened, resumed and deleted."""

import time

import numpy as np
import pytest

from tests.compatibility.conftest import OWNER
from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.batch_prediction.job import list_runs
from viz_core.batch_prediction.results import first_rows, read_counts
from viz_core.evidence import health, requests, results
from viz_core.jobs import runs
from viz_core.tasks import get_task
from viz_core.training import saved_models, snapshots

PAIR = ("花呗怎么还款", "花呗如何还钱")


@pytest.fixture
def runs_by_name(earlier_files, monkeypatch) -> dict[str, runs.Run]:
    """The runs; no worker is started yet."""
    with monkeypatch.context() as patch:
        patch.setattr("viz_core.jobs.runs.ensure_worker", lambda root: None)
        return {run.name: run for run in runs.list_runs()}


def wait_until_over(run: runs.Run, seconds: float = 120) -> runs.Run:
    """The run after it has ended; reading it starts a worker."""
    deadline = time.monotonic() + seconds
    while not (run := runs.read(run.id)).is_over:
        assert time.monotonic() < deadline, run
        time.sleep(0.2)
    return run


def test_states_are_read(runs_by_name):
    assert {name: run.status.state for name, run in runs_by_name.items()} == {
        "finished": "finished",
        "stopped": "stopped",
        "failed": "failed",
        "queued": "queued",
        "afqmc/kept: health": "finished",
        "questions.csv": "finished",
        "afqmc/kept: predictions": "queued",
        "waiting.csv": "queued",
    }
    assert (
        runs_by_name["finished"].status.best["epoch"] == 2 and len(runs.read_metrics(runs_by_name["stopped"])[0]) == 2
    )
    assert runs_by_name["failed"].status.message.key == "training.no_data"


def test_attention_snapshots_are_read(runs_by_name):
    run = runs_by_name["finished"].path
    assert snapshots.snapshot_evaluations(run, 0) == [0, 1, 2]
    assert snapshots.read_snapshot(run, 2, 0).attention.shape == (2, 2, 15, 15)


@pytest.mark.slow
@pytest.mark.process
def test_a_stopped_training_resumes_and_can_be_saved(runs_by_name):
    run = wait_until_over(runs.resume(runs_by_name["stopped"].id))
    assert (run.status.state, run.status.step, run.status.total) == ("finished", 96, 96)
    assert [row["evaluation"] for row in runs.read_metrics(run)[0]] == [1, 2, 3, 4]
    saved_models.save_model(run, "gone-on")
    assert checkpoints.load("afqmc", "gone-on").metrics.entries["validation"]["n"] == 48


@pytest.mark.slow
@pytest.mark.process
def test_queued_jobs_are_run(runs_by_name):
    training, figures, file = (
        wait_until_over(runs_by_name[name]) for name in ("queued", "afqmc/kept: predictions", "waiting.csv")
    )
    assert [run.status.state for run in (training, figures, file)] == ["finished"] * 3
    assert results.read_result(checkpoints.folder() / "afqmc/kept", "predictions")["rows"] == 48
    assert read_counts(file.path).rows == 60


@pytest.mark.slow
@pytest.mark.process
def test_a_failed_training_fails_again_for_the_same_reason(runs_by_name):
    run = wait_until_over(runs.resume(runs_by_name["failed"].id))
    assert run.status.state == "failed" and run.status.message.key == "training.no_data"


def test_predictions_for_a_file_and_evidence_are_read(runs_by_name):
    file = runs_by_name["questions.csv"]
    assert len(first_rows(file.path, get_task("afqmc"), 100)) == 60
    assert requests.latest_run("health", "afqmc", "kept").id == runs_by_name["afqmc/kept: health"].id
    folder = checkpoints.folder() / "afqmc/kept"
    assert health.read(results.read_result(folder, health.NAME)).labels == ("different", "same")


def test_the_saved_model_can_be_loaded_and_deleted(runs_by_name):
    explanation = explain(checkpoints.load("afqmc", "kept"), *PAIR)
    np.testing.assert_allclose(explanation.attention.sum(-1), 1, atol=1e-5)
    (saved,) = saved_models.saved_models()
    assert (saved.run, saved.owner) == (runs_by_name["finished"].id, OWNER)
    saved_models.delete_model("afqmc", "kept")
    assert saved_models.saved_models() == []


def test_runs_and_models_belong_to_the_browser_that_started_them(runs_by_name):
    assert {run.request.owner for run in runs_by_name.values()} == {saved_models.saved_models()[0].owner} == {OWNER}
    assert {run.name for run in list_runs(OWNER, "afqmc")} == {"questions.csv", "waiting.csv"}
    assert list_runs("somebody else", "afqmc") == []
