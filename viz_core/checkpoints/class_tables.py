"""What a model card says about each class: F1, and how often it was predicted for which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def class_tables(splits: Mapping[str, Mapping], labels: Sequence[str]) -> list[str]:
    """Markdown: a table of F1 by class, and a confusion matrix for each split.

    splits: the metrics by the name of their split; those without `f1` and `confusion` of all classes are left out.
    """
    splits = {name: metrics for name, metrics in splits.items() if _has_classes(metrics, len(labels))}
    if not splits:
        return []
    scores = [
        [f"`{label}`", *(f"{metrics['f1'][number]:.4f}" for metrics in splits.values())]
        for number, label in enumerate(labels)
    ]
    parts = [_table(["class", *(f"F1 on {name}" for name in splits)], scores)]
    for name, metrics in splits.items():
        rows = [[f"`{label}`", *map(str, counts)] for label, counts in zip(labels, metrics["confusion"], strict=True)]
        matrix = _table(["true class", *(f"`{label}`" for label in labels)], rows)
        parts += [f"Predicted classes on {name}:", matrix]
    return parts


def _has_classes(metrics: Mapping, count: int) -> bool:
    """Whether the scores of all classes are known; F1 is none where all labels are equal."""
    return all(scores and len(scores) == count for scores in (metrics.get("f1"), metrics.get("confusion")))


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows])
