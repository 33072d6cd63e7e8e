"""Reliability diagram: how often are predictions correct, given their confidence? (Guo et al. 2017, section 2)"""

from __future__ import annotations

import numpy as np

from viz_core.analysis.evaluation.metrics import ECE_BINS
from viz_core.records import Calibration
from viz_core.statistics.intervals import wilson


def calibration(probabilities: np.ndarray, labels: np.ndarray) -> Calibration:
    """The curve of probabilities `(N, C)` and labels `(N,)`, in the bins of `evaluation.expected_calibration_error`."""
    confidence, correct = probabilities.max(1), probabilities.argmax(1) == labels
    bins = np.minimum((confidence * ECE_BINS).astype(int), ECE_BINS - 1)
    count, hits, sums = (np.bincount(bins, weights, ECE_BINS) for weights in (None, correct, confidence))
    low, high = np.transpose([wilson(hit, n) if n else (np.nan, np.nan) for hit, n in zip(hits, count, strict=True)])
    filled = np.where(count > 0, count, np.nan)
    return Calibration(sums / filled, hits / filled, low, high, count)
