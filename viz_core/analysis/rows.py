"""Many rows at once: a CSV file in, an answer per row out."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from scipy.special import softmax

from viz_core.analysis.evaluation import logits
from viz_core.checkpoints import Checkpoint
from viz_core.records import Failure

COLUMNS = {False: {"text": "text"}, True: {"sentence1": "text", "sentence2": "text_b"}}  # by Task.pair


def read_rows(file: str | Path, pair: bool) -> pd.DataFrame:
    """The texts of a CSV file as a frame with `text` and, for pairs, `text_b`.

    Raises Failure that names the missing column, or the first row whose cell is empty.
    """
    try:
        frame = pd.read_csv(file, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    except (OSError, ValueError) as error:  # pandas' own parser errors and Unicode errors are ValueErrors
        raise Failure("analysis.csv_unreadable", file=str(file), reason=str(error)) from error
    wanted = COLUMNS[pair]
    if missing := [name for name in wanted if name not in frame]:
        raise Failure("analysis.csv_columns", file=str(file), missing=missing, found=list(frame.columns))
    for name in wanted:
        empty = frame.index[frame[name].str.strip() == ""]
        if len(empty):
            raise Failure("analysis.csv_empty", file=str(file), column=name, row=int(empty[0]) + 2)  # 1 is the header
    return frame[list(wanted)].rename(columns=wanted)


def predict_rows(checkpoint: Checkpoint, frame: pd.DataFrame) -> list[dict]:
    """One answer per row: model, label, probabilities, threshold."""
    settings, labels = checkpoint.settings, checkpoint.task.labels
    scores = logits(checkpoint.encoder, checkpoint.task.examples(frame, checkpoint.text))
    probabilities = softmax(scores.astype("float64") / settings.temperature, axis=1)
    return [{"model": checkpoint.name, "label": labels[int(row[1] >= settings.threshold)],
             "probabilities": dict(zip(labels, row.tolist(), strict=True)), "threshold": settings.threshold}
            for row in probabilities]
