"""Confidence intervals in closed form, against published and hand-computed values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz_core.statistics.intervals import auc_interval, wilson


def test_wilson_by_hand():
    """Newcombe 1998, table I, case (a): 81 of 263 gives 0.2553 to 0.3662; case (c): none of 20 gives 0 to 0.1611."""
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson(0, 20) == pytest.approx((0.0, 0.1611), abs=5e-5)
    assert wilson(0, 0) == (0.0, 1.0)


@given(st.integers(1, 500), st.floats(0, 1))
def test_wilson_interval_covers_the_proportion_and_is_symmetric(n, share):
    successes = round(share * n)
    low, high = wilson(successes, n)
    assert 0 <= low <= successes / n + 1e-12 and successes / n - 1e-12 <= high <= 1 and low < high
    assert wilson(n - successes, n) == pytest.approx((1 - high, 1 - low))


def test_auc_interval_by_hand():
    """AUC 0.5 with 2 and 3: both Q are 1/3, the variance (1/4 + 1/12 + 2/12) / 6 = 1/12; at AUC 1 the variance is 0."""
    assert auc_interval(0.5, 2, 3) == (0.0, 1.0)
    low, high = auc_interval(0.5, 200, 300)  # 1.96 × √((1/4 + 199/12 + 299/12) / 60000)
    assert (low, high) == pytest.approx((0.5 - 0.0517012, 0.5 + 0.0517012), abs=1e-5)
    assert auc_interval(1.0, 5, 5) == (1.0, 1.0)
    with pytest.raises(ValueError, match="0 positives"):
        auc_interval(0.5, 0, 5)
