"""Validation of the records that views draw: inconsistent records are rejected before drawing."""

from collections.abc import Sequence

import numpy as np

from viz_core.records import AttentionMap, Attribution, Encoding, Explanation, Failure, Faithfulness, TokenWeights


def check_finite(*arrays: np.ndarray) -> None:
    """Raise Failure if values are not finite, with their number."""
    count = sum(int((~np.isfinite(values)).sum()) for values in arrays)
    if count:
        raise Failure("rendering.not_numbers", count=count)


def check_map(attention: AttentionMap) -> None:
    """Raise ValueError if weights, labels and groups do not match; Failure if weights are not finite."""
    for side, axis in (("queries", 0), ("keys", 1)):
        labels = getattr(attention, side)
        groups = attention.query_groups if axis == 0 else attention.key_groups
        _check_length(len(labels), attention.weights.shape[axis] if attention.weights.ndim == 2 else 0, side)
        _check_length(len(labels), len(groups), f"{side}, counted by group")
    check_finite(attention.weights)


def check_weights(weights: TokenWeights) -> None:
    """Raise ValueError if weights, groups, spans and labels do not match; Failure if weights are not finite."""
    for name in ("weights", "groups", "spans"):
        _check_length(len(weights.labels), len(getattr(weights, name)), f"labels, against {name}")
    for number, text in enumerate(weights.texts):
        spans = np.asarray(weights.spans)[np.asarray(weights.groups) == number]
        if (np.diff(spans.ravel()) < 0).any() or (spans.size and spans.max() > len(text)):
            raise ValueError(
                f"the spans of text {number} must be in order and not end beyond its {len(text)} characters"
            )
    check_finite(weights.weights)


def check_encoding(encoding: Encoding) -> None:
    """Raise ValueError if an array does not match the tokens."""
    for name in ("ids", "segments", "offsets", "words", "special", "unknown"):
        _check_length(len(encoding.tokens), len(getattr(encoding, name)), f"tokens, against {name}")


def check_probabilities(explanation: Explanation) -> None:
    """Raise ValueError if labels and probabilities do not match; Failure if probabilities are not finite."""
    _check_length(len(explanation.labels), len(explanation.probabilities), "labels, against probabilities")
    check_finite(explanation.probabilities)


def _check_length(labels: int, values: int, name: str) -> None:
    if labels != values or not labels:
        raise ValueError(f"{labels} {name}: {values} values; they must be as many, and at least one")


def check_attributions(attributions: Sequence[Attribution], classes: Sequence[str]) -> None:
    """Raise ValueError if tokens or classes do not match; Failure if values are not finite."""
    for attribution in attributions:
        _check_length(
            len(attribution.labels), len(attribution.values), f"labels, against values of {attribution.method}"
        )
        if attribution.labels != attributions[0].labels or attribution.target != attributions[0].target:
            raise ValueError(f"{attribution.method} and {attributions[0].method} must be of the same tokens and class")
        if attribution.target not in classes:
            raise ValueError(f"the class {attribution.target!r} is not one of {', '.join(classes)}")
        check_finite(attribution.values)


def check_faithfulness(measures: Sequence[Faithfulness]) -> None:
    """Raise ValueError if the methods of the measures differ; Failure if values are not finite."""
    for measure in measures:
        _check_length(len(measure.methods), len(measure.values), f"methods, against {measure.measure}")
        if measure.methods != measures[0].methods:
            raise ValueError(f"{measure.measure} and {measures[0].measure} must be of the same methods")
        check_finite(measure.values)
