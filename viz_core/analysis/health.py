"""Has a model learned anything, on which inputs, and what do its heads do? Asked before anything is read into a heat map."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import softmax

from viz_core.analysis.calibration import calibration
from viz_core.analysis.evaluation import logits, metrics
from viz_core.analysis.head_profile import ROWS, head_profile
from viz_core.analysis.slices import length_slices, negation_slices, overlap_slices
from viz_core.checkpoints import Checkpoint
from viz_core.records import Examples, Health, Slice
from viz_core.statistics.intervals import auc_interval, wilson

_AT_ONCE = 512  # rows; between two such parts it is told how far it is


def examine(checkpoint: Checkpoint, examples: Examples, texts: Sequence[str], texts_b: Sequence[str] | None = None,
            progress: Callable[[int, int], None] = lambda done, total: None) -> Health:
    """The health of a model from labelled examples and the texts that they were made of, aligned with them.

    Heads are looked at in a part of the rows (`HeadProfile.rows`). progress: rows gone through, of how many.
    """
    settings, labels, pair = checkpoint.settings, examples.labels, checkpoint.task.pair
    total = len(examples) + min(len(examples), ROWS)
    scores = _scores(checkpoint, examples, lambda done: progress(done, total))
    profile = head_profile(checkpoint.encoder, examples, pair, lambda done: progress(len(examples) + done, total))
    probabilities = softmax(scores.astype(np.float64) / settings.temperature, axis=1)
    answers = (probabilities[:, 1] >= settings.threshold).astype(int)
    figures = metrics(scores, labels, settings.temperature, settings.threshold)
    low, high = np.quantile(probabilities[:, 1], (0.05, 0.95))
    ones = int(labels.sum())
    return Health(
        labels=checkpoint.task.labels, pair=pair, figures=figures,
        accuracy_interval=wilson(int((answers == labels).sum()), len(labels)),
        auc_interval=auc_interval(figures["auc"], ones, len(labels) - ones),
        answered=tuple((np.bincount(answers, minlength=2) / len(labels)).tolist()), spread=(float(low), float(high)),
        calibration=calibration(probabilities, labels), slices=_slices(examples, answers, texts, texts_b), heads=profile)


def _scores(checkpoint: Checkpoint, examples: Examples, progress: Callable[[int], None]) -> np.ndarray:
    """`(N, C)` logits in the order of the examples."""
    result, order = np.zeros((len(examples), checkpoint.settings.encoder.classes), np.float32), np.argsort(
        examples.lengths, kind="stable")
    for start in range(0, len(order), _AT_ONCE):
        rows = order[start:start + _AT_ONCE]
        result[rows] = logits(checkpoint.encoder, Examples(
            [examples.ids[i] for i in rows], [examples.segments[i] for i in rows], examples.labels[rows]))
        progress(start + len(rows))
    return result


def _slices(examples: Examples, answers: np.ndarray, texts: Sequence[str], texts_b: Sequence[str] | None,
            ) -> tuple[Slice, ...]:
    labels = examples.labels
    right, majority = answers == labels, labels == np.bincount(labels).argmax()
    by_text = (negation_slices(texts, right, majority) if texts_b is None
               else overlap_slices(texts, texts_b, right, majority))
    return length_slices(examples.lengths, right, majority) + by_text
