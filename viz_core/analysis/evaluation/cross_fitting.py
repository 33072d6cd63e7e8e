"""Cross-fitting: calibrated probabilities and predictions of inputs whose labels fitted neither.

Temperature and threshold are fitted on validation, so figures on validation flatter them. Here the inputs are split
into folds, and those of each fold get the temperature and the threshold fitted on the other folds (Hastie, Tibshirani
and Friedman 2009, "The Elements of Statistical Learning", section 7.10).
"""

import numpy as np
from sklearn.metrics import f1_score, matthews_corrcoef

from viz_core.analysis.evaluation.metrics import best_threshold, expected_calibration_error, fit_temperature
from viz_core.records import Figures, calibrate, decide

FOLDS, SEED = 10, 0
AS_IS, EVEN = 1.0, 0.5  # temperature and threshold of a model that was not fitted


def cross_fit(
    scores: np.ndarray, labels: np.ndarray, temperature: float, threshold: float | None
) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities `(N, C)` and predictions `(N,)` from logits `(N, C)` and labels `(N,)`.

    temperature, threshold: of the model. What was not fitted (a temperature of 1, a threshold of 0.5) is not fitted
    here either.
    """
    probabilities, predicted = np.empty(scores.shape), np.empty(len(labels), int)
    folds = assign_folds(labels)
    for number in np.unique(folds):
        inside, others = folds == number, folds != number
        fold_temperature = temperature if temperature == AS_IS else fit_temperature(scores[others], labels[others])
        fold_threshold = (
            threshold
            if threshold in (EVEN, None)
            else best_threshold(calibrate(scores[others], fold_temperature)[:, -1], labels[others])
        )
        probabilities[inside] = calibrate(scores[inside], fold_temperature)
        predicted[inside] = decide(probabilities[inside], fold_threshold)
    return probabilities, predicted


def assign_folds(labels: np.ndarray) -> np.ndarray:
    """The fold of each row, `(N,)`: drawn with SEED, and every class spread over as many folds as it can fill."""
    shuffled = np.random.default_rng(SEED).permutation(len(labels))
    by_class = shuffled[np.argsort(labels[shuffled], kind="stable")]
    folds = np.empty(len(labels), int)
    folds[by_class] = np.arange(len(labels)) % FOLDS
    return folds


def cross_fitted_figures(probabilities: np.ndarray, predicted: np.ndarray, labels: np.ndarray) -> Figures:
    """The figures that temperature and threshold can flatter, from the results of `cross_fit`."""
    numbers = list(range(probabilities.shape[1]))
    return Figures(
        n=len(labels),
        accuracy=float((predicted == labels).mean()),
        mcc=float(matthews_corrcoef(labels, predicted)),
        f1=tuple(map(float, f1_score(labels, predicted, average=None, labels=numbers, zero_division=0))),
        ece=expected_calibration_error(probabilities, labels),
    )
