"""Accuracy by category, computed by hand, and the predictions of a model against `explain`."""

import pytest

from viz_core import checkpoints
from viz_core.analysis.evaluation.behaviour import category_scores, run_behavioural_tests, score_predictions
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


def prediction(category: str, expected: str, label: str) -> BehaviouralPrediction:
    return BehaviouralPrediction(BehaviouralTest(category, ("a",), expected), label, 0.75)


PREDICTIONS = [
    prediction("negation", "positive", "positive"),
    prediction("contrast", "negative", "positive"),
    prediction("negation", "negative", "negative"),
    prediction("contrast", "positive", "negative"),
    prediction("negation", "positive", "negative"),
    prediction("negation", "negative", "negative"),
]


def test_correct_predictions_are_counted_by_category_in_the_order_of_the_tests():
    results = score_predictions(PREDICTIONS)
    assert [prediction.correct for prediction in results.predictions] == [True, False, True, False, False, True]
    assert [(score.category, score.n, score.accuracy) for score in results.scores] == [
        ("negation", 4, 0.75),
        ("contrast", 2, 0.0),
    ]
    assert (results.overall.category, results.overall.n, results.overall.accuracy) == ("all", 6, 0.5)
    assert results.predicted_counts == {"negative": 4, "positive": 2}


def test_intervals_are_those_of_wilson():
    """3 of 4 correct: (3/4 + z²/8 ± z √(3/64 + z²/64)) / (1 + z²/4) with z² = 3.841459."""
    negation, contrast = score_predictions(PREDICTIONS).scores
    assert (negation.low, negation.high) == pytest.approx((0.300642, 0.954413), abs=1e-5)
    assert (contrast.low, contrast.high) == pytest.approx((0, 3.841459 / (2 + 3.841459)), abs=1e-6)


def test_the_majority_class_baseline_is_correct_on_half_of_balanced_tests():
    results = score_predictions([prediction("order", expected, "same") for expected in ("same", "different") * 5])
    assert results.overall.accuracy == results.baseline == 0.5
    assert results.predicted_counts == {"different": 0, "same": 10}
    assert results.overall.low + results.overall.high == pytest.approx(1)


@pytest.mark.parametrize("task, tests", [("imdb", REVIEWS), ("afqmc", PAIRS)])
def test_predictions_equal_those_of_explain(checkpoints_dir, task, tests):
    checkpoint = checkpoints.load(task, "tiny")
    for prediction_, test in zip(run_behavioural_tests(checkpoint, tests).predictions, tests, strict=True):
        alone = explain(checkpoint, *test.texts)
        assert prediction_.test == test and prediction_.label == alone.labels[alone.predicted]
        assert prediction_.probability == pytest.approx(alone.probabilities[alone.predicted], abs=1e-5)


def test_saved_scores_contain_everything_but_the_texts():
    saved = category_scores(score_predictions(PREDICTIONS))
    assert set(saved) == {"category", "n", "accuracy", "low", "high", "given", "categories"}
    assert CategoryScore(**saved["categories"][0]) == score_predictions(PREDICTIONS).scores[0]


def test_no_predictions_is_an_error():
    with pytest.raises(ValueError, match="at least one"):
        score_predictions([])
