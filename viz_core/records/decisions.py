"""From logits to an answer: the one place where they are calibrated, and where the decision threshold is applied."""

from __future__ import annotations

import numpy as np
from scipy.special import log_softmax, softmax


def calibrate(logits: np.ndarray, temperature: float) -> np.ndarray:
    """Probabilities, float64, of logits `(…, C)` divided by the temperature (Guo et al. 2017, section 4.2)."""
    return softmax(np.asarray(logits, np.float64) / temperature, axis=-1)


def calibrate_log(logits: np.ndarray, temperature: float) -> np.ndarray:
    """The logarithms of the same, without rounding small ones to 0."""
    return log_softmax(np.asarray(logits, np.float64) / temperature, axis=-1)


def decide(probabilities: np.ndarray, threshold: float | None) -> np.ndarray:
    """Number of the answer for probabilities `(…, C)`: of two classes the last from the threshold on, of more the likeliest.

    threshold: None where there are more than two classes.
    """
    probabilities = np.asarray(probabilities)
    if threshold is None:
        return probabilities.argmax(-1)
    return (probabilities[..., -1] >= threshold).astype(int)
