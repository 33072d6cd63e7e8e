"""Do methods rank the same tokens high?

Kendall's tau between rankings of the tokens, as Jain and Wallace 2019 compare attention with gradients ("Attention is not
Explanation", section 4.1, https://arxiv.org/abs/1902.10186); values are compared by size, since attention has no sign.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from viz_core.records import Agreement, Attribution

RESAMPLES = 500  # of the tokens, for the interval
INTERVAL = (0.025, 0.975)


def agreement(attributions: Sequence[Attribution], seed: int = 0) -> Agreement:
    """Tau of each pair of methods over the tokens that are not special, with a 95 % bootstrap interval over tokens."""
    real = attributions[0].groups >= 0
    values = np.abs(np.stack([one.values[real] for one in attributions]))
    count = values.shape[1]
    drawn = np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), RESAMPLES)
    tau = taus(values, np.ones((1, count)))[0]
    low, high = _interval(taus(values, drawn))
    return Agreement(tuple(one.method for one in attributions), tau, low, high, count)


def taus(values: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Kendall's tau-b `(R, M, M)` between the rows of values `(M, N)`, a column as often as `times`, `(R, N)`, says.

    One at a time it is `scipy.stats.kendalltau`; all resamples at once it is three products of matrices. NaN where all
    values of a row are the same.
    """
    order = np.sign(values[:, :, None] - values[:, None, :])  # (M, N, N): which of two columns is larger
    methods, times = len(values), times.astype(float)
    agree = np.empty((len(times), methods, methods))
    for one in range(methods):
        for other in range(one + 1):
            agree[:, one, other] = agree[:, other, one] = ((times @ (order[one] * order[other])) * times).sum(1)
    untied = np.sqrt(np.diagonal(agree, axis1=1, axis2=2))  # (R, M)
    with np.errstate(invalid="ignore"):  # 0 / 0 is the NaN that is promised
        return (agree / (untied[:, :, None] * untied[:, None, :])).clip(-1, 1)  # rounding may carry it just beyond


def _interval(drawn: np.ndarray) -> np.ndarray:
    """`(2, M, M)`: the quantiles of taus `(R, M, M)`, without the draws in which a method ranked nothing."""
    bounds = np.full((2, *drawn.shape[1:]), np.nan)
    for place in np.ndindex(drawn.shape[1:]):
        found = drawn[:, *place]
        found = found[np.isfinite(found)]
        if found.size:
            bounds[:, *place] = np.quantile(found, INTERVAL)
    return bounds
