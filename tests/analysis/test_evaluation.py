"""The metrics of a model card, computed by hand."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax

from tests.tiny import batch, encoder
from viz_core.analysis.evaluation.metrics import (
    ECE_BINS,
    best_threshold,
    expected_calibration_error,
    fit_temperature,
    metrics,
)
from viz_core.models.batch import batched_logits
from viz_core.records import Examples, Failure, Message


def scores(positive: list[float]) -> np.ndarray:
    """Logits `(N, 2)` whose softmax gives the probabilities of class 1."""
    return np.log(np.stack([1 - np.array(positive), np.array(positive)], axis=1))


def test_metrics_by_hand():
    """Predictions at 0.5: 1 1 0 0 0. Labels: 1 0 0 0 1. An error of each kind, two true negatives, a true positive."""
    figures = metrics(scores([0.9, 0.8, 0.4, 0.2, 0.3]), np.array([1, 0, 0, 0, 1]), temperature=1.0, threshold=0.5)
    assert figures.n == 5
    assert figures.confusion == ((2, 1), (1, 1))
    assert figures.accuracy == pytest.approx(3 / 5)
    assert figures.majority_accuracy == pytest.approx(3 / 5)
    assert figures.f1 == pytest.approx([4 / 6, 2 / 4])
    assert figures.mcc == pytest.approx((1 * 2 - 1 * 1) / math.sqrt(2 * 2 * 3 * 3))
    assert figures.auc == pytest.approx(4 / 6)  # of 2 × 3 pairs, the positive is ranked higher in 3 + 1


def test_a_probability_equal_to_the_threshold_predicts_the_last_class():
    figures = metrics(scores([0.25, 0.75]), np.array([1, 1]) * [0, 1], temperature=1.0, threshold=0.25)
    assert figures.confusion == ((0, 1), (0, 1))


def test_a_collapsed_model_has_an_mcc_of_0_and_the_majority_accuracy():
    figures = metrics(scores([0.31] * 10), np.array([0] * 7 + [1] * 3), temperature=1.0, threshold=0.5)
    assert (figures.accuracy, figures.majority_accuracy) == (0.7, 0.7)
    assert (figures.mcc, figures.auc) == (0.0, 0.5)


def test_calibration_error_by_hand():
    """15 bins: 0.9 and 0.92 share a bin (12.6 … 14), 0.61 has its own. Gaps: |1.82 − 1| and |0.61 − 1|, over 3 rows."""
    assert ECE_BINS == 15
    probabilities = softmax(scores([0.9, 0.92, 0.39]), axis=1)
    labels = np.array([1, 0, 0])
    assert expected_calibration_error(probabilities, labels) == pytest.approx((0.82 + 0.39) / 3)


def test_full_confidence_has_a_bin_and_no_error_if_correct():
    assert expected_calibration_error(np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([1, 0])) == 0.0


def test_temperature_divides_the_logits():
    figures = metrics(scores([0.9, 0.2]), np.array([1, 0]), temperature=2.0, threshold=0.5)
    odds = math.sqrt(9), math.sqrt(4)
    confidence = (odds[0] / (1 + odds[0]) + odds[1] / (1 + odds[1])) / 2
    assert figures.ece == pytest.approx(1 - confidence)
    assert figures.ece_uncalibrated == pytest.approx(1 - (0.9 + 0.8) / 2)


@pytest.mark.parametrize("factor", [0.5, 1.0, 3.0])
def test_temperature_recovers_a_known_scaling(factor):
    """Labels are sampled from the softmax of the logits; scaling the logits afterwards must be recovered."""
    random = np.random.default_rng(0)
    true = random.normal(0, 2, (20_000, 2))
    labels = (random.random(20_000) < softmax(true, axis=1)[:, 1]).astype(int)
    assert fit_temperature(true * factor, labels) == pytest.approx(factor, rel=0.05)


def mcc(predicted: np.ndarray, labels: np.ndarray) -> float:
    """Matthews correlation coefficient by definition; 0 if a prediction or label does not occur."""
    tp, tn = (predicted & labels).sum(), (~predicted & ~labels).sum()
    fp, fn = (predicted & ~labels).sum(), (~predicted & labels).sum()
    spread = math.sqrt(float((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)))
    return float(tp * tn - fp * fn) / spread if spread else 0.0


@given(st.lists(st.tuples(st.integers(0, 12), st.booleans()), min_size=2, max_size=30))
def test_best_threshold_equals_brute_force(rows):
    positive = np.array([probability / 12 for probability, _ in rows])
    labels = np.array([label for _, label in rows])
    threshold = best_threshold(positive, labels.astype(int))
    candidates = [
        (mcc(positive >= cut, labels), ((positive >= cut) == labels).mean())
        for cut in np.append(np.unique(positive), 2.0)
    ]
    highest = max(candidates)[0]
    if highest <= 0:
        assert threshold == 0.5
        return
    least = highest - (1 - highest**2) / np.sqrt(len(rows))
    most = max(accuracy for value, accuracy in candidates if value > 1e-9 and value >= least - 1e-9)
    assert ((positive >= threshold) == labels).mean() == pytest.approx(most)
    assert mcc(positive >= threshold, labels) >= least - 1e-9
    assert np.abs(positive - threshold).min() > 0, "halfway between two probabilities"


def test_best_threshold_by_hand():
    assert best_threshold(np.array([0.1, 0.2, 0.6, 0.8]), np.array([0, 0, 1, 1])) == pytest.approx(0.4)


def test_among_thresholds_within_the_standard_error_the_most_accurate_is_best():
    """100 rows, 20 of class 1.

    Threshold 0.2 selects all of these and 30 others: MCC (20·50 - 0) / √(50·50·20·80) = 0.500. Threshold 0.8 selects
    10 of these and 4 others: (10·76 - 4·10) / √(14·86·20·80) = 0.519, with a standard error of 0.073, and 86 correct
    predictions instead of 70.
    """
    positive = np.repeat([0.9, 0.5, 0.1], [14, 36, 50])
    labels = np.concatenate([np.repeat([1, 0], [10, 4]), np.repeat([1, 0], [10, 26]), np.zeros(50, int)])
    assert best_threshold(positive, labels) == pytest.approx(0.7)
    # Here the lower threshold has the higher MCC, by less than the standard error.
    labels = np.concatenate([np.repeat([1, 0], [9, 5]), np.repeat([1, 0], [11, 25]), np.zeros(50, int)])
    low, high = mcc(positive >= 0.3, labels), mcc(positive >= 0.7, labels)
    assert 0 < low - high < (1 - low**2) / 10
    assert best_threshold(positive, labels) == pytest.approx(0.7)


def test_equal_probabilities_give_a_threshold_of_one_half():
    assert best_threshold(np.full(6, 0.31), np.array([0, 0, 0, 0, 1, 1])) == 0.5


def test_logits_are_in_the_order_of_the_examples_and_the_mode_is_restored():
    model = encoder(dropout=0.5).train()
    lengths = (9, 3, 16, 5, 4)
    ids, segments, mask = batch(*lengths)
    rows = [(ids[i, :n].numpy(), segments[i, :n].numpy()) for i, n in enumerate(lengths)]
    examples = Examples([row for row, _ in rows], [kinds for _, kinds in rows], np.zeros(5, int))
    logits = batched_logits(model, examples.ids, examples.segments, batch=2)
    assert model.training
    expected = model.eval()(ids, segments, mask).logits
    torch.testing.assert_close(torch.from_numpy(logits), expected, atol=1e-5, rtol=0)


def test_three_classes_by_hand():
    """Predicted: 0 1 2 0. Labels: 0 1 2 1. Three of four are correct; class 1 is the most frequent.

    Every one-vs-rest AUC is 1; for class 1, .6 and .2 rank above .1 and .1.
    """
    probabilities = np.array([[0.8, 0.1, 0.1], [0.3, 0.6, 0.1], [0.1, 0.1, 0.8], [0.5, 0.2, 0.3]])
    figures = metrics(np.log(probabilities), np.array([0, 1, 2, 1]), 1.0, None)
    assert figures.confusion == ((1, 0, 0), (1, 1, 0), (0, 0, 1))
    assert (figures.accuracy, figures.majority_accuracy, figures.threshold) == (0.75, 0.5, None)
    assert figures.auc == 1 and figures.f1 == pytest.approx([2 / 3, 2 / 3, 1])
    # (c s - sum p t) / sqrt((s² - sum p²)(s² - sum t²)): 3 correct of 4, predicted 2 1 1, true 1 2 1
    assert figures.mcc == pytest.approx((3 * 4 - (2 * 1 + 1 * 2 + 1 * 1)) / math.sqrt((16 - 6) * (16 - 6)))


def test_a_class_that_does_not_occur_is_left_out_of_the_auc():
    probabilities = np.array([[0.8, 0.1, 0.1], [0.3, 0.6, 0.1], [0.7, 0.2, 0.1]])
    assert metrics(np.log(probabilities), np.array([0, 1, 0]), 1.0, None).auc == 1


def test_an_output_that_is_no_number_is_a_failure_that_counts_the_inputs():
    with pytest.raises(Failure) as error:
        metrics(np.array([[0.0, 1.0], [np.nan, 0.0], [0.0, np.inf]]), np.array([0, 1, 1]), 1.0, 0.5)
    assert error.value.message == Message("analysis.not_finite", {"invalid": 2, "n": 3})
    assert metrics(np.array([[0.0, -np.inf], [0.0, 1.0]]), np.array([0, 1]), 1.0, 0.5).auc == 1, "a probability of 0"


def test_labels_of_a_single_class_are_a_failure_that_names_it():
    with pytest.raises(Failure) as error:
        metrics(np.zeros((3, 2)), np.ones(3, int), 1.0, 0.5)
    assert error.value.message == Message("analysis.one_class", {"n": 3, "label": 1})
