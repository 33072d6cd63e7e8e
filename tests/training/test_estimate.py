"""What a training will take, against what it takes."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
import torch

from tests.tiny import config
from tests.training.tiny import ENCODER, RECIPE, train_tiny, training
from viz_core.models.encoder import Encoder
from viz_core.recipes import Recipe
from viz_core.records import Failure
from viz_core.tasks import TASKS
from viz_core.training import estimate as module
from viz_core.training.batches import Batch
from viz_core.training.estimate import START, estimate, memory
from viz_core.training.objectives import Classification
from viz_core.training.settings import model_config

SHAPES = [
    dict(),
    dict(norm="post"),
    dict(positions="sinusoidal"),
    dict(overlap=True),
    dict(stem="convolution"),
    dict(layers=5, heads=4, width=12),
    dict(classes=3, feedforward=7, segments=1),
    dict(norm="post", positions="sinusoidal", overlap=True, pooling="mean"),
]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_parameters_are_those_of_the_encoder(shape):
    sizes = config(**shape)
    assert sizes.parameters() == sum(parameter.numel() for parameter in Encoder(sizes).parameters())


@pytest.mark.parametrize(
    "shape",
    [
        dict(),
        dict(norm="post"),
        dict(heads=8),
        dict(feedforward=256),
        dict(layers=6),
        dict(attention_dropout=0.1),
        dict(heads=8, attention_dropout=0.1),
    ],
    ids=str,
)
@pytest.mark.parametrize("rows, tokens", [(8, 64), (2, 256)])
def test_memory_is_what_a_step_keeps_and_half_as_much_again(shape, rows, tokens):
    """Every tensor that autograd keeps for the backward pass, counted once."""
    sizes = config(**{**dict(max_tokens=256, layers=2, heads=4, width=64, feedforward=128, dropout=0.1), **shape})
    objective = Classification(Encoder(sizes)).train()
    own = {parameter.untyped_storage()._cdata for parameter in objective.parameters()}
    kept = {}

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        kept[tensor.untyped_storage()._cdata] = tensor
        return tensor

    ids = torch.randint(4, 30, (rows, tokens))
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        sums = objective(Batch(ids, ids * 0, ids > 0, torch.zeros(rows, dtype=torch.int64), torch.ones(rows)))
    measured = sum(tensor.untyped_storage().nbytes() for storage, tensor in kept.items() if storage not in own)
    said = memory(sizes, Recipe(), rows, tokens) - 16 * sizes.parameters()
    assert sums.loss > 0 and 1.2 < said / measured < 1.8


def test_pretraining_and_dropout_on_attention_cost_memory():
    sizes, plain = config(vocabulary=5_000), Recipe()
    least = memory(sizes, plain, 8, 16)
    assert memory(sizes, replace(plain, pretrain_epochs=1), 8, 16) > least
    assert memory(sizes, replace(plain, r_drop=1.0), 8, 16) > least
    assert memory(replace(sizes, attention_dropout=0.1), plain, 8, 16) > least
    assert memory(sizes, plain, 16, 16) > least


def test_estimate_is_of_the_encoder_that_would_be_trained(tmp_path):
    found = estimate(training())
    trainer, _ = train_tiny(tmp_path)
    assert found.parameters == trainer.setup.figures["parameters"]
    assert 16 * found.parameters < found.memory_bytes < found.memory_available


def test_seconds_are_of_the_right_size(tmp_path):
    """Within a factor of four either way: other work on the machine does not wait for us."""
    recipe = replace(RECIPE, epochs=4, batch=16)
    began = time.perf_counter()
    said = estimate(training(recipe=recipe)).seconds
    estimated = time.perf_counter()
    train_tiny(tmp_path, epochs=4, batch=16)
    taken = START + time.perf_counter() - estimated  # a process of its own would have to start first
    assert said / 4 < taken < 4 * said + 1
    assert estimated - began < 10


def test_seconds_grow_with_epochs_and_with_swapped_pairs(monkeypatch):
    monkeypatch.setattr(module, "_time_step", lambda *given: (1.0, 100.0))

    def seconds(**recipe):
        return estimate(training("afqmc", replace(RECIPE, **recipe))).seconds

    once = seconds(epochs=1)
    start, around = START, module._AROUND_EVALUATION
    assert seconds(epochs=3) - start == pytest.approx(3 * (once - start))
    assert seconds(epochs=1, swap=True) == pytest.approx(once + 6), "384 more rows in batches of 64"
    assert seconds(epochs=1, pretrain_epochs=2) == pytest.approx(once + 12 + 2 * around)
    assert seconds(epochs=1, evaluations=2) > once


def test_what_is_timed_stays_small():
    """A page times by itself what its visitors choose."""
    small, large = config(), config(layers=24, heads=16, width=1024, feedforward=8192, vocabulary=30_000)
    assert small.shrink(module._TRIAL_PARAMETERS) == small
    timed = large.shrink(module._TRIAL_PARAMETERS)
    assert timed == replace(large, layers=1) and timed.parameters() < 6e7 < large.parameters() / 8
    assert replace(large, width=256, feedforward=1024).shrink(module._TRIAL_PARAMETERS).layers == 24


def test_timing_draws_nothing_from_the_random_numbers():
    torch.manual_seed(0)
    expected = torch.rand(3)
    torch.manual_seed(0)
    estimate(training())
    assert torch.equal(torch.rand(3), expected)


@pytest.mark.parametrize(
    "encoder, recipe",
    [
        (dict(width=65_536, feedforward=65_536), {}),
        (dict(layers=10**7), {}),
        (dict(width=10**12, heads=1), {}),
        (dict(feedforward=10**11), {}),
        (dict(attention_dropout=0.1, heads=4096, width=4096, layers=50), {}),
    ],
)
def test_absurd_sizes_are_refused_with_the_numbers_that_do_not_fit(encoder, recipe):
    sizes = {**ENCODER, **encoder}
    with pytest.raises(Failure) as failure:
        estimate(training("imdb", replace(RECIPE, **recipe), sizes))
    message = failure.value.message
    assert message.key == "training.too_large" and message.values["needed"] > message.values["available"] > 0
    assert message.values["parameters"] > 10**6


def test_a_batch_larger_than_the_corpus_is_the_corpus():
    whole, absurd = (estimate(training(recipe=replace(RECIPE, batch=batch))) for batch in (384, 10**9))
    assert absurd.memory_bytes == whole.memory_bytes


@pytest.mark.parametrize(
    "task, name", [("imdb", "small"), ("afqmc", "small"), ("afqmc", "course"), ("afqmc", "collapsed")]
)
def test_what_a_class_trains_fits_into_a_laptop(task, name):
    """IMDB's course model does not: its dropout on attention over 512 tokens needs over 8 GB."""
    preset = TASKS[task].presets[name]
    sizes = model_config(TASKS[task], "encoder", preset.model, vocabulary=30_000)
    assert memory(sizes, preset.recipe, preset.recipe.batch, TASKS[task].max_tokens) < 3e9
