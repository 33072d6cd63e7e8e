"""Many texts at once: an answer for each of them, and how good the answers are where the truth is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from viz_core.analysis.evaluation import metrics
from viz_core.analysis.explain import caution_notices
from viz_core.checkpoints import Checkpoint
from viz_core.records import Encoding, Examples, Failure, Figures, Message, decide
from viz_core.statistics.intervals import wilson
from viz_core.tables.csv_rows import Row
from viz_core.text.tokenizer import TextEncoder

ROWS, CHARACTERS = 512, 100_000  # at most so much is in work at once: of a million rows, memory holds but these


def predict_rows(checkpoint: Checkpoint, rows: Iterable[Row]) -> Iterator[dict]:
    """One answer per row: model, label, probabilities, threshold, tokens, and notices as Messages.

    Raises Failure, naming the row by its line, at the first one that cannot be used.
    """
    settings, labels = checkpoint.settings, checkpoint.task.labels
    for several in in_parts(rows):
        encodings = [_encode(checkpoint.text, row) for row in several]
        found = _probabilities(checkpoint, [one.ids for one in encodings], [one.segments for one in encodings])
        for encoding, row in zip(encodings, found, strict=True):
            yield {
                "model": checkpoint.name,
                "label": labels[int(settings.decide(row))],
                "probabilities": dict(zip(labels, row.tolist(), strict=True)),
                "threshold": settings.threshold,
                "tokens": list(encoding.tokens),
                "notices": caution_notices(settings) + encoding.notices,
            }


def answer_rows(checkpoint: Checkpoint, rows: Sequence[Row]) -> tuple[list[Row], np.ndarray]:
    """The rows, with a problem where a text holds nothing to read, and calibrated probabilities `(N, C)`, NaN where there is
    a problem. Much faster than `predict_rows`, since it asks for no offsets, words and notices."""
    usable = [number for number, row in enumerate(rows) if row.problem is None]
    ids, segments = checkpoint.text.ids(
        [rows[number].texts[0] for number in usable],
        [rows[number].texts[1] for number in usable] if checkpoint.task.pair else None,
    )
    said, kept, result = list(rows), [], np.full((len(rows), len(checkpoint.task.labels)), np.nan)
    for place, number in enumerate(usable):
        if _blank(segments[place], checkpoint.task.pair):
            said[number] = replace(rows[number], problem=_unreadable(checkpoint.text, rows[number]))
        if said[number].problem is None:
            kept.append(place)
    if kept:
        result[[usable[place] for place in kept]] = _probabilities(
            checkpoint, [ids[place] for place in kept], [segments[place] for place in kept]
        )
    return said, result


def in_parts(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """As many rows at a time as ROWS and CHARACTERS allow, at least one. Where the rows end in a Failure, those before it
    still come."""
    part, characters = [], 0
    try:
        for row in rows:
            part.append(row)
            characters += sum(map(len, row.texts))
            if len(part) == ROWS or characters >= CHARACTERS:
                yield part
                part, characters = [], 0
    except Failure:
        if part:
            yield part
        raise
    if part:
        yield part


def figures(probabilities: np.ndarray, labels: np.ndarray, threshold: float | None) -> dict | None:
    """The figures of a model card, from probabilities `(N, C)` and labels `(N,)`, with a 95 % interval of the accuracy; auc,
    mcc and f1 are None where only one class occurs. None for no rows."""
    if not len(labels):
        return None
    answers, classes = decide(probabilities, threshold), probabilities.shape[1]
    right, several = int((answers == labels).sum()), len(np.unique(labels)) > 1
    confusion = np.zeros((classes, classes), int)
    np.add.at(confusion, (labels, answers), 1)
    with np.errstate(divide="ignore"):
        logits = np.log(probabilities)  # whose softmax is the probabilities again
    of_several = metrics(logits, labels, 1.0, threshold) if several else Figures()
    return {
        "n": len(labels),
        "accuracy": right / len(labels),
        "accuracy_interval": wilson(right, len(labels)),
        "majority_accuracy": float(np.bincount(labels).max() / len(labels)),
        "confusion": confusion.tolist(),
        "auc": of_several.auc,
        "mcc": of_several.mcc,
        "f1": of_several.f1 and list(of_several.f1),
        "threshold": threshold,
    }


def _probabilities(checkpoint: Checkpoint, ids: list[np.ndarray], segments: list[np.ndarray]) -> np.ndarray:
    """`(N, C)`, calibrated."""
    return checkpoint.probabilities(Examples(ids, segments, np.full(len(ids), -1)))


def _blank(segments: np.ndarray, pair: bool) -> bool:
    """Whether a text has come to nothing: what is left of it are [CLS] and [SEP] alone."""
    return (segments == 0).sum() <= 2 or (pair and (segments == 1).sum() <= 1)


def _encode(text: TextEncoder, row: Row) -> Encoding:
    if row.problem:
        raise Failure(row.problem.key, **row.problem.values)
    try:
        return text.encode(*row.texts)
    except Failure as failure:
        raise Failure("analysis.csv_row", row=row.line, reason=failure.message) from failure


def _unreadable(text: TextEncoder, row: Row) -> Message | None:
    try:
        _encode(text, row)
    except Failure as failure:
        return failure.message
    return None
