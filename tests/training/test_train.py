"""From a task and a recipe to a checkpoint folder, on the sample corpus."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.training.tiny import ENCODER, RECIPE, RecordingCallback, train_tiny, training, without_clock
from viz_core import checkpoints
from viz_core.analysis.evaluation import metrics
from viz_core.recipes import Recipe
from viz_core.records import Failure
from viz_core.tasks import TASKS
from viz_core.training.train import train

pytestmark = pytest.mark.process

VALIDATION = {
    "n",
    "accuracy",
    "auc",
    "mcc",
    "f1",
    "confusion",
    "majority_accuracy",
    "threshold",
    "ece",
    "ece_uncalibrated",
    "validation_loss",
}
ALWAYS = {"phase", "evaluation", "epoch", "step", "loss", "train_accuracy", "lr", "device"}


def trained(root, name: str = "tiny", task: str = "imdb", recipe: Recipe = RECIPE, encoder: dict = ENCODER, **options):
    """The checkpoint as loaded, and what was reported."""
    told = []
    train(training(task, recipe, encoder, name=name, **options), root / task / name, told.append)
    return checkpoints.load(task, name, root), told


@pytest.mark.parametrize(
    "task, recipe", [("imdb", RECIPE), ("afqmc", replace(RECIPE, swap=True, pretrain_epochs=1, epochs=1))]
)
def test_training_writes_a_complete_checkpoint(tmp_path, task, recipe):
    checkpoint, told = trained(tmp_path, task=task, recipe=recipe, caution="checkpoints.collapsed")
    assert {file.name for file in (tmp_path / task / "tiny").iterdir()} == {
        checkpoints.WEIGHTS,
        checkpoints.CONFIG,
        checkpoints.TOKENIZER,
        checkpoints.METRICS,
        checkpoints.CARD,
    }
    assert checkpoint.settings.caution == "checkpoints.collapsed"
    assert checkpoint.settings.model.layers == 1
    assert [figures["phase"] for figures in told] == ["pretrain"] * recipe.pretrain_epochs + ["train"] * recipe.epochs
    kept = checkpoint.metrics.entries
    assert kept["parameters"] == sum(parameter.numel() for parameter in checkpoint.model.parameters())
    assert kept["recipe"]["lr"] == recipe.lr and kept["seed"] == 0 and kept["data"] == "sample"
    assert kept["validation"]["threshold"] == checkpoint.settings.threshold
    card = (tmp_path / task / "tiny" / checkpoints.CARD).read_text(encoding="utf-8")
    assert card.startswith(f"# {task} / tiny\n") and "## Behavioural tests" in card
    assert kept["probes"]["n"] == 60
    json.dumps(kept, allow_nan=False)


def test_figures_of_the_card_are_those_of_the_file(tmp_path):
    task = TASKS["imdb"]
    checkpoint, told = trained(tmp_path)
    examples = task.examples(task.read("validation", "sample"), checkpoint.text_encoder)
    scores = checkpoint.logits(examples)
    kept, settings = checkpoint.metrics.entries["validation"], checkpoint.settings
    found = metrics(scores, examples.labels, settings.temperature, settings.threshold).to_dict()
    for name in found:
        np.testing.assert_allclose(found[name], kept[name], atol=1e-6)
    best = max(told, key=lambda figures: figures["auc"])
    assert (
        best["step"] == checkpoint.metrics.entries["step"]
        and best["confusion"] == metrics(scores, examples.labels, 1.0, 0.5).to_dict()["confusion"]
    )


def test_evaluations_say_all_there_is_to_say(tmp_path):
    _, told = trained(tmp_path, task="afqmc", recipe=replace(RECIPE, pretrain_epochs=1, epochs=1, evaluations=2))
    pretrained, half, whole = told
    assert set(without_clock(pretrained)) == ALWAYS and set(without_clock(half)) == ALWAYS | VALIDATION
    assert {"tokens_per_second", "seconds", "memory_bytes"} < set(half)
    assert [figures["evaluation"] for figures in told] == [1, 2, 3]
    assert (half["epoch"], whole["epoch"]) == (0.5, 1) and pretrained["step"] < half["step"] < whole["step"]
    assert pretrained["epoch"] == 1 and half["device"] == "cpu" and 0 <= half["train_accuracy"] <= 1
    assert half["n"] == sum(map(sum, half["confusion"])) == len(TASKS["afqmc"].read("validation", "sample"))


def test_training_is_the_same_for_the_same_seed(tmp_path):
    recipe = replace(RECIPE, epochs=1, pretrain_epochs=1)
    one, _ = trained(tmp_path, "one", recipe=recipe)
    torch.rand(7)  # whatever happened before must not matter
    two, _ = trained(tmp_path, "two", recipe=recipe)
    other, _ = trained(tmp_path, "other", recipe=replace(recipe, seed=1))
    weights = [checkpoint.model.state_dict() for checkpoint in (one, two, other)]
    assert all(torch.equal(weights[0][name], weights[1][name]) for name in weights[0])
    assert not torch.equal(weights[0]["classifier.weight"], weights[2]["classifier.weight"])
    assert one.metrics.entries["data_sha256"] == two.metrics.entries["data_sha256"]


def test_looking_on_changes_nothing(tmp_path):
    quiet, watched = RecordingCallback(), RecordingCallback()
    train_tiny(tmp_path / "quiet", quiet, evaluations=2)
    watched.on_snapshot = lambda evaluation, model: (
        model().model.layers[0].attention.query.weight.data.zero_(),
        torch.rand(0),
    )
    train_tiny(tmp_path / "watched", watched, evaluations=2)
    assert quiet.figures == watched.figures
    assert [evaluation for evaluation, _ in quiet.snapshots] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    "share, rows, expected", [(1.0, 0, 384), (0.5, 0, 192), (1.0, 100, 100), (0.5, 100, 100), (0.1, 100, 38)]
)
def test_part_of_the_data_is_learned_from(tmp_path, share, rows, expected):
    callback = RecordingCallback()
    train_tiny(tmp_path, callback, epochs=1, batch=10, share=share, train_rows=rows)
    assert callback.start[2] == -(-expected // 10)


def test_training_learns_and_keeps_its_best_epoch(tmp_path):
    checkpoint, told = trained(
        tmp_path, recipe=Recipe(lr=5e-3, epochs=3, batch=16), encoder={**ENCODER, "dropout": 0.0, "pooling": "mean"}
    )
    assert told[-1]["loss"] < 0.7 * told[0]["loss"] and told[-1]["train_accuracy"] > told[0]["train_accuracy"]
    best = max(figures["auc"] for figures in told)
    assert checkpoint.metrics.entries["validation"]["auc"] == pytest.approx(best, abs=5e-3)
    assert best > 0.7


def test_classes_of_unequal_share_are_weighted_on_request(tmp_path):
    """Weighted or not, the classes of the sample are balanced: nothing changes, except in a part of it that is not."""
    curves = {}
    for weights in (False, True):
        callback = RecordingCallback()
        train_tiny(tmp_path / str(weights), callback, epochs=1, train_rows=51, batch=51, class_weights=weights)
        curves[weights] = callback.figures[0]["loss"]
    assert curves[False] != curves[True] and curves[False] == pytest.approx(curves[True], abs=0.05)


@pytest.mark.parametrize("best, evaluations, told", [("accuracy", 1, 3), ("mcc", 2, 5)])
def test_patience_ends_a_training_that_gets_no_better(tmp_path, best, evaluations, told):
    """A rate far too small to change any answer: the first evaluation stays the best, and two more epochs are granted."""
    callback = RecordingCallback()
    _, done = train_tiny(tmp_path, callback, lr=1e-12, epochs=9, patience=2, best=best, evaluations=evaluations)
    assert done and len(callback.figures) == told


@pytest.mark.parametrize("pretrain_epochs", [0, 1])
def test_training_that_goes_astray_says_so_and_saves_nothing(tmp_path, pretrain_epochs):
    recipe = replace(RECIPE, lr=1e38, pretrain_lr=1e38, warmup=0.0, pretrain_epochs=pretrain_epochs)
    with pytest.raises(Failure) as failure:
        trained(tmp_path, recipe=recipe)
    assert failure.value.message.key == "training.diverged"
    assert not (tmp_path / "imdb").exists()


def test_a_model_that_was_there_is_replaced_only_by_a_new_one(tmp_path):
    trained(tmp_path)
    (tmp_path / "imdb" / "tiny" / "note.txt").touch()
    before = checkpoints.load("imdb", "tiny", tmp_path).metrics
    with pytest.raises(Failure):
        trained(tmp_path, recipe=replace(RECIPE, lr=1e38, warmup=0.0))
    assert checkpoints.load("imdb", "tiny", tmp_path).metrics == before
    trained(tmp_path, recipe=replace(RECIPE, seed=1))
    assert checkpoints.load("imdb", "tiny", tmp_path).metrics.entries["seed"] == 1
    assert [path.name for path in (tmp_path / "imdb").iterdir()] == ["tiny"]


def test_data_that_is_not_at_hand_names_the_sample_and_the_download(tmp_path):
    with pytest.raises(Failure) as failure:
        train(training(data="full"), tmp_path / "out")
    message = failure.value.message
    assert (message.key, message.values["reason"].key) == ("training.no_data", "datasets.missing")


def test_a_device_that_is_not_there_is_named(tmp_path):
    with pytest.raises(Failure) as failure:
        train(training(device="abacus"), tmp_path / "out")
    assert (failure.value.message.key, failure.value.message.values["device"]) == ("training.bad_device", "abacus")


@pytest.mark.parametrize(
    "encoder, message",
    [
        ({**ENCODER, "width": 30, "heads": 4}, "width 30 is not divisible by 4 heads"),
        ({**ENCODER, "colour": 3}, "colour"),
    ],
)
def test_settings_that_do_not_fit_are_refused_before_anything_is_read(encoder, message):
    with pytest.raises(ValueError, match=message):
        training(encoder=encoder)
