import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import kendalltau

from viz_core.analysis.agreement import agreement, kendall_taus
from viz_core.records import Attribution


def attribution(values, method="one", special=()):
    values = np.array(values, float)
    groups = np.array([-1 if index in special else 0 for index in range(len(values))])
    return Attribution(method, tuple(map(str, range(len(values)))), groups, values, "positive", True)


def test_by_hand():
    """Of the six pairs of four tokens, five are ordered alike and one the other way round: (5 − 1) / 6."""
    found = agreement([attribution([1, 2, 3, 4]), attribution([1, 2, 4, 3], "other")])
    assert found.tau == pytest.approx(np.array([[1, 4 / 6], [4 / 6, 1]]))
    assert found.methods == ("one", "other") and found.count == 4


def test_the_same_order_is_1_and_the_reverse_is_minus_1():
    found = agreement([attribution(values) for values in ([1, 5, 7, 9], [0.1, 0.2, 0.3, 0.9], [9, 7, 5, 1])])
    expected = np.array([[1, 1, -1], [1, 1, -1], [-1, -1, 1]])
    assert found.tau == pytest.approx(expected) and found.low == pytest.approx(expected)
    assert found.high == pytest.approx(expected)


def test_size_counts_and_special_tokens_do_not():
    found = agreement(
        [attribution([99, 1, -2, 3, 0], special=(0, 4)), attribution([0, 0.1, 0.2, 0.3, 99], special=(0, 4))]
    )
    assert found.tau[0, 1] == pytest.approx(1) and found.count == 3


@given(arrays(float, (2, 12), elements=st.integers(-4, 4).map(float)))
def test_tau_is_scipys(values):
    found = kendall_taus(values, np.ones((1, 12)))[0, 0, 1]
    assert found == pytest.approx(kendalltau(*values).statistic, nan_ok=True)


def test_a_resample_is_the_columns_repeated():
    random = np.random.default_rng(0)
    values, times = random.normal(size=(2, 9)), random.multinomial(9, np.full(9, 1 / 9), 3)
    for found, one in zip(kendall_taus(values, times), times, strict=True):
        assert found[0, 1] == pytest.approx(kendalltau(*np.repeat(values, one, axis=1)).statistic)


def test_a_method_that_ranks_nothing_agrees_with_none():
    found = agreement([attribution([1, 1, 1]), attribution([1, 2, 3])])
    assert np.isnan(found.tau[0]).all() and np.isnan(found.low[0, 1]) and found.tau[1, 1] == 1


def test_one_token_has_no_order():
    assert np.isnan(agreement([attribution([3.0]), attribution([4.0])]).tau).all()


def test_the_interval_holds_tau_and_is_the_same_again():
    random = np.random.default_rng(1)
    pair = [attribution(random.normal(size=40)), attribution(random.normal(size=40))]
    found, again = agreement(pair), agreement(pair)
    assert found.low[0, 1] < found.tau[0, 1] < found.high[0, 1] and found.low.tolist() == again.low.tolist()
    assert 0.2 < found.high[0, 1] - found.low[0, 1] < 0.8  # tau of 40 pairs at random: standard deviation 0.11
