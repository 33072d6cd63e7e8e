"""95% confidence intervals in closed form."""

from __future__ import annotations

from math import sqrt

from scipy.stats import binomtest

Z = 1.959964  # of the normal distribution, two-sided 95 %


def wilson(successes: int, n: int) -> tuple[float, float]:
    """Wilson interval of the proportion `successes / n`; 0 to 1 if n is 0.

    Unlike the normal approximation it stays within 0 and 1 and has a positive width for 0 or n successes (Wilson 1927;
    Brown, Cai and DasGupta 2001, section 3.1.1).
    """
    if not n:
        return 0.0, 1.0
    interval = binomtest(int(successes), int(n)).proportion_ci(confidence_level=0.95, method="wilson")
    return float(interval.low), float(interval.high)


def auc_interval(auc: float, positives: int, negatives: int) -> tuple[float, float]:
    """Interval of the area under the ROC curve (Hanley and McNeil 1982, equation 1).

    Raises ValueError if there are no positives or no negatives.
    """
    if positives < 1 or negatives < 1:
        raise ValueError(f"{positives} positives and {negatives} negatives: there must be one of each")
    two_positives, two_negatives = auc / (2 - auc), 2 * auc**2 / (1 + auc)
    variance = (
        auc * (1 - auc) + (positives - 1) * (two_positives - auc**2) + (negatives - 1) * (two_negatives - auc**2)
    ) / (positives * negatives)
    half = Z * sqrt(max(variance, 0.0))
    return max(0.0, auc - half), min(1.0, auc + half)
