"""How well does a model do on labelled examples, and how far can its confidence be believed?"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar
from sklearn.metrics import confusion_matrix, f1_score, matthews_corrcoef, roc_auc_score

from viz_core.records import Figures, calibrate, calibrate_log, decide

ECE_BINS = 15


def fit_temperature(scores: np.ndarray, labels: np.ndarray) -> float:
    """The temperature that makes logits `(N, C)` likeliest for the labels (Guo et al. 2017, section 4.2)."""

    def loss(log_temperature: float) -> float:
        return -calibrate_log(scores, np.exp(log_temperature))[np.arange(len(labels)), labels].mean()

    return float(np.exp(minimize_scalar(loss, bounds=(-3, 3), method="bounded").x))


def best_threshold(positive: np.ndarray, labels: np.ndarray) -> float:
    """The probability of the last class `(N,)` from which on to answer it: of all whose MCC is within one standard error of
    the highest, the one with the most right answers (the rule of Breiman et al. 1984, section 3.4.3; the highest alone is
    nearly a tie over a wide range, and its place in it an accident).

    The error is that of a correlation, (1 - MCC²) / √N. Halfway between two neighbouring probabilities that occur; one half
    where they are all the same.
    """
    order = np.argsort(-positive, kind="stable")
    ranked, hits = positive[order], labels[order] == 1
    true_positive = np.cumsum(hits, dtype=float)  # answering "1" for the first n rows, n = 1 … N
    said = np.arange(1, len(ranked) + 1, dtype=float)
    ones, total = float(hits.sum()), float(len(ranked))
    spread = np.sqrt(said * (total - said) * ones * (total - ones))
    mcc = np.divide(total * true_positive - said * ones, spread, out=np.zeros(len(ranked)), where=spread > 0)
    mcc[:-1][ranked[:-1] == ranked[1:]] = -np.inf  # no threshold falls between equal probabilities
    highest = mcc.max()
    if highest <= 0:
        return 0.5
    near = (mcc > 0) & (mcc >= highest - (1 - highest**2) / np.sqrt(total))
    right = 2 * true_positive - said + total - ones
    best = int(np.argmax(np.where(near, right, -1)))
    return float((ranked[best] + ranked[best + 1]) / 2)


def expected_calibration_error(probabilities: np.ndarray, labels: np.ndarray) -> float:
    """Mean gap between confidence and accuracy over equally wide bins of confidence (Guo et al. 2017, equation 3)."""
    confidence, right = probabilities.max(1), probabilities.argmax(1) == labels
    bins = np.minimum((confidence * ECE_BINS).astype(int), ECE_BINS - 1)
    return float(sum(abs(confidence[bins == b].sum() - right[bins == b].sum()) for b in range(ECE_BINS)) / len(labels))


def metrics(scores: np.ndarray, labels: np.ndarray, temperature: float, threshold: float | None) -> Figures:
    """The figures of a model card from logits `(N, C)` and labels `(N,)`."""
    probabilities, classes = calibrate(scores, temperature), scores.shape[1]
    answers, numbers = decide(probabilities, threshold), list(range(classes))
    return Figures(
        n=len(labels),
        accuracy=float((answers == labels).mean()),
        auc=auc(probabilities, labels),
        mcc=float(matthews_corrcoef(labels, answers)),
        f1=tuple(map(float, f1_score(labels, answers, average=None, labels=numbers, zero_division=0))),
        confusion=tuple(map(tuple, confusion_matrix(labels, answers, labels=numbers).tolist())),
        majority_accuracy=float(np.bincount(labels, minlength=classes).max() / len(labels)),
        threshold=threshold,
        ece=expected_calibration_error(probabilities, labels),
        ece_uncalibrated=expected_calibration_error(calibrate(scores, 1.0), labels),
    )


def auc(probabilities: np.ndarray, labels: np.ndarray) -> float:
    """Area under the ROC curve of probabilities `(N, C)`: of two classes that of the last, of more the mean of each class
    against the rest (Hand and Till 2001, section 2.1), over the classes that occur. Raises ValueError where only one does."""
    if probabilities.shape[1] == 2:
        return float(roc_auc_score(labels, probabilities[:, 1]))
    occurring = np.unique(labels)
    if len(occurring) < 2:
        raise ValueError("all labels are of one class: there is nothing to tell apart")
    return float(np.mean([roc_auc_score(labels == number, probabilities[:, number]) for number in occurring]))
