"""95% bootstrap intervals (Efron and Tibshirani 1993, "An Introduction to the Bootstrap", section 13.3).

Percentiles over resamples of the examples with replacement; the random seed is fixed.
"""

from __future__ import annotations

import numpy as np

DRAWS = 1000
INTERVAL = (0.025, 0.975)


def paired_interval(differences: np.ndarray) -> np.ndarray:
    """95% interval `(K, 2)` of the mean of each row of paired differences `(K, N)`, resampling the N examples."""
    random, (_, N) = np.random.default_rng(0), differences.shape
    means = np.concatenate(
        [random.multinomial(N, np.full(N, 1 / N), size=100) @ differences.T / N for _ in range(DRAWS // 100)]
    )  # (draws, K)
    return np.quantile(means, INTERVAL, axis=0).T
