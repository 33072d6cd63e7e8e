"""Evaluation metrics on labelled examples: accuracy, AUC, MCC, F1, calibration; temperature and decision threshold."""

from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from sklearn.metrics import confusion_matrix, f1_score, matthews_corrcoef, roc_auc_score

from viz_core.records import Calibration, Failure, Figures, calibrate, calibrate_log, decide
from viz_core.statistics.intervals import wilson

ECE_BINS = 15
FOLDS, SEED = 10, 0  # for cross-fitting
AS_IS, EVEN = 1.0, 0.5  # temperature and threshold of a model that was not fitted


def fit_temperature(scores: np.ndarray, labels: np.ndarray) -> float:
    """Maximum-likelihood temperature for logits `(N, C)` and labels `(N,)` (Guo et al. 2017, section 4.2)."""

    def loss(log_temperature: float) -> float:
        return -calibrate_log(scores, np.exp(log_temperature))[np.arange(len(labels)), labels].mean()

    return float(np.exp(minimize_scalar(loss, bounds=(-3, 3), method="bounded").x))


def best_threshold(positive: np.ndarray, labels: np.ndarray) -> float:
    """Decision threshold for probabilities of the last class `(N,)`, given labels `(N,)`.

    Among the thresholds whose MCC is within one standard error of the maximum, the most accurate
    (the one-standard-error rule of Breiman et al. 1984, section 3.4.3): the MCC is nearly flat over
    a wide range, so the exact place of its maximum is noise. The standard error is that of a
    correlation, (1 - MCC²) / √N. The threshold lies halfway between two neighbouring probabilities;
    0.5 if all are the same.
    """
    order = np.argsort(-positive, kind="stable")
    ranked, hits = positive[order], labels[order] == 1
    true_positive = np.cumsum(hits, dtype=float)  # predicting class 1 for the first n rows, n = 1 … N
    predicted = np.arange(1, len(ranked) + 1, dtype=float)
    positives, total = float(hits.sum()), float(len(ranked))
    spread = np.sqrt(predicted * (total - predicted) * positives * (total - positives))
    mcc = np.divide(total * true_positive - predicted * positives, spread, out=np.zeros(len(ranked)), where=spread > 0)
    mcc[:-1][ranked[:-1] == ranked[1:]] = -np.inf  # no threshold separates equal probabilities
    highest = mcc.max()
    if highest <= 0:
        return 0.5
    near = (mcc > 0) & (mcc >= highest - (1 - highest**2) / np.sqrt(total))
    correct = 2 * true_positive - predicted + total - positives
    best = int(np.argmax(np.where(near, correct, -1)))
    return float((ranked[best] + ranked[best + 1]) / 2)


def expected_calibration_error(probabilities: np.ndarray, labels: np.ndarray) -> float:
    """Mean gap between confidence and accuracy over equal-width bins (Guo et al. 2017, equation 3).

    Args:
        probabilities: `(N, C)`.
        labels: `(N,)`.
    """
    _, hits, sums = _count_in_bins(probabilities, labels)
    return float(np.abs(sums - hits).sum() / len(labels))


def metrics(scores: np.ndarray, labels: np.ndarray, temperature: float, threshold: float | None) -> Figures:
    """Metrics of a model card, from logits `(N, C)` and labels `(N,)`.

    Raises:
        Failure: If logits are not numbers, or all labels are the same: an AUC compares inputs of
            different classes.
    """
    _check(scores, labels)
    probabilities, classes = calibrate(scores, temperature), scores.shape[1]
    predicted, numbers = decide(probabilities, threshold), list(range(classes))
    return Figures(
        **_scores(probabilities, predicted, labels),
        auc=auc(probabilities, labels),
        confusion=tuple(map(tuple, confusion_matrix(labels, predicted, labels=numbers).tolist())),
        majority_accuracy=float(np.bincount(labels, minlength=classes).max() / len(labels)),
        threshold=threshold,
        ece_uncalibrated=expected_calibration_error(calibrate(scores, 1.0), labels),
    )


def auc(probabilities: np.ndarray, labels: np.ndarray) -> float:
    """Area under the ROC curve for probabilities `(N, C)` and labels `(N,)`.

    With two classes, the area of the last; with more, the mean of one-vs-rest areas over the
    classes that occur (Hand and Till 2001, section 2.1).

    Raises:
        ValueError: If only a single class occurs.
    """
    if probabilities.shape[1] == 2:
        return float(roc_auc_score(labels, probabilities[:, 1]))
    return float(np.mean(list(one_vs_rest(probabilities, labels).values())))


def one_vs_rest(probabilities: np.ndarray, labels: np.ndarray) -> dict[int, float]:
    """Area of each class that occurs against all others, by class index.

    Raises:
        ValueError: For a single class.
    """
    occurring = np.unique(labels)
    if len(occurring) < 2:
        raise ValueError(
            f"all {len(labels)} labels are of class {occurring}: two classes are needed to tell them apart"
        )
    return {int(number): float(roc_auc_score(labels == number, probabilities[:, number])) for number in occurring}


def _check(scores: np.ndarray, labels: np.ndarray) -> None:
    if invalid := int((~(scores < np.inf)).any(axis=1).sum()):  # minus infinity, a probability of 0, is valid
        raise Failure("analysis.not_finite", invalid=invalid, n=len(labels))
    if len(np.unique(labels)) < 2:
        raise Failure("analysis.one_class", n=len(labels), label=int(labels[0]) if len(labels) else "–")


def _count_in_bins(probabilities: np.ndarray, labels: np.ndarray) -> list[np.ndarray]:
    """Inputs, correct predictions and sum of confidences in each bin of confidence, `(ECE_BINS,)` each."""
    confidence, correct = probabilities.max(1), probabilities.argmax(1) == labels
    bins = np.minimum((confidence * ECE_BINS).astype(int), ECE_BINS - 1)
    return [np.bincount(bins, weights, ECE_BINS) for weights in (None, correct, confidence)]


def calibration(probabilities: np.ndarray, labels: np.ndarray) -> Calibration:
    """Reliability diagram: how often are predictions correct, given their confidence?

    In the bins of the calibration error (Guo et al. 2017, section 2).

    Args:
        probabilities: `(N, C)`.
        labels: `(N,)`.
    """
    count, hits, sums = _count_in_bins(probabilities, labels)
    low, high = np.transpose([wilson(hit, n) if n else (np.nan, np.nan) for hit, n in zip(hits, count, strict=True)])
    filled = np.where(count > 0, count, np.nan)
    return Calibration(sums / filled, hits / filled, low, high, count)


def cross_fit(
    scores: np.ndarray, labels: np.ndarray, temperature: float, threshold: float | None
) -> tuple[np.ndarray, np.ndarray]:
    """Cross-fitted probabilities `(N, C)` and predictions `(N,)` from logits `(N, C)` and labels `(N,)`.

    Temperature and threshold are fitted on validation, so results on validation flatter them. Here
    the inputs of each fold use values fitted on the other folds (Hastie, Tibshirani and Friedman
    2009, "The Elements of Statistical Learning", section 7.10).

    Args:
        temperature, threshold: The model's own. One that was not fitted (a temperature of 1, a
            threshold of 0.5) is not fitted here either.
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
    """Assign each row to a fold, `(N,)`: drawn with SEED, each class spread over as many folds as it can fill."""
    shuffled = np.random.default_rng(SEED).permutation(len(labels))
    by_class = shuffled[np.argsort(labels[shuffled], kind="stable")]
    folds = np.empty(len(labels), int)
    folds[by_class] = np.arange(len(labels)) % FOLDS
    return folds


def cross_fitted_figures(probabilities: np.ndarray, predicted: np.ndarray, labels: np.ndarray) -> Figures:
    """Metrics that depend on temperature and threshold, from the results of `cross_fit`."""
    return Figures(**_scores(probabilities, predicted, labels))


def _scores(probabilities: np.ndarray, predicted: np.ndarray, labels: np.ndarray) -> dict[str, Any]:
    numbers = list(range(probabilities.shape[1]))
    return {
        "n": len(labels),
        "accuracy": float((predicted == labels).mean()),
        "mcc": float(matthews_corrcoef(labels, predicted)),
        "f1": tuple(map(float, f1_score(labels, predicted, average=None, labels=numbers, zero_division=0))),
        "ece": expected_calibration_error(probabilities, labels),
    }
