"""The time of translating the validation split, from a few timed tokens."""

from dataclasses import replace
from math import ceil
from types import SimpleNamespace

import numpy as np
import pytest

from tests.models.tiny import encoder_decoder
from viz_core.tasks import TRANSLATION, get_task
from viz_core.training import decoding_time, estimate
from viz_core.training.decoding_time import decoding_seconds
from viz_core.training.kinds import training_kind
from viz_core.training.prepare import Prepared, prepare
from viz_core.training.settings import TrainingSettings

TASK = "tatoeba"


@pytest.fixture(scope="module")
def sample() -> Prepared:
    return prepare(get_task(TASK), "sample")


def test_all_batches_are_as_long_as_the_longest_target(sample, monkeypatch):
    """8 tokens of a batch take 2 s."""
    clock = SimpleNamespace(now=0.0)

    def translate(model, sources, decode, batch):
        clock.now += 2.0

    monkeypatch.setattr(decoding_time, "translate", translate)
    monkeypatch.setattr(decoding_time, "time", SimpleNamespace(perf_counter=lambda: clock.now))
    validation = sample.validation.at(np.arange(len(sample.validation)).repeat(3))
    longest = max(int(segments.sum()) for segments in validation.segments)
    assert decoding_seconds(None, validation) == pytest.approx(2.0 / 8 * longest * ceil(len(validation) / 64))


def test_only_a_few_tokens_are_decoded(sample, monkeypatch):
    model = encoder_decoder(0, vocabulary=sample.text.vocabulary, max_tokens=96)
    steps, advance = [], model.advance
    monkeypatch.setattr(model, "advance", lambda *arguments: steps.append(1) or advance(*arguments))
    assert decoding_seconds(model, sample.validation) > 0 and len(steps) <= 2 * 8


def test_the_estimate_of_a_translation_contains_the_decoding_at_every_evaluation(monkeypatch):
    kind = replace(training_kind(TRANSLATION), decoding_seconds=lambda model, validation: 1000.0)
    monkeypatch.setattr(estimate, "training_kind", lambda _: kind)
    model = {"layers": 1, "heads": 2, "width": 16, "feedforward": 16}
    settings = TrainingSettings(TASK, data="sample", overrides=model, recipe={"epochs": 3}, device="cpu")
    evaluations = 3 * settings.training().recipe.evaluations
    assert 0 < estimate.estimate(settings.training()).seconds - 1000 * evaluations < 1000
