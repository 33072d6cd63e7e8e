"""95% bootstrap intervals (Efron and Tibshirani 1993, "An Introduction to the Bootstrap", section 13.3).

Percentiles over resamples of the examples with replacement; the random seed is fixed.
"""

from __future__ import annotations

import numpy as np

DRAWS = 1000
INTERVAL = (0.025, 0.975)


def paired_interval(differences: np.ndarray) -> np.ndarray:
    """95% interval `(K, 2)` of the mean of each row of paired differences `(K, N)`, resampling the N examples."""
    return np.quantile(resampled_sums(differences) / differences.shape[1], INTERVAL, axis=0).T


def resampled_sums(values: np.ndarray) -> np.ndarray:
    """`(DRAWS, K)`: the sum of each row of values `(K, N)` over a resample of the N examples; the same resamples in
    every call, so that a function of several sums, such as a ratio, has the interval of its percentiles."""
    random, N = np.random.default_rng(0), values.shape[1]
    return np.concatenate([random.multinomial(N, np.full(N, 1 / N), size=100) @ values.T for _ in range(DRAWS // 100)])
