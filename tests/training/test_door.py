"""What is asked at the door to training, and what it answers before anything is trained."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.tiny import save_checkpoint
from tests.training.tiny import ENCODER
from viz_core import checkpoints
from viz_core.jobs import runs
from viz_core.records import Failure
from viz_core.training import door, estimate
from viz_core.training.door import TrainingSettings
from viz_core.training.estimate import CorpusSize, expected_corpus_size

SETTINGS = TrainingSettings(
    "afqmc",
    "small",
    "mine",
    "sample",
    encoder=ENCODER,
    recipe={"epochs": 2},
    pinned=(("花呗怎么还款", "花呗如何还钱"),),
)


@pytest.fixture(autouse=True)
def no_worker(monkeypatch):
    monkeypatch.setenv("VIZ_RUNS_FREE_MB", "1")
    monkeypatch.setattr("viz_core.jobs.runs.ensure_worker", lambda root: None)


def test_what_was_asked_for_is_what_the_worker_reads():
    run = door.submit(SETTINGS, "cpu", "me", experiment="depth")
    request = runs.read(run.id).request
    assert (request.kind, request.name, request.command, request.device, request.owner, request.experiment) == (
        "train",
        "mine",
        door.COMMAND,
        "cpu",
        "me",
        "depth",
    )
    assert request.settings == {
        "task": "afqmc",
        "preset": "small",
        "name": "mine",
        "data": "sample",
        "encoder": ENCODER,
        "recipe": {"epochs": 2},
        "pinned": [["花呗怎么还款", "花呗如何还钱"]],
    }
    assert TrainingSettings.from_request(request) == replace(SETTINGS, device="cpu")


@pytest.mark.parametrize(
    "settings, device, key",
    [(SETTINGS, "abacus", "training.bad_device"), (replace(SETTINGS, data="full"), "cpu", "datasets.missing")],
)
def test_what_cannot_be_is_refused_before_there_is_a_run(settings, device, key):
    with pytest.raises(Failure, match=key):
        door.submit(settings, device, "me")
    assert runs.list_runs() == []


@pytest.mark.parametrize(
    "task, recipe",
    [
        ("imdb", {"batch": 10**6}),
        ("imdb", {"batch": 10**6, "share": 0.1}),
        ("afqmc", {"batch": 100, "train_rows": 30}),
        ("imdb", {"batch": 600, "teacher": "none", "pieces": False, "pretrain_epochs": 1}),
        ("afqmc", {"batch": 500}),
        ("afqmc", {"batch": 10**6, "swap": False, "share": 0.5, "seed": 3}),
    ],
)
def test_the_memory_said_before_is_that_which_decides_when_it_starts(monkeypatch, task, recipe):
    monkeypatch.setattr(estimate, "_time_step", lambda *given: (1.0, 1.0))
    settings = TrainingSettings(task, data="sample", encoder=ENCODER, recipe=recipe)
    said = door.requirements(settings, "cpu")
    assert said.seconds is None and replace(door.estimate(settings, "cpu"), seconds=None) == said


def test_of_a_whole_corpus_what_a_model_of_it_and_its_publisher_say(checkpoints_dir):
    """A hundredth of IMDB's 25,000 labelled and 50,000 unlabelled reviews, each with a piece of it."""
    metrics = save_checkpoint(checkpoints_dir, "imdb", "whole") / checkpoints.METRICS
    metrics.write_text(json.dumps({**json.loads(metrics.read_text()), "data": "full"}))
    vocabulary = checkpoints.read_info(metrics.parent).settings.model.vocabulary
    asked = TrainingSettings("imdb", data="full", recipe={"share": 0.01})
    assert expected_corpus_size(asked.training()) == CorpusSize(vocabulary, 2 * (250 + 500), 512)
    plain = replace(asked, recipe={"share": 0.01, "teacher": "none", "pieces": False})
    assert expected_corpus_size(plain.training()).rows == 250


def test_where_nothing_is_known_of_a_whole_corpus_it_is_said(checkpoints_dir):
    with pytest.raises(Failure, match="training.no_data"):
        door.requirements(TrainingSettings("imdb"), "cpu")


def test_devices_end_with_the_one_that_every_machine_has():
    assert door.devices()[-1] == "cpu"
