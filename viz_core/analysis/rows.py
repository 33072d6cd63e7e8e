"""Many rows at once: a CSV file in, an answer per row out."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import softmax

from viz_core.analysis.evaluation import logits
from viz_core.analysis.explain import caution
from viz_core.checkpoints import Checkpoint
from viz_core.records import Encoding, Examples, Failure
from viz_core.text.tokenizer import TextEncoder

COLUMNS = {False: {"text": "text"}, True: {"sentence1": "text", "sentence2": "text_b"}}  # by Task.pair


def read_rows(file: str | Path, pair: bool) -> pd.DataFrame:
    """The texts of a CSV file as a frame with `text` and, for pairs, `text_b`; its index is the line in the file.

    Raises Failure that names the missing column, or the first line with an empty cell or a number of cells of its own.
    """
    try:
        with open(file, encoding="utf-8-sig", newline="") as lines:
            (_, header), *rows = _with_lines(lines) or [(1, [])]
    except (OSError, ValueError, csv.Error) as error:  # Unicode errors are ValueErrors
        reason = getattr(error, "strerror", None) or str(error)
        raise Failure("analysis.csv_unreadable", file=str(file), reason=reason) from error
    wanted = COLUMNS[pair]
    if missing := [name for name in wanted if name not in header]:
        raise Failure("analysis.csv_columns", file=str(file), missing=missing, found=header or "–")
    for line, cells in rows:
        # A comma that nobody quoted: pandas would take the first cell for an index and lose half of the text.
        if len(cells) != len(header):
            raise Failure("analysis.csv_cells", file=str(file), row=line, found=len(cells), expected=len(header))
        for name in wanted:
            if not cells[header.index(name)].strip():
                raise Failure("analysis.csv_empty", file=str(file), column=name, row=line)
    return pd.DataFrame([[cells[header.index(name)] for name in wanted] for _, cells in rows],
                        index=[line for line, _ in rows], columns=list(wanted.values()), dtype=object)


def _with_lines(lines: Iterable[str]) -> list[tuple[int, list[str]]]:
    """The cells of every row with the line it begins in; a quoted cell may go over several. Blank lines are left out."""
    reader, rows, begins = csv.reader(lines, strict=True), [], 1
    for cells in reader:
        if cells:
            rows.append((begins, cells))
        begins = reader.line_num + 1
    return rows


def predict_rows(checkpoint: Checkpoint, frame: pd.DataFrame) -> list[dict]:
    """One answer per row: model, label, probabilities, threshold, tokens, and notices as Messages.

    Raises Failure, naming the row by the frame's index, where a text cannot be read.
    """
    settings, labels = checkpoint.settings, checkpoint.task.labels
    encodings = [_encode(checkpoint.text, *row) for row in frame.itertuples(name=None)]
    scores = logits(checkpoint.encoder, Examples(
        [one.ids for one in encodings], [one.segments for one in encodings], np.full(len(encodings), -1)))
    probabilities = softmax(scores.astype("float64") / settings.temperature, axis=1)
    return [{"model": checkpoint.name, "label": labels[int(row[1] >= settings.threshold)],
             "probabilities": dict(zip(labels, row.tolist(), strict=True)), "threshold": settings.threshold,
             "tokens": list(encoding.tokens), "notices": caution(settings) + encoding.notices}
            for encoding, row in zip(encodings, probabilities, strict=True)]


def _encode(text: TextEncoder, line: int, *texts: str) -> Encoding:
    try:
        return text.encode(*texts)
    except Failure as failure:
        raise Failure("analysis.csv_row", row=line, reason=failure.message) from failure
