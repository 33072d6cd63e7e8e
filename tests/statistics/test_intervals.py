"""Confidence intervals in closed form, against published and hand-computed values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz_core.statistics.intervals import Z, auc_interval, paired_difference, wilson


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


def rows_right(both: int, first_alone: int, second_alone: int, neither: int) -> tuple[np.ndarray, np.ndarray]:
    counts = (both, first_alone, second_alone, neither)
    return np.repeat([True, True, False, False], counts), np.repeat([True, False, True, False], counts)


def test_a_paired_difference_by_hand():
    """12 of 100 rows tell them apart, 10 for the first: Wilson's interval of 10 of 12 is 0.5520 to 0.9530."""
    assert paired_difference(*rows_right(60, 10, 2, 28)) == pytest.approx((0.08, 0.0125, 0.1087), abs=1e-4)
    assert paired_difference(*rows_right(60, 2, 10, 28)) == pytest.approx((-0.08, -0.1087, -0.0125), abs=1e-4)
    assert paired_difference(*rows_right(5, 0, 0, 5)) == (0, 0, 0), "no row tells them apart"
    for first, second in ((0, 0), (3, 4)):
        with pytest.raises(ValueError, match=f"{first} and {second} rows"):
            paired_difference(np.ones(first, bool), np.ones(second, bool))


@given(st.integers(0, 40), st.integers(0, 40), st.integers(1, 100))
def test_a_paired_interval_excludes_0_where_mcnemar_rejects(first_alone, second_alone, both):
    difference, low, high = paired_difference(*rows_right(both, first_alone, second_alone, 0))
    rejects = (first_alone - second_alone) ** 2 > Z**2 * (first_alone + second_alone)
    assert (low > 0 or high < 0) == rejects and low <= difference <= high


def test_auc_interval_by_hand():
    """One positive and one negative: the variance is A (1 - A), so the interval is Wilson's for 1 of 1, or 0 of 1."""
    assert auc_interval(1.0, 1, 1) == pytest.approx((1 / (1 + Z**2), 1.0)) == wilson(1, 1)
    assert auc_interval(0.0, 1, 1) == pytest.approx(wilson(0, 1))
    low, high = auc_interval(0.5, 200, 300)  # near 0.5 ± 1.96 × √((1/4 + 249/6) / 60000), Hanley and McNeil's
    assert (low, high) == pytest.approx((0.5 - 0.0517, 0.5 + 0.0517), abs=5e-4)
    with pytest.raises(ValueError, match="0 positives"):
        auc_interval(0.5, 0, 5)


def test_a_perfect_auc_on_four_rows_has_a_wide_interval():
    """2 and 2: the limit A solves 1 - A = Z² A (1 + (1 - A) / (2 - A) + A / (1 + A)) / 4."""
    low, high = auc_interval(1.0, 2, 2)
    assert high == 1 and 1 - low == pytest.approx(Z**2 * low * (1 + (1 - low) / (2 - low) + low / (1 + low)) / 4)
    assert 0.38 < low < 0.39
    assert auc_interval(1.0, 300, 300)[0] > 0.99


@given(st.floats(0, 1), st.integers(1, 60), st.integers(1, 60))
def test_auc_interval_contains_the_area_and_is_symmetric(area, positives, negatives):
    low, high = auc_interval(area, positives, negatives)
    assert 0 <= low <= area + 1e-6 and area - 1e-6 <= high <= 1 and high - low > 0.01
    assert auc_interval(1 - area, negatives, positives) == pytest.approx((1 - high, 1 - low), abs=1e-6)


@given(st.floats(0.01, 0.99), st.integers(1, 60), st.integers(1, 60))
def test_the_limits_are_as_far_from_the_area_as_their_standard_errors_say(area, positives, negatives):
    for limit in auc_interval(area, positives, negatives):
        pairs = (1 - limit) / (2 - limit) + limit / (1 + limit)  # Newcombe 2006, method 4
        variance = limit * (1 - limit) * (1 + ((positives + negatives) / 2 - 1) * pairs) / (positives * negatives)
        assert abs(area - limit) == pytest.approx(Z * variance**0.5, abs=1e-6)
