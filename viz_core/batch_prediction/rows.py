"""Predictions for many texts, and their metrics if labels are known."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from viz_core.analysis.evaluation.metrics import metrics
from viz_core.analysis.explain import caution_notices
from viz_core.checkpoints import Checkpoint
from viz_core.records import Encoding, Examples, Failure, Figures, Message, decide
from viz_core.statistics.intervals import wilson
from viz_core.tables.csv_rows import Row
from viz_core.text.tokenizer import TextEncoder

ROWS, CHARACTERS = 512, 100_000  # most per chunk, to bound memory for files of any size


def predict_rows(checkpoint: Checkpoint, rows: Iterable[Row]) -> Iterator[dict]:
    """Yield model, label, probabilities, threshold, tokens and notices (Messages) of each row.

    Raises:
        Failure: At the first row that cannot be used, naming its line.
    """
    settings, labels = checkpoint.settings, checkpoint.task.labels
    for chunk in row_chunks(rows):
        encodings = [_encode(checkpoint.text_encoder, row) for row in chunk]
        probabilities = _probabilities(
            checkpoint, [encoding.ids for encoding in encodings], [encoding.segments for encoding in encodings]
        )
        for encoding, values in zip(encodings, probabilities, strict=True):
            yield {
                "model": checkpoint.name,
                "label": labels[int(settings.decide(values))],
                "probabilities": dict(zip(labels, values.tolist(), strict=True)),
                "threshold": settings.threshold,
                "tokens": list(encoding.tokens),
                "notices": caution_notices(settings) + encoding.notices,
            }


def classify_rows(checkpoint: Checkpoint, rows: Sequence[Row]) -> tuple[list[Row], np.ndarray]:
    """Predict rows; those with a text without tokens get a problem.

    Returns the rows, and calibrated probabilities `(N, C)`, NaN for a problem. Much faster than
    `predict_rows`, because offsets, words and notices are not computed.
    """
    valid = [number for number, row in enumerate(rows) if row.problem is None]
    ids, segments = checkpoint.text_encoder.ids(
        [rows[number].texts[0] for number in valid],
        [rows[number].texts[1] for number in valid] if checkpoint.task.pair else None,
    )
    checked, positions = list(rows), []
    for position, number in enumerate(valid):
        if _is_empty(segments[position], checkpoint.task.pair):
            checked[number] = replace(rows[number], problem=_encoding_problem(checkpoint.text_encoder, rows[number]))
        if checked[number].problem is None:
            positions.append(position)
    probabilities = np.full((len(rows), len(checkpoint.task.labels)), np.nan)
    if positions:
        probabilities[[valid[position] for position in positions]] = _probabilities(
            checkpoint, [ids[position] for position in positions], [segments[position] for position in positions]
        )
    return checked, probabilities


def row_chunks(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Chunks of at most ROWS rows and about CHARACTERS characters.

    If `rows` fails, the rows read before come first.
    """
    chunk, characters = [], 0
    try:
        for row in rows:
            chunk.append(row)
            characters += sum(map(len, row.texts))
            if len(chunk) == ROWS or characters >= CHARACTERS:
                yield chunk
                chunk, characters = [], 0
    except Failure:
        if chunk:
            yield chunk
        raise
    if chunk:
        yield chunk


def figures(probabilities: np.ndarray, labels: np.ndarray, threshold: float | None) -> dict | None:
    """Metrics from probabilities `(N, C)` and labels `(N,)`; None for no rows.

    The accuracy has a 95% interval. auc, mcc and f1 are None if all labels are equal.
    """
    if not len(labels):
        return None
    predictions, classes = decide(probabilities, threshold), probabilities.shape[1]
    correct, several_classes = int((predictions == labels).sum()), len(np.unique(labels)) > 1
    confusion = np.zeros((classes, classes), int)
    np.add.at(confusion, (labels, predictions), 1)
    with np.errstate(divide="ignore"):
        logits = np.log(probabilities)  # softmax of these gives the probabilities back
    ranking = metrics(logits, labels, 1.0, threshold) if several_classes else Figures()
    return {
        "n": len(labels),
        "accuracy": correct / len(labels),
        "accuracy_interval": wilson(correct, len(labels)),
        "majority_accuracy": float(np.bincount(labels).max() / len(labels)),
        "confusion": confusion.tolist(),
        "auc": ranking.auc,
        "mcc": ranking.mcc,
        "f1": ranking.f1 and list(ranking.f1),
        "threshold": threshold,
    }


def _probabilities(checkpoint: Checkpoint, ids: list[np.ndarray], segments: list[np.ndarray]) -> np.ndarray:
    """Calibrated probabilities, `(N, C)`."""
    return checkpoint.probabilities(Examples(ids, segments, np.full(len(ids), -1)))


def _is_empty(segments: np.ndarray, pair: bool) -> bool:
    """Whether nothing is left of a text except [CLS] and [SEP].

    Args:
        segments: `(T,)`.
    """
    return (segments == 0).sum() <= 2 or (pair and (segments == 1).sum() <= 1)


def _encode(text_encoder: TextEncoder, row: Row) -> Encoding:
    if row.problem:
        raise Failure(row.problem.key, **row.problem.values)
    try:
        return text_encoder.encode(*row.texts)
    except Failure as failure:
        raise Failure("analysis.csv_row", row=row.line, reason=failure.message) from failure


def _encoding_problem(text_encoder: TextEncoder, row: Row) -> Message | None:
    try:
        _encode(text_encoder, row)
    except Failure as failure:
        return failure.message
    return None
