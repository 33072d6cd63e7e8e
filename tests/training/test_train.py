"""From a task and a recipe to a checkpoint folder, on the sample corpus."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.training.tiny import DEVICE, ENCODER, RECIPE, RecordingCallback, train_tiny, training, without_clock
from viz_core import checkpoints
from viz_core.analysis.evaluation.metrics import metrics
from viz_core.recipes import Recipe
from viz_core.records import Failure
from viz_core.tasks import get_task
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


def train_and_load(
    root, name: str = "tiny", task: str = "imdb", recipe: Recipe = RECIPE, encoder: dict = ENCODER, **options
):
    """The checkpoint and the figures of all evaluations."""
    reports = []
    train(training(task, recipe, encoder, name=name, **options), root / task / name, reports.append)
    return checkpoints.load(task, name, root), reports


@pytest.mark.parametrize(
    "task, recipe", [("imdb", RECIPE), ("afqmc", replace(RECIPE, swap=True, pretrain_epochs=1, epochs=1))]
)
def test_training_writes_a_complete_checkpoint(tmp_path, task, recipe):
    checkpoint, reports = train_and_load(tmp_path, task=task, recipe=recipe, caution="checkpoints.collapsed")
    assert {file.name for file in (tmp_path / task / "tiny").iterdir()} == {
        checkpoints.WEIGHTS,
        checkpoints.CONFIG,
        checkpoints.TOKENIZER,
        checkpoints.METRICS,
        checkpoints.CARD,
    }
    assert checkpoint.settings.caution == "checkpoints.collapsed"
    assert checkpoint.settings.config.layers == 1
    assert [figures["phase"] for figures in reports] == ["pretrain"] * recipe.pretrain_epochs + [
        "train"
    ] * recipe.epochs
    entries = checkpoint.metrics.entries
    assert entries["parameters"] == sum(parameter.numel() for parameter in checkpoint.model.parameters())
    assert entries["recipe"]["lr"] == recipe.lr and entries["seed"] == 0 and entries["data"] == "sample"
    assert entries["validation"]["threshold"] == checkpoint.settings.threshold
    card = (tmp_path / task / "tiny" / checkpoints.CARD).read_text(encoding="utf-8")
    assert card.startswith(f"# {task} / tiny\n") and "## Behavioural tests" in card
    assert entries["probes"]["n"] == 60
    json.dumps(entries, allow_nan=False)


def test_figures_of_the_card_are_those_of_the_file(tmp_path):
    task = get_task("imdb")
    checkpoint, reports = train_and_load(tmp_path)
    examples = task.examples(task.read("validation", "sample"), checkpoint.text_encoder)
    logits = checkpoint.logits(examples)
    saved, settings = checkpoint.metrics.entries["validation"], checkpoint.settings
    measured = metrics(logits, examples.labels, settings.temperature, settings.threshold).to_dict()
    for name, value in measured.items():
        np.testing.assert_allclose(value, saved[name], atol=1e-6)
    best = max(reports, key=lambda figures: figures["auc"])
    assert best["step"] == checkpoint.metrics.entries["step"]
    assert best["confusion"] == metrics(logits, examples.labels, 1.0, 0.5).to_dict()["confusion"]


def test_evaluations_report_all_figures(tmp_path):
    _, reports = train_and_load(
        tmp_path, task="afqmc", recipe=replace(RECIPE, pretrain_epochs=1, epochs=1, evaluations=2)
    )
    pretrained, half, whole = reports
    assert set(without_clock(pretrained)) == ALWAYS and set(without_clock(half)) == ALWAYS | VALIDATION
    assert {"tokens_per_second", "seconds", "memory_bytes"} < set(half)
    assert [figures["evaluation"] for figures in reports] == [1, 2, 3]
    assert (half["epoch"], whole["epoch"]) == (0.5, 1) and pretrained["step"] < half["step"] < whole["step"]
    assert pretrained["epoch"] == 1 and half["device"] == DEVICE and 0 <= half["train_accuracy"] <= 1
    assert half["n"] == sum(map(sum, half["confusion"])) == len(get_task("afqmc").read("validation", "sample"))


def test_training_is_the_same_for_the_same_seed(tmp_path):
    recipe = replace(RECIPE, epochs=1, pretrain_epochs=1)
    first, _ = train_and_load(tmp_path, "first", recipe=recipe)
    torch.rand(7)  # numbers drawn before must not matter
    same, _ = train_and_load(tmp_path, "same", recipe=recipe)
    other, _ = train_and_load(tmp_path, "other", recipe=replace(recipe, seed=1))
    weights = [checkpoint.model.state_dict() for checkpoint in (first, same, other)]
    assert all(torch.equal(weights[0][name], weights[1][name]) for name in weights[0])
    assert not torch.equal(weights[0]["classifier.weight"], weights[2]["classifier.weight"])
    assert first.metrics.entries["data_sha256"] == same.metrics.entries["data_sha256"]


def test_a_callback_that_uses_the_model_changes_nothing(tmp_path):
    plain, changing = RecordingCallback(), RecordingCallback()
    train_tiny(tmp_path / "plain", plain, evaluations=2)
    changing.on_snapshot = lambda evaluation, model: (
        model().model.layers[0].attention.query.weight.data.zero_(),
        torch.rand(0),
    )
    train_tiny(tmp_path / "changing", changing, evaluations=2)
    assert plain.figures == changing.figures
    assert [evaluation for evaluation, _ in plain.snapshots] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    "share, rows, expected", [(1.0, 0, 384), (0.5, 0, 192), (1.0, 100, 100), (0.5, 100, 100), (0.1, 100, 38)]
)
def test_a_share_of_the_rows_is_trained_on(tmp_path, share, rows, expected):
    callback = RecordingCallback()
    train_tiny(tmp_path, callback, epochs=1, batch=10, share=share, train_rows=rows)
    assert callback.start[2] == -(-expected // 10)


def test_training_learns_and_saves_its_best_epoch(tmp_path):
    checkpoint, reports = train_and_load(
        tmp_path, recipe=Recipe(lr=5e-3, epochs=3, batch=16), encoder={**ENCODER, "dropout": 0.0, "pooling": "mean"}
    )
    assert reports[-1]["loss"] < 0.7 * reports[0]["loss"]
    assert reports[-1]["train_accuracy"] > reports[0]["train_accuracy"]
    best = max(figures["auc"] for figures in reports)
    assert checkpoint.metrics.entries["validation"]["auc"] == pytest.approx(best, abs=5e-3)
    assert best > 0.7


def test_class_weights_change_the_loss_of_unbalanced_rows(tmp_path):
    """51 rows cannot be balanced."""
    curves = {}
    for weights in (False, True):
        callback = RecordingCallback()
        train_tiny(tmp_path / str(weights), callback, epochs=1, train_rows=51, batch=51, class_weights=weights)
        curves[weights] = callback.figures[0]["loss"]
    assert curves[False] != curves[True] and curves[False] == pytest.approx(curves[True], abs=0.05)


@pytest.mark.parametrize("best, evaluations, expected", [("accuracy", 1, 3), ("mcc", 2, 5)])
def test_patience_ends_a_training_that_does_not_improve(tmp_path, best, evaluations, expected):
    """With a learning rate too small to change any prediction, the first evaluation stays the best: two more epochs."""
    callback = RecordingCallback()
    _, done = train_tiny(tmp_path, callback, lr=1e-12, epochs=9, patience=2, best=best, evaluations=evaluations)
    assert done and len(callback.figures) == expected


@pytest.mark.parametrize("pretrain_epochs", [0, 1])
def test_a_training_that_diverges_is_a_failure_and_saves_nothing(tmp_path, pretrain_epochs):
    recipe = replace(RECIPE, lr=1e38, pretrain_lr=1e38, warmup=0.0, pretrain_epochs=pretrain_epochs)
    with pytest.raises(Failure) as failure:
        train_and_load(tmp_path, recipe=recipe)
    assert failure.value.message.key == "training.diverged"
    assert not (tmp_path / "imdb").exists()


def test_an_existing_model_is_replaced_only_by_a_complete_one(tmp_path):
    train_and_load(tmp_path)
    (tmp_path / "imdb" / "tiny" / "note.txt").touch()
    before = checkpoints.load("imdb", "tiny", tmp_path).metrics
    with pytest.raises(Failure):
        train_and_load(tmp_path, recipe=replace(RECIPE, lr=1e38, warmup=0.0))
    assert checkpoints.load("imdb", "tiny", tmp_path).metrics == before
    train_and_load(tmp_path, recipe=replace(RECIPE, seed=1))
    assert checkpoints.load("imdb", "tiny", tmp_path).metrics.entries["seed"] == 1
    assert [path.name for path in (tmp_path / "imdb").iterdir()] == ["tiny"]


def test_missing_data_is_a_failure_with_its_reason(tmp_path):
    with pytest.raises(Failure) as failure:
        train(training(data="full"), tmp_path / "out")
    message = failure.value.message
    assert (message.key, message.values["reason"].key) == ("training.no_data", "datasets.missing")


def test_a_device_that_cannot_be_used_is_named(tmp_path):
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
def test_inconsistent_settings_are_refused_before_anything_is_read(encoder, message):
    with pytest.raises(ValueError, match=message):
        training(encoder=encoder)
