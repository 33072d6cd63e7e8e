"""A task of one's own is trained, tested once, compared with baselines, and deleted with all that was made of it."""

import json

import numpy as np
import pytest

from tests.tasks.own import add_task
from viz_core import checkpoints
from viz_core.evidence.results import read_result
from viz_core.jobs import runs
from viz_core.jobs.reporter import Reporter
from viz_core.jobs.request import read_request
from viz_core.records import Failure
from viz_core.tasks import own
from viz_core.training import door
from viz_core.training.own_tasks import delete_expired, delete_task, runs_of, tidy_own_tasks
from viz_core.training.own_verdict import TEST, MeasuredModel, _message, verdict
from viz_core.training.run import train_run
from viz_core.training.settings import TrainingSettings

FEW = {"epochs": 12, "lr": 5e-3}


def start(task: str, preset: str) -> str:
    """Queues a training; returns its id."""
    settings = TrainingSettings(task, preset, data="sample", recipe=FEW if preset == "small" else {})
    return door.submit(settings, "cpu", "anna").id


def finish(id: str) -> None:
    """Carries out a training, as its job does."""
    path = runs.read(id).path
    train_run(Reporter(path), read_request(path))


@pytest.fixture(autouse=True)
def many_runs(monkeypatch):
    monkeypatch.setenv("VIZ_RUNS_PER_VISITOR", "10")


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Where caches of tokens would be."""
    return tmp_path / "project"


def test_it_is_trained_compared_and_its_rows_are_deleted(root, project):
    task = add_task(keeps_rows=False).name
    ids = [start(task, preset) for preset in ("small", "bag")]
    assert verdict(task) is None
    finish(ids[0])
    assert own.has_rows(task), "another training is still to come"
    finish(ids[1])
    assert not own.has_rows(task)
    found = verdict(task)
    assert [model.kind for model in found.models] == ["encoder", "bag"] and found.rows > 10
    assert found.models[0].accuracy > 0.9 and found.majority == pytest.approx(0.5, abs=0.1)
    assert found.message.key.startswith("own.verdict_")
    assert not list(project.rglob("tokens-*")), "no copy of the rows is left"
    secret = "two lemons in a bowl"
    files = [file for file in root.rglob("*") if file.is_file()]
    assert not [file for file in files if secret.encode() in file.read_bytes()], "nor in any file of the runs"
    kept = door.save_model(runs.read(ids[0]), owner="anna")
    assert read_result(kept, "health") and read_result(kept, "heads"), "measured while the rows were there"


def test_rows_that_are_kept_stay(root):
    task = add_task().name
    finish(start(task, "bag"))
    assert own.has_rows(task)


def test_a_kept_model_brings_the_definition_and_nothing_of_the_owner(root):
    definition = add_task()
    id = start(definition.name, "bag")
    finish(id)
    out = door.save_model(runs.read(id), "kept", owner="anna")
    saved = json.loads((out / "task.json").read_text(encoding="utf-8"))
    assert saved["labels"] == list(definition.labels) and "owner" not in saved
    assert checkpoints.load(definition.name, "kept").task.labels == definition.labels
    assert [info.name for info in checkpoints.task_checkpoints(definition.name)] == ["kept"]


def test_deleted_means_deleted(root):
    task, other = add_task().name, add_task("Other").name
    id, kept = start(task, "bag"), start(other, "bag")
    finish(id)
    door.save_model(runs.read(id), owner="anna")
    queued = start(task, "tfidf")
    delete_task(task)
    assert [run.id for run in runs.list_runs()] == [kept] and queued not in {run.id for run in runs.list_runs()}
    assert not (checkpoints.folder() / task).exists() and not (own.folder() / task).exists()
    assert own.find_definition(other) and list(runs_of(other))
    with pytest.raises(Failure, match="own.unknown"):
        delete_task(task)


def test_expired_tasks_are_deleted(root):
    over, kept = add_task(expires=1.0).name, add_task().name
    start(over, "bag")
    assert delete_expired() == [over] and own.find_definition(kept) and not list(runs_of(over))


def test_rows_go_although_the_last_training_was_stopped(root):
    task = add_task(keeps_rows=False).name
    first, last = start(task, "bag"), start(task, "tfidf")
    finish(first)
    tidy_own_tasks()
    assert own.has_rows(task), "one is still waiting"
    runs.stop(last)
    tidy_own_tasks()
    assert not own.has_rows(task) and own.find_definition(task)


def test_a_damaged_result_is_left_out(root):
    task = add_task().name
    id = start(task, "bag")
    finish(id)
    (runs.read(id).path / TEST).write_text('{"right": "all"}')
    assert verdict(task) is None


@pytest.mark.parametrize(
    ("encoder", "other", "key"),
    [
        ([1] * 40, [1] * 20 + [0] * 20, "own.verdict_better"),
        ([1] * 20 + [0] * 20, [1] * 40, "own.verdict_worse"),
        ([1] * 20 + [0] * 20, [0] * 2 + [1] * 20 + [0] * 18, "own.verdict_alike"),
    ],
)
def test_the_sentence_follows_the_paired_difference(encoder, other, key):
    models = [
        MeasuredModel(kind, kind, kind, np.array(right, bool), 0.9)
        for kind, right in (("encoder", encoder), ("tfidf", other))
    ]
    message = _message(models, 0.2)
    assert message.key == key and message.values["points"] == pytest.approx(
        100 * abs(np.mean(encoder) - np.mean(other))
    )
    assert message.values["low"] <= message.values["points"] <= message.values["high"]


@pytest.mark.parametrize(("right", "points"), [(30, 25), (10, -25)])
def test_of_an_encoder_that_was_fine_tuned_the_difference_alone_is_said(right, points):
    encoder = MeasuredModel("encoder", "encoder", "encoder", np.arange(40) < right, 0.9, "imdb/minilm")
    other = MeasuredModel("tfidf", "tfidf", "tfidf", np.arange(40) < 20, 0.9)
    message = _message([encoder, other], 0.2)
    assert message.key == "own.verdict_started" and message.values["points"] == pytest.approx(points)
    assert message.values["start"] == "imdb/minilm"


@pytest.mark.parametrize(("right", "learned"), [(24, False), (27, True)])
def test_models_no_better_than_the_majority_have_learned_nothing(right, learned):
    """24 of 40 is 60 %, at least 45 % (Wilson); 27 of 40 is 67.5 %, at least 52 %."""
    answers = np.arange(40) < right
    models = [MeasuredModel(kind, kind, kind, answers, 0.9) for kind in ("encoder", "tfidf")]
    assert (_message(models, 0.5).key == "own.verdict_nothing") is not learned
