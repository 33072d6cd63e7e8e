"""The share of right answers, by category: worked out by hand, and that of a model against what it predicts one by one."""

from __future__ import annotations

import pytest

from viz_core import checkpoints
from viz_core.analysis.behaviour import category_scores, run_behavioural_tests, score_predictions
from viz_core.analysis.explain import explain
from viz_core.records import BehaviouralPrediction, BehaviouralTest, CategoryScore

REVIEWS = [
    BehaviouralTest("negation", (text,), expected)
    for text, expected in (
        ("not a good film", "negative"),
        ("a good film and a good story", "positive"),
        ("a bad story", "negative"),
    )
]
PAIRS = [
    BehaviouralTest("order", ("花呗怎么还款", "借呗怎么还款"), "different"),
    BehaviouralTest("synonym", ("花呗怎么还款", "花呗如何还钱"), "same"),
]


def answer(category: str, expected: str, label: str) -> BehaviouralPrediction:
    return BehaviouralPrediction(BehaviouralTest(category, ("a",), expected), label, 0.75)


ANSWERS = [
    answer("negation", "positive", "positive"),
    answer("contrast", "negative", "positive"),
    answer("negation", "negative", "negative"),
    answer("contrast", "positive", "negative"),
    answer("negation", "positive", "negative"),
    answer("negation", "negative", "negative"),
]


def test_right_answers_are_counted_by_category_in_the_order_of_the_probes():
    found = score_predictions(ANSWERS)
    assert [one.correct for one in found.predictions] == [True, False, True, False, False, True]
    assert [(one.category, one.n, one.accuracy) for one in found.scores] == [
        ("negation", 4, 0.75),
        ("contrast", 2, 0.0),
    ]
    assert (found.overall.category, found.overall.n, found.overall.accuracy) == ("all", 6, 0.5)
    assert found.predicted_counts == {"negative": 4, "positive": 2}


def test_intervals_are_those_of_wilson():
    """Of 4, 3 right: (3/4 + z²/8 ± z √(3/64 + z²/64)) / (1 + z²/4) with z² = 3.841459."""
    negation, contrast = score_predictions(ANSWERS).scores
    assert (negation.low, negation.high) == pytest.approx((0.300642, 0.954413), abs=1e-5)
    assert (contrast.low, contrast.high) == pytest.approx((0, 3.841459 / (2 + 3.841459)), abs=1e-6)


def test_always_the_same_answer_is_right_for_half_of_what_is_balanced():
    found = score_predictions([answer("order", expected, "same") for expected in ("same", "different") * 5])
    assert found.overall.accuracy == 0.5 and found.predicted_counts == {"different": 0, "same": 10}
    assert found.overall.low + found.overall.high == pytest.approx(1)


@pytest.mark.parametrize("task, probes", [("imdb", REVIEWS), ("afqmc", PAIRS)])
def test_the_answers_are_those_that_the_model_gives_one_by_one(checkpoints_dir, task, probes):
    checkpoint = checkpoints.load(task, "tiny")
    for one, probe in zip(run_behavioural_tests(checkpoint, probes).predictions, probes, strict=True):
        alone = explain(checkpoint, *probe.texts)
        assert one.test == probe and one.label == alone.labels[alone.predicted]
        assert one.probability == pytest.approx(alone.probabilities[alone.predicted], abs=1e-5)


def test_what_is_kept_says_it_all_but_the_texts():
    kept = category_scores(score_predictions(ANSWERS))
    assert set(kept) == {"category", "n", "accuracy", "low", "high", "given", "categories"}
    assert CategoryScore(**kept["categories"][0]) == score_predictions(ANSWERS).scores[0]


def test_without_answers_there_is_nothing_to_score():
    with pytest.raises(ValueError, match="at least one"):
        score_predictions([])
