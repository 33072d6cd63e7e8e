"""Cross-fitting: no input has a part in the temperature or the threshold that it is judged with."""

import numpy as np
import pytest

from viz_core.analysis.evaluation.metrics import (
    FOLDS,
    assign_folds,
    best_threshold,
    cross_fit,
    cross_fitted_figures,
    expected_calibration_error,
    fit_temperature,
)
from viz_core.records import calibrate


def noise(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Logits that say nothing about their labels."""
    random = np.random.default_rng(seed)
    return random.normal(0, 3, (count, 2)), random.integers(0, 2, count)


def test_every_fold_has_its_share_of_every_class():
    labels = np.array([0] * 70 + [1] * 30)
    folds = assign_folds(labels)
    assert np.bincount(folds).tolist() == [10] * FOLDS
    assert [np.bincount(labels[folds == number]).tolist() for number in range(FOLDS)] == [[7, 3]] * FOLDS
    assert np.unique(assign_folds(np.array([0, 1, 1]))).tolist() == [0, 1, 2], "a fold for each of three rows"


@pytest.mark.parametrize("row", [0, 7, 39])
def test_the_label_of_an_input_does_not_change_its_own_probability(row):
    scores, labels = noise(40)
    folds = assign_folds(labels)
    others = folds != folds[row]
    temperature = fit_temperature(scores[others], labels[others])
    probabilities, predicted = cross_fit(scores, labels, 2.0, 0.4)
    np.testing.assert_array_equal(probabilities[row], calibrate(scores[row], temperature))
    threshold = best_threshold(calibrate(scores[others], temperature)[:, -1], labels[others])
    assert predicted[row] == (probabilities[row, -1] >= threshold)


def test_what_was_not_fitted_stays_as_it_is():
    scores, labels = noise(40)
    probabilities, predicted = cross_fit(scores, labels, 1.0, 0.5)
    np.testing.assert_array_equal(probabilities, calibrate(scores, 1.0))
    np.testing.assert_array_equal(predicted, probabilities.argmax(1))
    _, likeliest = cross_fit(np.hstack([scores, scores[:, :1] + 1]), labels, 1.0, None)
    assert set(likeliest) == {1, 2}, "three classes: the likeliest"


def test_cross_fitting_takes_back_what_fitting_on_the_same_inputs_flatters():
    """Of scores without information, the threshold fitted on them has a positive MCC; cross-fitted, it is about 0."""
    flattered, honest = [], []
    for seed in range(30):
        scores, labels = noise(60, seed)
        positive = calibrate(scores, fit_temperature(scores, labels))[:, -1]
        flattered.append(np.corrcoef(positive >= best_threshold(positive, labels), labels)[0, 1])
        honest.append(cross_fitted_figures(*cross_fit(scores, labels, 2.0, 0.4), labels).mcc)
    assert np.mean(flattered) > 0.15 and abs(np.mean(honest)) < 0.08


def test_figures_by_hand():
    """Two of three are predicted correctly; their confidences .8, .6 and .7 share no bin: (.2 + .4 + .7) / 3."""
    probabilities = np.array([[0.8, 0.2], [0.4, 0.6], [0.7, 0.3]])
    figures = cross_fitted_figures(probabilities, np.array([0, 1, 0]), np.array([0, 1, 1]))
    assert (figures.n, figures.accuracy, figures.mcc) == (3, pytest.approx(2 / 3), pytest.approx(0.5))
    assert figures.f1 == pytest.approx((2 / 3, 2 / 3)) and figures.auc is None
    assert figures.ece == pytest.approx((0.2 + 0.4 + 0.7) / 3)
    assert figures.ece == expected_calibration_error(probabilities, np.array([0, 1, 1]))
