import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz_core.analysis.attribution.methods import classifier_row, rollout

FIRST, SECOND = [[1, 0], [0.5, 0.5]], [[0, 1], [1, 0]]


def test_by_hand_with_the_first_layer_on_the_right():
    """Averaged with the identity: [[1, 0], [1/4, 3/4]] and [[1/2, 1/2], [1/2, 1/2]]. Reversed: 0.5 everywhere."""
    attention = np.array([[FIRST], [SECOND]], np.float32)
    assert rollout(attention).tolist() == [[0.625, 0.375], [0.625, 0.375]]
    assert rollout(attention[::-1]).tolist() == [[0.5, 0.5], [0.5, 0.5]]


def test_heads_are_averaged():
    attention = np.array([[FIRST, SECOND]], np.float32)
    assert rollout(attention).tolist() == [[0.75, 0.25], [0.375, 0.625]]


@given(st.integers(1, 4), st.integers(1, 3), st.integers(1, 6), st.integers(0, 99))
def test_rows_sum_to_1_and_equal_the_product(layers, heads, tokens, seed):
    attention = np.random.default_rng(seed).dirichlet(np.ones(tokens), (layers, heads, tokens))
    result = rollout(attention.astype(np.float32))
    with_identity = [0.5 * layer.mean(0) + 0.5 * np.eye(tokens) for layer in attention]
    expected = np.linalg.multi_dot([*with_identity[::-1], np.eye(tokens)])
    assert result == pytest.approx(expected, abs=1e-5) and result.sum(1) == pytest.approx(np.ones(tokens), abs=1e-5)


def test_the_row_that_the_classifier_reads():
    matrix = np.array([[1.0, 2.0], [3.0, 6.0]])
    assert classifier_row(matrix, "cls").tolist() == [1, 2] and classifier_row(matrix, "mean").tolist() == [2, 4]
