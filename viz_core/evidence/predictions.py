"""What a model answers to every row of the validation split: the list that the error browser goes through."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from viz_core.checkpoints import Settings
from viz_core.evidence.evidence_input import EvidenceInput, Progress
from viz_core.evidence.results import six_digits

NAME = "predictions"


@dataclass(frozen=True, eq=False)
class Predictions:
    """predicted: `(N,)` number of the class. confidence: `(N,)` its probability."""

    predicted: np.ndarray
    confidence: np.ndarray

    @classmethod
    def of(cls, probabilities: np.ndarray, settings: Settings) -> Predictions:
        """From calibrated probabilities `(N, C)`."""
        predicted = settings.decide(probabilities)
        return cls(predicted, probabilities[np.arange(len(predicted)), predicted])


def compute(subject: EvidenceInput, progress: Progress) -> dict:
    """What is kept, row by row of the split, to six digits: of two classes the probability of the last, of more the answer
    and its probability."""
    checkpoint = subject.checkpoint
    probabilities = checkpoint.probabilities(subject.examples, progress=progress)
    if probabilities.shape[1] == 2:
        return {"rows": len(probabilities), "probability": six_digits(probabilities[:, -1])}
    predictions = Predictions.of(probabilities, checkpoint.settings)
    return {
        "rows": len(probabilities),
        "answers": predictions.predicted.tolist(),
        "confidence": six_digits(predictions.confidence),
    }


def read(result: dict | None, rows: int, settings: Settings) -> Predictions | None:
    """The predictions of what `results.read_result` gives; None where they are not of so many rows."""
    try:
        if "probability" in result:
            last = np.array(result["probability"], float)
            predictions = Predictions.of(np.stack([1 - last, last], axis=1), settings)
        else:
            predictions = Predictions(np.array(result["answers"], int), np.array(result["confidence"], float))
    except (KeyError, TypeError, ValueError):
        return None
    whole = predictions.predicted.shape == predictions.confidence.shape == (rows,)
    return predictions if whole and np.isfinite(predictions.confidence).all() else None
