"""The command `probe`: runs the behavioural tests, and records the scores."""

import json

import pytest

from tests.words import says
from viz_core import checkpoints
from viz_core.tasks import Task, get_task


@pytest.mark.parametrize("task", ["imdb", "afqmc"])
def test_probe_returns_scores_and_every_prediction(json_output, checkpoints_dir, task):
    output = json_output("probe", "--task", task, "--model", "tiny")
    assert (output["task"], output["model"], output["n"]) == (task, "tiny", 60)
    predictions = output["answers"]
    correct = [prediction["label"] == prediction["expected"] for prediction in predictions]
    assert output["accuracy"] == pytest.approx(sum(correct) / 60)
    assert [prediction["texts"] for prediction in predictions] == [
        list(test.texts) for test in get_task(task).behavioural_tests()
    ]
    assert [score["n"] for score in output["categories"]] == [10] * 6
    assert "probes" not in checkpoints.read_info(checkpoints_dir / task / "tiny").metrics.entries


def test_recorded_scores_are_in_the_metrics(json_output, checkpoints_dir, monkeypatch):
    # The model was never trained: there is nothing to write a card from.
    monkeypatch.setattr("viz_core.checkpoints.card.model_card", lambda info, readings: "card")
    output = json_output("probe", "--task", "afqmc", "--model", "tiny", "--record")
    metrics = json.loads((checkpoints_dir / "afqmc/tiny" / checkpoints.METRICS).read_text(encoding="utf-8"))
    assert (
        metrics["probes"] == {name: output[name] for name in metrics["probes"]} and "answers" not in metrics["probes"]
    )
    assert metrics["validation"] == {"accuracy": 0.5}, "the other metrics stay"


def test_task_without_behavioural_tests_is_named(error_sentences, checkpoints_dir, monkeypatch):
    monkeypatch.setattr(Task, "behavioural_tests", lambda task: ())
    sentence, _ = error_sentences("probe", "--task", "imdb", "--model", "tiny")
    assert says(sentence, "cli.no_behavioural_tests", task="imdb")
