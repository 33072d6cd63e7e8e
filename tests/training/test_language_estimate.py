"""The estimate of a training of a language model: its rows are windows of all texts, not the texts."""

from math import ceil

import pytest

from viz_core.training import estimate as module
from viz_core.training.decoding_time import CONTINUED, continuing_seconds
from viz_core.training.estimate import START, estimate, expected_corpus_size
from viz_core.training.prepare import prepare_for
from viz_core.training.settings import TrainingSettings

SIZES = dict(layers=1, heads=2, width=8, feedforward=16)


def training(tokens: int, **recipe):
    recipe = dict(epochs=2, batch=64, evaluations=1, validation_rows=0) | recipe
    overrides = SIZES | {"max_tokens": tokens}
    return TrainingSettings("imdb-text", data="sample", overrides=overrides, recipe=recipe).training()


def test_steps_are_those_of_the_windows(monkeypatch):
    monkeypatch.setattr(module, "_time_step", lambda *arguments: module.StepTime(1.0, 100.0, 0.0))
    monkeypatch.setattr(module, "_decoding_seconds", lambda *arguments: 10.0)
    plan = training(32)
    prepared = prepare_for(plan)
    windows, tokens = len(prepared.train), int(prepared.validation.lengths.sum())
    texts = len(plan.task.read("train", "sample"))
    assert windows > 1.5 * texts and prepared.train.lengths.max() == 32
    evaluation = tokens / 100 / 3 + module._AROUND_EVALUATION + 10
    assert estimate(plan).seconds == pytest.approx(START + 2 * (ceil(windows / 64) + evaluation), abs=0.1)
    assert expected_corpus_size(plan).rows == windows and expected_corpus_size(training(64)).longest == 64


def test_continuing_the_pinned_inputs_is_timed(monkeypatch):
    """8 tokens in a second, of which 2 inputs need 40 each."""
    times = iter([0.0, 3.0, 10.0, 11.0])
    monkeypatch.setattr("viz_core.training.decoding_time.time.perf_counter", lambda: next(times))
    plan = training(64).with_vocabulary(300)
    model = module.KINDS[plan.kind].build(plan.config).eval()
    assert continuing_seconds(model, None) == pytest.approx(2 * CONTINUED / 8)
