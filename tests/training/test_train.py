"""From a task and a recipe to a checkpoint folder, on the sample corpus."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from viz_core import checkpoints
from viz_core.records import Examples, Failure
from viz_core.tasks import TASKS
from viz_core.training.presets import PRESETS, Recipe
from viz_core.training.train import swapped, train

TINY = dict(layers=1, heads=2, width=16, feedforward=16, dropout=0.1)
RECIPE = Recipe(lr=2e-3, epochs=2, batch=64, word_dropout=0.1, label_smoothing=0.05)


def trained(root, name: str = "tiny", task: str = "imdb", recipe: Recipe = RECIPE, encoder: dict = TINY, **options):
    """The checkpoint as loaded, and what was reported."""
    told = []
    train(TASKS[task], encoder, recipe, root / task / name, "sample", "cpu", told.append, **options)
    return checkpoints.load(task, name, root), told


def test_swapped_pair_by_hand():
    #                      CLS  a  b SEP  c SEP
    pairs = Examples([np.array([2, 7, 8, 3, 9, 3], np.int32)], [np.array([0, 0, 0, 0, 1, 1], np.int8)], np.array([1]))
    other = swapped(pairs)
    assert other.ids[0].tolist() == [2, 9, 3, 7, 8, 3]
    assert other.segments[0].tolist() == [0, 0, 0, 1, 1, 1]
    assert other.labels.tolist() == [1]
    assert swapped(other).ids[0].tolist() == pairs.ids[0].tolist()


def test_swapping_reads_as_if_the_sentences_had_been_typed_the_other_way_round():
    task = TASKS["afqmc"]
    frame = task.read("train", "sample").head(20)
    text = task.text_encoder(task.build_tokenizer(task.texts(frame), task.max_tokens))
    other = task.examples(frame.rename(columns={"text": "text_b", "text_b": "text"}), text)
    ours = swapped(task.examples(frame, text))
    for row, expected in zip(ours.ids + ours.segments, other.ids + other.segments, strict=True):
        assert row.tolist() == expected.tolist()


@pytest.mark.parametrize("task, recipe", [
    ("imdb", RECIPE), ("afqmc", replace(RECIPE, swap=True, pretrain_epochs=1, epochs=1))])
def test_training_writes_a_complete_checkpoint(tmp_path, task, recipe):
    checkpoint, told = trained(tmp_path, task=task, recipe=recipe, caution="checkpoints.collapsed")
    written = {file.name for file in (tmp_path / task / "tiny").iterdir()}
    assert {checkpoints.WEIGHTS, checkpoints.CONFIG, checkpoints.TOKENIZER, checkpoints.METRICS} <= written
    assert checkpoint.settings.caution == "checkpoints.collapsed"
    assert checkpoint.settings.encoder.layers == 1
    assert checkpoint.settings.temperature > 0
    assert [figures["phase"] for figures in told] == ["pretrain"] * recipe.pretrain_epochs + ["train"] * recipe.epochs
    metrics = checkpoint.metrics
    assert metrics["parameters"] == sum(parameter.numel() for parameter in checkpoint.encoder.parameters())
    assert metrics["recipe"]["lr"] == recipe.lr and metrics["seed"] == 0 and metrics["data"] == "sample"
    assert metrics["validation"]["n"] == len(TASKS[task].read("validation", "sample"))
    assert metrics["validation"]["threshold"] == checkpoint.settings.threshold
    json.dumps(metrics, allow_nan=False)


def test_training_is_the_same_for_the_same_seed(tmp_path):
    recipe = replace(RECIPE, epochs=1, pretrain_epochs=1)
    one, _ = trained(tmp_path, "one", recipe=recipe)
    torch.rand(7)  # whatever happened before must not matter
    two, _ = trained(tmp_path, "two", recipe=recipe)
    other, _ = trained(tmp_path, "other", recipe=replace(recipe, seed=1))
    weights = [checkpoint.encoder.state_dict() for checkpoint in (one, two, other)]
    assert all(torch.equal(weights[0][name], weights[1][name]) for name in weights[0])
    assert not torch.equal(weights[0]["classifier.weight"], weights[2]["classifier.weight"])
    assert one.metrics["data_sha256"] == two.metrics["data_sha256"]


def test_training_learns_and_keeps_its_best_epoch(tmp_path):
    checkpoint, told = trained(tmp_path, recipe=Recipe(lr=5e-3, epochs=3, batch=16),
                               encoder={**TINY, "dropout": 0.0, "pooling": "mean"})
    assert told[-1]["loss"] < 0.7 * told[0]["loss"]
    best = max(figures["auc"] for figures in told)
    assert checkpoint.metrics["validation"]["auc"] == pytest.approx(best, abs=0.005)  # weights are saved in half precision
    assert best > 0.7


def test_patience_ends_a_training_that_gets_no_better(tmp_path):
    """A rate far too small to change any answer: the first epoch stays the best, and two more are granted."""
    _, told = trained(tmp_path, recipe=replace(RECIPE, lr=1e-12, epochs=9, patience=2, best="accuracy"))
    assert len(told) == 3


@pytest.mark.parametrize("pretrain_epochs", [0, 1])
def test_training_that_goes_astray_says_so_and_saves_nothing(tmp_path, pretrain_epochs):
    recipe = replace(RECIPE, lr=1e38, pretrain_lr=1e38, warmup=0.0, pretrain_epochs=pretrain_epochs)
    with pytest.raises(Failure) as failure:
        trained(tmp_path, recipe=recipe)
    assert failure.value.message.key == "training.diverged"
    assert not (tmp_path / "imdb").exists()


@pytest.mark.parametrize("values, message", [
    (dict(epochs=0), r"epochs \(0\)"), (dict(batch=0), r"batch \(0\)"), (dict(lr=0.0), r"lr is 0\.0")])
def test_recipes_that_cannot_work_are_refused(values, message):
    with pytest.raises(ValueError, match=message):
        Recipe(**values)


def test_only_the_bad_example_carries_a_caution():
    cautious = [(task, name) for task, presets in PRESETS.items() for name, preset in presets.items() if preset.caution]
    assert cautious == [("afqmc", "collapsed")]
