"""Runs and a kept model that an earlier version wrote: they open, go on, and can be given up."""

from __future__ import annotations

import time

import numpy as np
import pytest

from tests.compatibility.conftest import OWNER
from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.batch_prediction.results import first_rows, read_counts
from viz_core.evidence import health, requests, results
from viz_core.jobs import runs
from viz_core.jobs.state import message_of
from viz_core.language import Translator
from viz_core.tasks import TASKS
from viz_core.training import probes, publish

PAIR = ("花呗怎么还款", "花呗如何还钱")


@pytest.fixture
def by_name(written_before, monkeypatch) -> dict[str, runs.Run]:
    """The runs, with no worker at work yet."""
    with monkeypatch.context() as patch:
        patch.setattr("viz_core.jobs.runs.ensure_worker", lambda root: None)
        return {run.name: run for run in runs.list_runs()}


def over(run: runs.Run, seconds: float = 120) -> runs.Run:
    """The run once it is over; looking at it sees to a worker."""
    deadline = time.monotonic() + seconds
    while not (run := runs.read(run.id)).is_over:
        assert time.monotonic() < deadline, run
        time.sleep(0.2)
    return run


def test_every_state_is_read_as_it_was_written(by_name):
    assert {name: run.status.state for name, run in by_name.items()} == {
        "finished": "finished",
        "stopped": "stopped",
        "failed": "failed",
        "queued": "queued",
        "afqmc/kept: health": "finished",
        "questions.csv": "finished",
        "afqmc/kept: predictions": "queued",
        "waiting.csv": "queued",
    }
    assert by_name["finished"].status.best["epoch"] == 2 and len(runs.read_metrics(by_name["stopped"])[0]) == 2
    assert by_name["failed"].status.message.key == "training.no_data"


def test_attention_of_the_pinned_input_is_still_there(by_name):
    run = by_name["finished"].path
    assert probes.evaluations(run, 0) == [0, 1, 2]
    assert probes.read(run, 2, 0).attention.shape == (2, 2, 15, 15)


@pytest.mark.process
def test_a_stopped_training_goes_on_where_it_was_and_can_be_kept(by_name):
    run = over(runs.resume(by_name["stopped"].id))
    assert (run.status.state, run.status.step, run.status.total) == ("finished", 96, 96)
    assert [row["evaluation"] for row in runs.read_metrics(run)[0]] == [1, 2, 3, 4]
    publish.keep(run, "gone-on")
    assert checkpoints.load("afqmc", "gone-on").metrics.entries["validation"]["n"] == 48


@pytest.mark.slow
@pytest.mark.process
def test_what_waited_is_done(by_name):
    training, figures, file = (over(by_name[name]) for name in ("queued", "afqmc/kept: predictions", "waiting.csv"))
    assert [run.status.state for run in (training, figures, file)] == ["finished"] * 3
    assert results.read_result(checkpoints.folder() / "afqmc/kept", "predictions")["rows"] == 48
    assert read_counts(file.path).rows == 60


@pytest.mark.slow
@pytest.mark.process
def test_a_failed_training_may_be_tried_again_and_fails_with_the_same_reason(by_name):
    run = over(runs.resume(by_name["failed"].id))
    assert run.status.state == "failed" and run.status.message.key == "training.no_data"


def test_the_answers_to_a_file_and_the_figures_of_a_pass_are_still_known(by_name):
    file = by_name["questions.csv"]
    assert len(first_rows(file.path, TASKS["afqmc"], 100)) == 60
    assert requests.latest_run("health", "afqmc", "kept").id == by_name["afqmc/kept: health"].id
    kept = checkpoints.folder() / "afqmc/kept"
    assert health.read(results.read_result(kept, health.NAME)).labels == ("different", "same")


def test_the_kept_model_opens_and_can_be_given_up_by_whom_it_belongs_to(by_name):
    explanation = explain(checkpoints.load("afqmc", "kept"), *PAIR)
    np.testing.assert_allclose(explanation.attention.sum(-1), 1, atol=1e-5)
    (kept,) = publish.kept_models()
    assert (kept.run, kept.owner) == (by_name["finished"].id, OWNER)
    publish.give_up("afqmc", "kept")
    assert publish.kept_models() == []


def test_a_reason_that_was_written_before_is_still_a_sentence():
    message = message_of({"key": "passes.not_kept", "values": {"folder": "here", "reason": "full"}})
    assert "here" in Translator("en")(message) and "here" in Translator("zh")(message)
