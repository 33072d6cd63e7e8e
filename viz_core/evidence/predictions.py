"""What a model answers to every row of the validation split: the list that the error browser goes through."""

from __future__ import annotations

import numpy as np
from scipy.special import softmax

from viz_core.analysis.evaluation import logits
from viz_core.evidence.subject import Progress, Subject

NAME = "predictions"


def compute(subject: Subject, progress: Progress) -> dict:
    """What is kept: the probability of the last class, row by row of the split, to six digits."""
    checkpoint = subject.checkpoint
    scores = logits(checkpoint.encoder, subject.examples, progress=progress)
    probability = softmax(scores.astype("float64") / checkpoint.settings.temperature, axis=1)[:, -1]
    return {"rows": len(probability), "probability": [float(f"{one:.6g}") for one in probability]}


def read(found: dict | None, rows: int) -> np.ndarray | None:
    """The probabilities `(N,)` of what `results.read_result` found; None where they are not of so many rows."""
    try:
        probability = np.array(found["probability"], float)
    except (KeyError, TypeError, ValueError):
        return None
    return probability if probability.shape == (rows,) and np.isfinite(probability).all() else None
