"""Divergence between heads, by hand and against scipy."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon

from viz_core.analysis.heads.profile import divergences


def heads(count: int, tokens: int, seed: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.softmax(4 * torch.randn(count, tokens, tokens, generator=generator), -1)


def test_equal_heads_have_divergence_0_and_heads_without_common_keys_1():
    left, right = torch.tensor([[1.0, 0], [1, 0]]), torch.tensor([[0.0, 1], [0, 1]])
    divergence = divergences(torch.stack([left, right, left]))
    assert divergence.tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]


def test_a_single_key_against_a_uniform_row_by_hand():
    """The mixture is (3/4, 1/4): its entropy 0.8113 bit, minus half of the uniform row's 1 bit; in one of two rows."""
    first, second = torch.tensor([[1.0, 0], [0, 1]]), torch.tensor([[0.5, 0.5], [0, 1]])
    assert divergences(torch.stack([first, second]))[0, 1].item() == pytest.approx((0.811278 - 0.5) / 2, abs=1e-5)


@given(st.integers(1, 5), st.integers(1, 6), st.integers(0, 99))
def test_it_is_the_squared_jensen_shannon_distance_averaged_over_tokens(count, tokens, seed):
    attention = heads(count, tokens, seed)
    divergence = divergences(attention).numpy()
    rows = attention.double().numpy()
    expected = [
        [np.mean(jensenshannon(rows[i], rows[j], axis=1, base=2) ** 2) for j in range(count)] for i in range(count)
    ]
    np.testing.assert_allclose(divergence, np.nan_to_num(expected), atol=2e-5)
    assert (divergence == divergence.T).all() and (divergence >= 0).all() and (divergence <= 1).all()
