"""95% confidence intervals: in closed form, by solving an equation, or by bootstrap.

The bootstrap takes percentiles over resamples of the examples with replacement, with a fixed random
seed (Efron and Tibshirani 1993, "An Introduction to the Bootstrap", section 13.3).
"""

import numpy as np
from scipy.optimize import brentq
from scipy.stats import binomtest

Z = 1.959964  # of the normal distribution, two-sided 95 %
_BESIDE = 1e-9
DRAWS = 1000
INTERVAL = (0.025, 0.975)


def wilson(successes: int, n: int) -> tuple[float, float]:
    """Compute the Wilson interval of the proportion `successes / n`; 0 to 1 if n is 0.

    Unlike the normal approximation it stays within 0 and 1 and has a positive width for 0 or n
    successes (Wilson 1927; Brown, Cai and DasGupta 2001, section 3.1.1).
    """
    if not n:
        return 0.0, 1.0
    interval = binomtest(int(successes), int(n)).proportion_ci(confidence_level=0.95, method="wilson")
    return float(interval.low), float(interval.high)


def paired_difference(first: np.ndarray, second: np.ndarray) -> tuple[float, float, float]:
    """Difference of two accuracies on the same rows, with its interval.

    Only the rows that one of them alone gets right tell them apart. Of these the first has a share p,
    with Wilson's interval; the difference is 2p - 1 of them. It excludes 0 exactly where McNemar's
    test (1947, "Note on the sampling error of the difference between correlated proportions or
    percentages", without correction for continuity) rejects at 5%.

    Args:
        first, second: `(N,)`, whether each row was right.

    Raises:
        ValueError: If there are no rows, or they differ in number.
    """
    if not len(first) or len(first) != len(second):
        raise ValueError(f"{len(first)} and {len(second)} rows: both are of the same")
    first_alone, second_alone = int((first & ~second).sum()), int((second & ~first).sum())
    discordant = first_alone + second_alone
    low, high = wilson(first_alone, discordant)
    share = discordant / len(first)
    return (first_alone - second_alone) / len(first), (2 * low - 1) * share, (2 * high - 1) * share


def auc_interval(auc: float, positives: int, negatives: int) -> tuple[float, float]:
    """Compute the score interval of the area under the ROC curve (Newcombe 2006, method 5).

    The limits are the areas A with `|auc - A| = Z · standard_error(A)`: as in Wilson's interval for
    proportions, the standard error is taken at the limit, not at the estimate. So the interval has
    an honest width where the estimate is 0 or 1; there the standard errors of DeLong and of Hanley
    and McNeil are 0 whatever the number of rows.

    Newcombe 2006, "Confidence intervals for an effect size measure based on the Mann-Whitney
    statistic, part 2", Statistics in Medicine 25:559-573.

    Raises:
        ValueError: If there are no positives or no negatives.
    """
    if positives < 1 or negatives < 1:
        raise ValueError(f"{positives} positives and {negatives} negatives: there must be one of each")

    def excess(area: float) -> float:
        """Squared distance from the estimate, minus the squared distance that a limit has."""
        return (auc - area) ** 2 - Z**2 * _auc_variance(area, positives, negatives)

    # An estimate of 0 or 1 is itself a root, but not the one wanted: the search begins beside it.
    low = brentq(excess, 0.0, min(auc, 1 - _BESIDE)) if auc > _BESIDE else 0.0
    high = brentq(excess, max(auc, _BESIDE), 1.0) if auc < 1 - _BESIDE else 1.0
    return float(low), float(high)


def _auc_variance(area: float, positives: int, negatives: int) -> float:
    """Compute the variance of an area (Hanley and McNeil 1982, equation 1; Newcombe 2006, method 4).

    The mean of both class sizes takes the place of each.
    """
    mean_size = (positives + negatives) / 2 - 1
    pairs = 1 + mean_size * ((1 - area) / (2 - area) + area / (1 + area))
    return area * (1 - area) * pairs / (positives * negatives)


def paired_interval(differences: np.ndarray) -> np.ndarray:
    """Compute 95% intervals `(K, 2)` of the row means of paired differences `(K, N)`, resampling the N examples."""
    return np.quantile(resampled_sums(differences) / differences.shape[1], INTERVAL, axis=0).T


def resampled_sums(values: np.ndarray) -> np.ndarray:
    """Sum each row of values `(K, N)` over resamples of the N examples, `(DRAWS, K)`.

    The resamples are the same in every call, so that the percentiles of a function of several sums,
    such as a ratio, give its interval.
    """
    random, N = np.random.default_rng(0), values.shape[1]
    return np.concatenate([random.multinomial(N, np.full(N, 1 / N), size=100) @ values.T for _ in range(DRAWS // 100)])
