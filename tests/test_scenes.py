"""The scenes that the app must play well in class, with the models and examples that ship."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from pages.shared.gallery import PAIRS, REVIEWS
from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.checkpoints import FOLDER
from viz_core.records import Explanation


@cache
def best(task: str) -> checkpoints.Checkpoint:
    """The model that a visitor sees without choosing."""
    return checkpoints.load(task, checkpoints.usable(task, FOLDER)[0].name, FOLDER)


def review(name: str) -> Explanation:
    return explain(best("imdb"), *dict(REVIEWS)[name].values())


def pair(name: str) -> Explanation:
    return explain(best("afqmc"), *dict(PAIRS)[name].values())


def answer(explanation: Explanation) -> str:
    return explanation.labels[explanation.predicted]


@pytest.mark.parametrize(("name", "label"), [
    ("praise", "positive"), ("negation", "negative"), ("contrast", "positive"), ("sarcasm", "negative"),
    ("mixed", "negative")])
def test_the_reviews_on_the_page_get_the_right_answer(name, label):
    assert answer(review(name)) == label


@pytest.mark.parametrize(("name", "label"), [
    ("paraphrase", "same"), ("one_word", "different"), ("unrelated", "different")])
def test_the_pairs_on_the_page_get_the_right_answer(name, label):
    assert answer(pair(name)) == label


def test_every_example_is_read_whole():
    for explanation in [*(review(name) for name, _ in REVIEWS), *(pair(name) for name, _ in PAIRS)]:
        assert not explanation.encoding.notices


def test_the_collapsed_model_answers_the_same_for_everything_and_says_so():
    bad, = (one for one in checkpoints.usable("afqmc", FOLDER) if one.settings.caution)
    model = checkpoints.load("afqmc", bad.name, FOLDER)
    explanations = [explain(model, *texts.values()) for _, texts in PAIRS]
    assert {answer(explanation) for explanation in explanations} == {"different"}
    assert np.ptp([explanation.probabilities[1] for explanation in explanations]) < 0.01
    assert explanations[0].notices[0].key == "checkpoints.collapsed"
