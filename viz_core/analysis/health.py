"""Has a model learned anything, on which inputs, and what do its heads do? Asked before anything is read into a heat map."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from viz_core.analysis.calibration import calibration
from viz_core.analysis.evaluation import auc, metrics
from viz_core.analysis.head_profile import ROWS, head_profile
from viz_core.analysis.slices import length_slices, negation_slices, overlap_slices
from viz_core.checkpoints import Checkpoint
from viz_core.records import Examples, Health, Slice, tracked_class
from viz_core.statistics.bootstrap import bootstrap_interval
from viz_core.statistics.intervals import auc_interval, wilson


def compute_health(
    checkpoint: Checkpoint,
    examples: Examples,
    texts: Sequence[str],
    texts_b: Sequence[str] | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Health:
    """The health of a model from labelled examples and the texts that they were made of, aligned with them.

    Heads are looked at in a part of the rows (`HeadProfile.rows`); a model without attention has none. progress: rows gone
    through, of how many.
    """
    settings, labels, task = checkpoint.settings, examples.labels, checkpoint.task
    looks = bool(checkpoint.model.attention_kinds)
    total = len(examples) + min(len(examples), ROWS) * looks
    scores = checkpoint.logits(examples, progress=lambda done, _: progress(done, total))
    profile = (
        head_profile(checkpoint.model, examples, task.pair, lambda done: progress(len(examples) + done, total))
        if looks
        else None
    )
    probabilities = settings.probabilities(scores)
    answers = settings.decide(probabilities)
    figures = metrics(scores, labels, settings.temperature, settings.threshold)
    given = np.bincount(answers, minlength=len(task.labels)) / len(labels)
    low, high = np.quantile(probabilities[:, tracked_class(given)], (0.05, 0.95))
    return Health(
        labels=task.labels,
        pair=task.pair,
        figures=figures,
        accuracy_interval=wilson(int((answers == labels).sum()), len(labels)),
        auc_interval=_auc_interval(probabilities, labels, figures.auc),
        predicted_shares=tuple(given.tolist()),
        spread=(float(low), float(high)),
        calibration=calibration(probabilities, labels),
        slices=_slices(task.slices, examples, answers, texts, texts_b),
        heads=profile,
    )


def _auc_interval(probabilities: np.ndarray, labels: np.ndarray, figure: float) -> tuple[float, float]:
    """In closed form for two classes; for more by bootstrap over rows."""
    if probabilities.shape[1] == 2:
        ones = int(labels.sum())
        return auc_interval(figure, ones, len(labels) - ones)
    return bootstrap_interval(lambda rows: auc(probabilities[rows], labels[rows]), len(labels))


def _slices(
    by: str | None, examples: Examples, answers: np.ndarray, texts: Sequence[str], texts_b: Sequence[str] | None
) -> tuple[Slice, ...]:
    """By length, and by what else (`Task.slices`)."""
    labels = examples.labels
    right, majority = answers == labels, labels == np.bincount(labels).argmax()
    slices = length_slices(examples.lengths, right, majority)
    if by == "negation":
        return slices + negation_slices(texts, right, majority)
    return slices + overlap_slices(texts, texts_b, right, majority) if by == "overlap" else slices
