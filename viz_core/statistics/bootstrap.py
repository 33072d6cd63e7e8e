"""95% bootstrap intervals (Efron and Tibshirani 1993, "An Introduction to the Bootstrap", section 13.3).

Percentiles over resamples of the examples with replacement; the random seed is fixed.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

DRAWS = 1000
FEW_DRAWS = 200  # for a statistic that is expensive to compute
INTERVAL = (0.025, 0.975)


def paired_interval(differences: np.ndarray) -> np.ndarray:
    """95% interval `(K, 2)` of the mean of each row of paired differences `(K, N)`, resampling the N examples."""
    random, (_, N) = np.random.default_rng(0), differences.shape
    means = np.concatenate(
        [random.multinomial(N, np.full(N, 1 / N), size=100) @ differences.T / N for _ in range(DRAWS // 100)]
    )  # (draws, K)
    return np.quantile(means, INTERVAL, axis=0).T


def bootstrap_interval(statistic: Callable[[np.ndarray], float], N: int, draws: int = FEW_DRAWS) -> tuple[float, float]:
    """95% interval of a statistic of N examples. statistic: takes the indices `(N,)` of the resampled examples."""
    random = np.random.default_rng(0)
    low, high = np.quantile([statistic(random.integers(0, N, N)) for _ in range(draws)], INTERVAL)
    return float(low), float(high)
