"""The evidence `predictions`: a model's prediction for every row of the validation split, for the error browser."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from viz_core.checkpoints import Settings
from viz_core.evidence.evidence_input import EvidenceInput, Progress
from viz_core.evidence.results import reads_result

NAME = "predictions"


@dataclass(frozen=True, eq=False)
class Predictions:
    """Predictions for N rows. predicted: `(N,)` class indices. confidence: `(N,)` their probabilities."""

    predicted: np.ndarray
    confidence: np.ndarray

    @classmethod
    def from_probabilities(cls, probabilities: np.ndarray, settings: Settings) -> Predictions:
        """From calibrated probabilities `(N, C)`."""
        predicted = settings.decide(probabilities)
        return cls(predicted, probabilities[np.arange(len(predicted)), predicted])


def compute(data: EvidenceInput, progress: Progress) -> dict:
    """The result to store: for two classes the probabilities of the last, for more predicted classes and confidence."""
    checkpoint = data.checkpoint
    probabilities = checkpoint.probabilities(data.examples, progress=progress)
    if probabilities.shape[1] == 2:
        return {"rows": len(probabilities), "probability": probabilities[:, -1]}
    predictions = Predictions.from_probabilities(probabilities, checkpoint.settings)
    return {"rows": len(probabilities), "answers": predictions.predicted, "confidence": predictions.confidence}


@reads_result
def read(result: dict, rows: int, settings: Settings) -> Predictions | None:
    """The predictions of a stored result; None if it has not `rows` rows."""
    if "probability" in result:
        last = np.asarray(result["probability"], np.float64)
        predictions = Predictions.from_probabilities(np.stack([1 - last, last], axis=1), settings)
    else:
        predictions = Predictions(np.array(result["answers"], int), np.asarray(result["confidence"], np.float64))
    is_complete = predictions.predicted.shape == predictions.confidence.shape == (rows,)
    return predictions if is_complete and np.isfinite(predictions.confidence).all() else None
