"""95% confidence intervals: in closed form, from one equation, or by bootstrap (Efron and Tibshirani 1993, "An Introduction to the Bootstrap", section 13.3): percentiles over resamples of the examples with replacement, with a fixed random seed."""

import numpy as np
from scipy.optimize import brentq
from scipy.stats import binomtest

Z = 1.959964  # of the normal distribution, two-sided 95 %
_BESIDE = 1e-9
DRAWS = 1000
INTERVAL = (0.025, 0.975)


def wilson(successes: int, n: int) -> tuple[float, float]:
    """Wilson interval of the proportion `successes / n`; 0 to 1 if n is 0.

    Unlike the normal approximation it stays within 0 and 1 and has a positive width for 0 or n
    successes (Wilson 1927; Brown, Cai and DasGupta 2001, section 3.1.1).
    """
    if not n:
        return 0.0, 1.0
    interval = binomtest(int(successes), int(n)).proportion_ci(confidence_level=0.95, method="wilson")
    return float(interval.low), float(interval.high)


def auc_interval(auc: float, positives: int, negatives: int) -> tuple[float, float]:
    """Score interval of the area under the ROC curve (Newcombe 2006, "Confidence intervals for an effect size measure based on the Mann-Whitney statistic, part 2", Statistics in Medicine 25:559-573, method 5).

    The limits are the areas A with `|auc - A| = Z · standard_error(A)`: the standard error is taken
    at the limit, not at the estimate, as Wilson does for proportions. So the interval has an honest
    width where the estimate is 0 or 1; there DeLong's and Hanley and McNeil's standard errors are
    0, on four rows as on a thousand.

    Raises:
        ValueError: If there are no positives or no negatives.
    """
    if positives < 1 or negatives < 1:
        raise ValueError(f"{positives} positives and {negatives} negatives: there must be one of each")

    def excess(area: float) -> float:
        """Squared distance from the estimate, less that of a limit."""
        return (auc - area) ** 2 - Z**2 * _auc_variance(area, positives, negatives)

    # An estimate of 0 or 1 is a root of its own, which is not the one wanted: the search begins beside it.
    low = brentq(excess, 0.0, min(auc, 1 - _BESIDE)) if auc > _BESIDE else 0.0
    high = brentq(excess, max(auc, _BESIDE), 1.0) if auc < 1 - _BESIDE else 1.0
    return float(low), float(high)


def _auc_variance(area: float, positives: int, negatives: int) -> float:
    """Hanley and McNeil 1982, equation 1, with the mean of both classes' sizes in place of each (Newcombe 2006, method 4)."""
    mean_size = (positives + negatives) / 2 - 1
    pairs = 1 + mean_size * ((1 - area) / (2 - area) + area / (1 + area))
    return area * (1 - area) * pairs / (positives * negatives)


def paired_interval(differences: np.ndarray) -> np.ndarray:
    """95% interval `(K, 2)` of the mean of each row of paired differences `(K, N)`, resampling the N examples."""
    return np.quantile(resampled_sums(differences) / differences.shape[1], INTERVAL, axis=0).T


def resampled_sums(values: np.ndarray) -> np.ndarray:
    """`(DRAWS, K)`: the sum of each row of values `(K, N)` over a resample of the N examples; the same resamples in every call, so that a function of several sums, such as a ratio, has the interval of its percentiles."""
    random, N = np.random.default_rng(0), values.shape[1]
    return np.concatenate([random.multinomial(N, np.full(N, 1 / N), size=100) @ values.T for _ in range(DRAWS // 100)])
