"""How well does a model do on labelled examples, and how far can its confidence be believed?"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax
from sklearn.metrics import confusion_matrix, f1_score, matthews_corrcoef, roc_auc_score

from viz_core.models.batch import bucketed, pad
from viz_core.models.encoder import Edit, Encoder
from viz_core.records import Examples

ECE_BINS = 15


def logits(encoder: Encoder, examples: Examples, batch: int = 64, edit: Edit | None = None,
           progress: Callable[[int, int], None] = lambda done, total: None) -> np.ndarray:
    """`(N, C)` logits in the order of the examples; dropout off, the encoder's mode is left as it was.

    edit: an intervention. progress: told after every batch how many rows are done, of how many.
    """
    device = next(encoder.parameters()).device
    result = np.zeros((len(examples), encoder.config.classes), np.float32)
    was_training, done = encoder.training, 0
    encoder.eval()
    with torch.inference_mode():
        for rows in bucketed(examples.lengths, batch):
            inputs = pad([examples.ids[i] for i in rows], [examples.segments[i] for i in rows], device)
            result[rows] = encoder(*inputs, edit=edit).logits.float().cpu().numpy()
            done += len(rows)
            progress(done, len(examples))
    encoder.train(was_training)
    return result


def fit_temperature(scores: np.ndarray, labels: np.ndarray) -> float:
    """The temperature that makes logits `(N, C)` likeliest for the labels (Guo et al. 2017, section 4.2)."""
    def loss(log_temperature: float) -> float:
        return -log_softmax(scores / np.exp(log_temperature), axis=1)[np.arange(len(labels)), labels].mean()
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
    true_positive = np.cumsum(hits, dtype=float)                # answering "1" for the first n rows, n = 1 … N
    said = np.arange(1, len(ranked) + 1, dtype=float)
    ones, total = float(hits.sum()), float(len(ranked))
    spread = np.sqrt(said * (total - said) * ones * (total - ones))
    mcc = np.divide(total * true_positive - said * ones, spread, out=np.zeros(len(ranked)), where=spread > 0)
    mcc[:-1][ranked[:-1] == ranked[1:]] = -np.inf               # no threshold falls between equal probabilities
    highest = mcc.max()
    if highest <= 0:
        return 0.5
    near = (mcc > 0) & (mcc >= highest - (1 - highest ** 2) / np.sqrt(total))
    right = 2 * true_positive - said + total - ones
    best = int(np.argmax(np.where(near, right, -1)))
    return float((ranked[best] + ranked[best + 1]) / 2)


def expected_calibration_error(probabilities: np.ndarray, labels: np.ndarray) -> float:
    """Mean gap between confidence and accuracy over equally wide bins of confidence (Guo et al. 2017, equation 3)."""
    confidence, right = probabilities.max(1), probabilities.argmax(1) == labels
    bins = np.minimum((confidence * ECE_BINS).astype(int), ECE_BINS - 1)
    return float(sum(abs(confidence[bins == b].sum() - right[bins == b].sum()) for b in range(ECE_BINS)) / len(labels))


def metrics(scores: np.ndarray, labels: np.ndarray, temperature: float, threshold: float) -> dict:
    """The figures of a model card from logits `(N, 2)` and labels `(N,)`; confusion is [truth][answer]."""
    probabilities = softmax(scores / temperature, axis=1)
    answers = (probabilities[:, 1] >= threshold).astype(int)
    return {
        "n": len(labels),
        "accuracy": float((answers == labels).mean()),
        "auc": float(roc_auc_score(labels, probabilities[:, 1])),
        "mcc": float(matthews_corrcoef(labels, answers)),
        "f1": [float(f) for f in f1_score(labels, answers, average=None, labels=[0, 1], zero_division=0)],
        "confusion": confusion_matrix(labels, answers, labels=[0, 1]).tolist(),
        "majority_accuracy": float(np.bincount(labels, minlength=2).max() / len(labels)),
        "threshold": threshold,
        "ece": expected_calibration_error(probabilities, labels),
        "ece_uncalibrated": expected_calibration_error(softmax(scores, axis=1), labels),
    }
