import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import kendalltau

from viz_core.analysis.attribution.agreement import RESAMPLES, agreement, kendall_taus
from viz_core.records import Attribution


def attribution(values, method="first", special=()):
    values = np.array(values, float)
    groups = np.array([-1 if index in special else 0 for index in range(len(values))])
    return Attribution(method, tuple(map(str, range(len(values)))), groups, values, "positive", True)


def test_by_hand():
    """Of the six pairs of four tokens, five agree in order and one does not: (5 − 1) / 6."""
    result = agreement([attribution([1, 2, 3, 4]), attribution([1, 2, 4, 3], "second")])
    assert result.tau == pytest.approx(np.array([[1, 4 / 6], [4 / 6, 1]]))
    assert result.methods == ("first", "second") and result.count == 4


def test_the_same_order_is_1_and_the_reverse_is_minus_1():
    result = agreement([attribution(values) for values in ([1, 5, 7, 9], [0.1, 0.2, 0.3, 0.9], [9, 7, 5, 1])])
    expected = np.array([[1, 1, -1], [1, 1, -1], [-1, -1, 1]])
    assert result.tau == pytest.approx(expected) and result.low == pytest.approx(expected)
    assert result.high == pytest.approx(expected)


def test_tokens_are_ranked_by_absolute_value_without_special_tokens():
    result = agreement(
        [attribution([99, 1, -2, 3, 0], special=(0, 4)), attribution([0, 0.1, 0.2, 0.3, 99], special=(0, 4))]
    )
    assert result.tau[0, 1] == pytest.approx(1) and result.count == 3


@given(arrays(float, (2, 12), elements=st.integers(-4, 4).map(float)))
def test_tau_equals_scipys(values):
    tau = kendall_taus(values, np.ones((1, 12)))[0, 0, 1]
    assert tau == pytest.approx(kendalltau(*values).statistic, nan_ok=True)


def test_a_resample_is_the_columns_repeated():
    random = np.random.default_rng(0)
    values, times = random.normal(size=(2, 9)), random.multinomial(9, np.full(9, 1 / 9), 3)
    for taus, counts in zip(kendall_taus(values, times), times, strict=True):
        assert taus[0, 1] == pytest.approx(kendalltau(*np.repeat(values, counts, axis=1)).statistic)


def test_tau_of_a_constant_method_is_nan():
    result = agreement([attribution([1, 1, 1]), attribution([1, 2, 3])])
    assert np.isnan(result.tau[0]).all() and np.isnan(result.low[0, 1]) and result.tau[1, 1] == 1


def test_tau_of_a_single_token_is_nan():
    assert np.isnan(agreement([attribution([3.0]), attribution([4.0])]).tau).all()


def test_the_interval_contains_tau_and_is_reproducible():
    random = np.random.default_rng(1)
    pair = [attribution(random.normal(size=40)), attribution(random.normal(size=40))]
    result, again = agreement(pair), agreement(pair)
    assert result.low[0, 1] < result.tau[0, 1] < result.high[0, 1] and result.low.tolist() == again.low.tolist()
    assert 0.2 < result.high[0, 1] - result.low[0, 1] < 0.8  # standard deviation of tau over 40 random pairs: 0.11


def test_the_interval_holds_the_middle_95_percent_of_resampled_tokens():
    random = np.random.default_rng(2)
    values = np.abs(random.normal(size=(2, 20)))
    result = agreement([attribution(row) for row in values], seed=5)
    times = np.random.default_rng(5).multinomial(20, np.full(20, 1 / 20), RESAMPLES)
    taus = [kendalltau(*np.repeat(values, counts, axis=1)).statistic for counts in times]
    assert (result.low[0, 1], result.high[0, 1]) == pytest.approx(tuple(np.quantile(taus, (0.025, 0.975))))
