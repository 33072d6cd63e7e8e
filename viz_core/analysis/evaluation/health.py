"""Model health: has a model learned anything, on which inputs, and what do its heads do?

Check it before interpreting a heat map.
"""

from collections.abc import Callable, Sequence

import numpy as np

from viz_core.analysis.evaluation.metrics import calibration, cross_fit, cross_fitted_figures, metrics, one_vs_rest
from viz_core.analysis.evaluation.slices import length_slices, negation_slices, overlap_slices
from viz_core.analysis.heads.profile import ROWS, head_profile, punctuation_ids
from viz_core.checkpoints import Checkpoint
from viz_core.records import Examples, Health, Slice, tracked_class
from viz_core.statistics.intervals import auc_interval, wilson


def compute_health(
    checkpoint: Checkpoint,
    examples: Examples,
    texts: Sequence[str],
    texts_b: Sequence[str] | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Health:
    """Measure the health of a model from labelled examples and their texts, in the same order.

    Head statistics use a sample of the rows (`HeadProfile.rows`); a model without attention has
    none.

    Args:
        progress: Called with the number of rows done and the total.

    Raises:
        Failure: If all rows have the same label, or the model's output is not finite.
    """
    settings, labels, task = checkpoint.settings, examples.labels, checkpoint.task
    has_attention = bool(checkpoint.model.attention_kinds)
    total = len(examples) + min(len(examples), ROWS) * has_attention
    scores = checkpoint.logits(examples, progress=lambda done, _: progress(done, total))
    figures = metrics(scores, labels, settings.temperature, settings.threshold)
    profile = None
    if has_attention:
        profile = head_profile(
            checkpoint.model,
            examples,
            task.pair,
            lambda done: progress(len(examples) + done, total),
            punctuation_ids=punctuation_ids(checkpoint.text_encoder, examples),
        )
    probabilities = settings.probabilities(scores)
    predicted = settings.decide(probabilities)
    held_out, held_out_predictions = cross_fit(scores, labels, settings.temperature, settings.threshold)
    shares = np.bincount(predicted, minlength=len(task.labels)) / len(labels)
    low, high = np.quantile(probabilities[:, tracked_class(shares.tolist())], (0.05, 0.95))
    return Health(
        labels=task.labels,
        pair=task.pair,
        figures=figures,
        accuracy_interval=wilson(int((predicted == labels).sum()), len(labels)),
        auc_interval=_auc_interval(probabilities, labels, figures["auc"]),
        predicted_shares=tuple(shares.tolist()),
        spread=(float(low), float(high)),
        calibration=calibration(held_out, labels),
        slices=_slices(task.slices, examples, predicted, texts, texts_b),
        heads=profile,
        cross_fitted=cross_fitted_figures(held_out, held_out_predictions, labels),
    )


def _auc_interval(probabilities: np.ndarray, labels: np.ndarray, area: float) -> tuple[float, float]:
    """Confidence interval of the AUC, by Newcombe's method for two classes.

    For more, the means of the limits of the one-vs-rest areas: never too narrow, because the
    standard error of a mean is at most the mean of the standard errors.
    """
    if probabilities.shape[1] == 2:
        positives = int(labels.sum())
        return auc_interval(area, positives, len(labels) - positives)
    counts = np.bincount(labels)
    limits = [
        auc_interval(class_area, int(counts[number]), len(labels) - int(counts[number]))
        for number, class_area in one_vs_rest(probabilities, labels).items()
    ]
    low, high = np.mean(limits, axis=0)
    return float(low), float(high)


def _slices(
    kind: str | None, examples: Examples, predicted: np.ndarray, texts: Sequence[str], texts_b: Sequence[str] | None
) -> tuple[Slice, ...]:
    """Slices by length, followed by those of the task's own kind (`Task.slices`)."""
    labels = examples.labels
    correct, majority = predicted == labels, labels == np.bincount(labels).argmax()
    slices = length_slices(examples.lengths, correct, majority)
    if kind == "negation":
        return slices + negation_slices(texts, correct, majority)
    return slices + overlap_slices(texts, texts_b or (), correct, majority) if kind == "overlap" else slices
