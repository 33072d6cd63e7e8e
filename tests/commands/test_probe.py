"""The command that asks a model the probes, and keeps its scores."""

from __future__ import annotations

import json

import pytest

from viz_core import checkpoints
from viz_core.tasks import TASKS, Task


@pytest.mark.parametrize("task", ["imdb", "afqmc"])
def test_probe_gives_scores_and_every_answer(answer, checkpoints_dir, task):
    found = answer("probe", "--task", task, "--model", "tiny")
    assert (found["task"], found["model"], found["n"]) == (task, "tiny", 60)
    right = [one["label"] == one["expected"] for one in found["answers"]]
    assert found["accuracy"] == pytest.approx(sum(right) / 60)
    assert [one["texts"] for one in found["answers"]] == [list(probe.texts) for probe in TASKS[task].behavioural_tests()]
    assert [score["n"] for score in found["categories"]] == [10] * 6
    assert "probes" not in checkpoints.read_info(checkpoints_dir / task / "tiny").metrics.entries


def test_recorded_scores_stand_in_the_metrics(answer, checkpoints_dir, monkeypatch):
    monkeypatch.setattr(
        "viz_core.checkpoints.card.model_card", lambda info: "card"
    )  # of a model that was not trained
    found = answer("probe", "--task", "afqmc", "--model", "tiny", "--record")
    kept = json.loads((checkpoints_dir / "afqmc/tiny" / checkpoints.METRICS).read_text(encoding="utf-8"))
    assert kept["probes"] == {name: found[name] for name in kept["probes"]} and "answers" not in kept["probes"]
    assert kept["validation"] == {"accuracy": 0.5}, "the other figures stay"


def test_a_task_without_probes_is_named(sentences, checkpoints_dir, monkeypatch):
    monkeypatch.setattr(Task, "behavioural_tests", lambda task: ())
    assert "no probes for the task imdb" in sentences("probe", "--task", "imdb", "--model", "tiny")[0]
