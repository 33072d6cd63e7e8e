"""The figures of a model card, worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax

from tests.tiny import batch, encoder
from viz_core.analysis.evaluation import ECE_BINS, best_threshold, expected_calibration_error, fit_temperature, metrics
from viz_core.models.batch import batched_logits
from viz_core.records import Examples


def scores(positive: list[float]) -> np.ndarray:
    """Logits `(N, 2)` whose softmax gives the probabilities of class 1."""
    return np.log(np.stack([1 - np.array(positive), np.array(positive)], axis=1))


def test_metrics_by_hand():
    """LabelledPredictions at 0.5: 1 1 0 0 0. Truth: 1 0 0 0 1. One of each kind of error, two right zeros, one right one."""
    found = metrics(scores([0.9, 0.8, 0.4, 0.2, 0.3]), np.array([1, 0, 0, 0, 1]), temperature=1.0, threshold=0.5)
    assert found.n == 5
    assert found.confusion == ((2, 1), (1, 1))
    assert found.accuracy == pytest.approx(3 / 5)
    assert found.majority_accuracy == pytest.approx(3 / 5)
    assert found.f1 == pytest.approx([4 / 6, 2 / 4])
    assert found.mcc == pytest.approx((1 * 2 - 1 * 1) / math.sqrt(2 * 2 * 3 * 3))
    assert found.auc == pytest.approx(4 / 6)  # of 2 × 3 pairs, the one is ranked higher in 3 + 1


def test_threshold_itself_is_answered_with_the_last_class():
    found = metrics(scores([0.25, 0.75]), np.array([1, 1]) * [0, 1], temperature=1.0, threshold=0.25)
    assert found.confusion == ((0, 1), (0, 1))


def test_a_collapsed_model_has_no_mcc_but_the_majority_accuracy():
    found = metrics(scores([0.31] * 10), np.array([0] * 7 + [1] * 3), temperature=1.0, threshold=0.5)
    assert (found.accuracy, found.majority_accuracy) == (0.7, 0.7)
    assert (found.mcc, found.auc) == (0.0, 0.5)


def test_calibration_error_by_hand():
    """15 bins: 0.9 and 0.92 share one (12.6 … 14), 0.61 has its own. Gaps: |1.82 − 1| and |0.61 − 1|, over 3 rows."""
    assert ECE_BINS == 15
    probabilities = softmax(scores([0.9, 0.92, 0.39]), axis=1)
    labels = np.array([1, 0, 0])
    assert expected_calibration_error(probabilities, labels) == pytest.approx((0.82 + 0.39) / 3)


def test_full_confidence_has_a_bin_and_no_error_when_right():
    assert expected_calibration_error(np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([1, 0])) == 0.0


def test_temperature_divides_the_logits():
    found = metrics(scores([0.9, 0.2]), np.array([1, 0]), temperature=2.0, threshold=0.5)
    odds = math.sqrt(9), math.sqrt(4)
    right = (odds[0] / (1 + odds[0]) + odds[1] / (1 + odds[1])) / 2
    assert found.ece == pytest.approx(1 - right)
    assert found.ece_uncalibrated == pytest.approx(1 - (0.9 + 0.8) / 2)


@pytest.mark.parametrize("factor", [0.5, 1.0, 3.0])
def test_temperature_recovers_a_known_scaling(factor):
    """Labels drawn from the probabilities of the logits; the logits are then scaled, and the factor is found again."""
    random = np.random.default_rng(0)
    true = random.normal(0, 2, (20_000, 2))
    labels = (random.random(20_000) < softmax(true, axis=1)[:, 1]).astype(int)
    assert fit_temperature(true * factor, labels) == pytest.approx(factor, rel=0.05)


def mcc(answers: np.ndarray, labels: np.ndarray) -> float:
    """Matthews' correlation by its definition; 0 where an answer or a label does not occur."""
    tp, tn = (answers & labels).sum(), (~answers & ~labels).sum()
    fp, fn = (answers & ~labels).sum(), (~answers & labels).sum()
    spread = math.sqrt(float((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)))
    return float(tp * tn - fp * fn) / spread if spread else 0.0


@given(st.lists(st.tuples(st.integers(0, 12), st.booleans()), min_size=2, max_size=30))
def test_best_threshold_is_that_of_brute_force(rows):
    positive = np.array([probability / 12 for probability, _ in rows])
    labels = np.array([label for _, label in rows])
    threshold = best_threshold(positive, labels.astype(int))
    every = [
        (mcc(positive >= cut, labels), ((positive >= cut) == labels).mean())
        for cut in np.append(np.unique(positive), 2.0)
    ]
    highest = max(every)[0]
    if highest <= 0:
        assert threshold == 0.5
        return
    least = highest - (1 - highest**2) / np.sqrt(len(rows))
    most = max(right for found, right in every if found > 1e-9 and found >= least - 1e-9)
    assert ((positive >= threshold) == labels).mean() == pytest.approx(most)
    assert mcc(positive >= threshold, labels) >= least - 1e-9
    assert np.abs(positive - threshold).min() > 0, "halfway between two probabilities"


def test_best_threshold_by_hand():
    assert best_threshold(np.array([0.1, 0.2, 0.6, 0.8]), np.array([0, 0, 1, 1])) == pytest.approx(0.4)


def test_of_thresholds_that_are_as_good_the_more_accurate_one_is_taken():
    """100 rows, 20 of them 1. From 0.2 on all of these and 30 others: MCC (20·50 - 0) / √(50·50·20·80) = 0.500. From 0.8 on
    10 of these and 4 others: (10·76 - 4·10) / √(14·86·20·80) = 0.519. The error of that is 0.073, and 86 are right
    instead of 70."""
    positive = np.repeat([0.9, 0.5, 0.1], [14, 36, 50])
    labels = np.concatenate([np.repeat([1, 0], [10, 4]), np.repeat([1, 0], [10, 26]), np.zeros(50, int)])
    assert best_threshold(positive, labels) == pytest.approx(0.7)
    # With 14 of the 20 alone among the first 40 it is the lower one that has the higher MCC, by less than the error.
    labels = np.concatenate([np.repeat([1, 0], [9, 5]), np.repeat([1, 0], [11, 25]), np.zeros(50, int)])
    low, high = mcc(positive >= 0.3, labels), mcc(positive >= 0.7, labels)
    assert 0 < low - high < (1 - low**2) / 10
    assert best_threshold(positive, labels) == pytest.approx(0.7)


def test_equal_probabilities_keep_one_half():
    assert best_threshold(np.full(6, 0.31), np.array([0, 0, 0, 0, 1, 1])) == 0.5


def test_logits_come_in_the_order_of_the_examples_and_the_mode_is_kept():
    model = encoder(dropout=0.5).train()
    lengths = (9, 3, 16, 5, 4)
    ids, segments, mask = batch(*lengths)
    rows = [(ids[i, :n].numpy(), segments[i, :n].numpy()) for i, n in enumerate(lengths)]
    examples = Examples([row for row, _ in rows], [kinds for _, kinds in rows], np.zeros(5, int))
    found = batched_logits(model, examples.ids, examples.segments, batch=2)
    assert model.training
    expected = model.eval()(ids, segments, mask).logits
    torch.testing.assert_close(torch.from_numpy(found), expected, atol=1e-5, rtol=0)


def test_three_classes_by_hand():
    """Likeliest: 0 1 2 0. Truth: 0 1 2 1. AUC of each class against the rest: 1, of 1 and 1's pairs (2 × 2: .6 and .2 against .1,
    .1: all 4 right) 1, and 1; mean 1. Three of four right; class 1 is the commonest."""
    probabilities = np.array([[0.8, 0.1, 0.1], [0.3, 0.6, 0.1], [0.1, 0.1, 0.8], [0.5, 0.2, 0.3]])
    found = metrics(np.log(probabilities), np.array([0, 1, 2, 1]), 1.0, None)
    assert found.confusion == ((1, 0, 0), (1, 1, 0), (0, 0, 1))
    assert (found.accuracy, found.majority_accuracy, found.threshold) == (0.75, 0.5, None)
    assert found.auc == 1 and found.f1 == pytest.approx([2 / 3, 2 / 3, 1])
    # (c s - sum p t) / sqrt((s² - sum p²)(s² - sum t²)): 3 correct of 4, predicted 2 1 1, true 1 2 1
    assert found.mcc == pytest.approx((3 * 4 - (2 * 1 + 1 * 2 + 1 * 1)) / math.sqrt((16 - 6) * (16 - 6)))


def test_a_class_that_does_not_occur_is_left_out_of_the_auc():
    probabilities = np.array([[0.8, 0.1, 0.1], [0.3, 0.6, 0.1], [0.7, 0.2, 0.1]])
    assert metrics(np.log(probabilities), np.array([0, 1, 0]), 1.0, None).auc == 1
