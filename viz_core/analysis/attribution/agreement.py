"""Do attribution methods agree on which tokens matter most?

Kendall's tau between token rankings, as Jain and Wallace 2019 compare attention with gradients
("Attention is not Explanation", section 4.1, https://arxiv.org/abs/1902.10186). Tokens are ranked
by absolute value, since attention is unsigned.
"""

from collections.abc import Sequence

import numpy as np

from viz_core.records import Agreement, Attribution

RESAMPLES = 500  # bootstrap resamples of the tokens
INTERVAL = (0.025, 0.975)


def agreement(attributions: Sequence[Attribution], seed: int = 0) -> Agreement:
    """Kendall's tau for each pair of methods over the non-special tokens.

    Each has a 95% bootstrap interval over tokens.
    """
    real = attributions[0].groups >= 0
    values = np.abs(np.stack([attribution.values[real] for attribution in attributions]))  # (M, N)
    count = values.shape[1]
    resamples = np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), RESAMPLES)  # (R, N)
    tau = kendall_taus(values, np.ones((1, count)))[0]
    low, high = _interval(kendall_taus(values, resamples))
    return Agreement(tuple(attribution.method for attribution in attributions), tau, low, high, count)


def kendall_taus(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Kendall's tau-b `(R, M, M)` between the rows of values `(M, N)`, for R resamples.

    Each resample is given by how often it draws each column, `(R, N)`. Equal to
    `scipy.stats.kendalltau`, but three matrix products handle all resamples at once. NaN for
    constant rows.
    """
    order = np.sign(values[:, :, None] - values[:, None, :])  # (M, N, N): which of two columns is larger
    methods, weights = len(values), weights.astype(float)
    concordance = np.empty((len(weights), methods, methods))
    for i in range(methods):
        for j in range(i + 1):
            concordance[:, i, j] = concordance[:, j, i] = ((weights @ (order[i] * order[j])) * weights).sum(1)
    untied = np.sqrt(np.diagonal(concordance, axis1=1, axis2=2))  # (R, M)
    with np.errstate(invalid="ignore"):  # 0 / 0 is the documented NaN
        return (concordance / (untied[:, :, None] * untied[:, None, :])).clip(-1, 1)  # rounding may exceed ±1


def _interval(taus: np.ndarray) -> np.ndarray:
    """The INTERVAL quantiles `(2, M, M)` of taus `(R, M, M)`, ignoring resamples with a constant method."""
    bounds = np.full((2, *taus.shape[1:]), np.nan)
    for pair in np.ndindex(taus.shape[1:]):
        finite = taus[:, *pair]
        finite = finite[np.isfinite(finite)]
        if finite.size:
            bounds[:, *pair] = np.quantile(finite, INTERVAL)
    return bounds
