"""What the comparison of a task's models shows, in sentences based on its figures."""

from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import fmean

import numpy as np

from viz_core.records import Message
from viz_core.records.comparison import ComparedModel, LearningCurves
from viz_core.statistics.intervals import Z, paired_difference

Answers = Mapping[str, np.ndarray]


def comparison_verdict(rows: Sequence[ComparedModel], right: Answers) -> tuple[Message, ...]:
    """Compare the most accurate model with attention with the most accurate one without.

    Compares the best of all models and, if these are others, the best of those trained on the
    labels alone. Also says what attention adds to the same LSTM. Empty for a task without both
    kinds of models.

    Args:
        right: For each model, as far as known, which rows of the test it gets right, `(N,)`.
    """
    pairs = [_best_of_both(rows), _best_of_both([row for row in rows if not row.besides])]
    messages = [_compare(*pair, right, "comparison.best") for pair in pairs[:1] if pair]
    if pairs[0]:
        messages += [Message("comparison.not_alone", _sources(row)) for row in pairs[0] if row.besides]
    if pairs[1] and pairs[1] != pairs[0]:
        messages.append(_compare(*pairs[1], right, "comparison.labels"))
    messages += [Message("comparison.picked")] if messages else []
    recurrent = {row.model: row for row in rows if row.kind == "recurrent"}
    if {"bilstm", "bilstm-attention"} <= recurrent.keys():
        both = recurrent["bilstm-attention"], recurrent["bilstm"]
        messages.append(_compare(*both, right, "comparison.same_lstm"))
    return (*messages, Message("comparison.besides")) if messages else ()


def curves_verdict(curves: Mapping[str, LearningCurves]) -> tuple[Message, ...]:
    """By number of labels, how often a model is right that had read before, beside itself from scratch."""
    return tuple(
        Message(
            "comparison.curves_verdict",
            {"model": model, "labels": point.labels, "started": fmean(point.started), "scratch": fmean(point.scratch)},
        )
        for model, of_model in curves.items()
        for point in of_model.points
    )


def _best_of_both(rows: Sequence[ComparedModel]) -> tuple[ComparedModel, ComparedModel] | None:
    with_attention, without = ([row for row in rows if row.attention == has] for has in (True, False))
    if not (with_attention and without):
        return None
    return max(with_attention, key=_accuracy), max(without, key=_accuracy)


def _accuracy(row: ComparedModel) -> float:
    return row.test["accuracy"]


def unpaired_difference(first: ComparedModel, second: ComparedModel) -> tuple[float, float, float]:
    """Difference of two test accuracies with its 95% interval, as if they were of different texts.

    Both are of the same texts, on which models tend to be right together, so the interval is rather
    too wide.
    """
    variance = sum(_accuracy(row) * (1 - _accuracy(row)) / row.test["n"] for row in (first, second))
    difference, half = _accuracy(first) - _accuracy(second), Z * sqrt(variance)
    return difference, difference - half, difference + half


def _compare(first: ComparedModel, second: ComparedModel, right: Answers, key: str) -> Message:
    """Whether the first is ahead, behind, or neither beyond chance."""
    rows_right = [right[row.model] for row in (first, second) if row.model in right]
    is_paired = len(rows_right) == 2
    difference, low, high = paired_difference(*rows_right) if is_paired else unpaired_difference(first, second)
    level = "ahead" if low > 0 else "behind" if high < 0 else "undecided"
    values = {
        "first": first.model,
        "second": second.model,
        "accuracy": _accuracy(first),
        "other": _accuracy(second),
        "points": _points(difference),
        "low": _points(low),
        "high": _points(high),
        "pairing": Message(f"comparison.{'paired' if is_paired else 'unpaired'}"),
    }
    return Message(key, {**values, "verdict": Message(f"comparison.{level}")})


def _sources(row: ComparedModel) -> dict[str, object]:
    return {"model": row.model, "besides": [Message(f"comparison.learned_{name}") for name in row.besides]}


def _points(share: float) -> str:
    """Percentage points with their sign."""
    return f"{100 * share:+.1f}".replace("-", "−")
