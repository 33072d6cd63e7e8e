"""Decisions from logits: the only place where logits are calibrated and the threshold is applied."""

import numpy as np
from scipy.special import log_softmax, softmax


def calibrate(logits: np.ndarray, temperature: float) -> np.ndarray:
    """Probabilities `(…, C)`, float64, of logits `(…, C)` divided by the temperature.

    Temperature scaling: Guo et al. 2017, section 4.2.
    """
    return softmax(np.asarray(logits, np.float64) / temperature, axis=-1)


def calibrate_log(logits: np.ndarray, temperature: float) -> np.ndarray:
    """Log-probabilities `(…, C)`, computed directly so that small probabilities do not underflow."""
    return log_softmax(np.asarray(logits, np.float64) / temperature, axis=-1)


def decide(probabilities: np.ndarray, threshold: float | None) -> np.ndarray:
    """Index of the predicted class, `(…)`, from probabilities `(…, C)`.

    Args:
        threshold: With two classes, the second is predicted from this probability on; None with
            more, where the most probable class is predicted.
    """
    probabilities = np.asarray(probabilities)
    if threshold is None:
        return probabilities.argmax(-1)
    return (probabilities[..., -1] >= threshold).astype(int)
