"""The steps of a forward pass in NumPy: on paper, and against torch."""

import math
from functools import partial

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.steps import convolve, gelu, gelu_tanh, layer_norm, linear, relu, scale, scores, softmax
from viz_core.analysis.inside.steps import entropy

RANDOM = np.random.default_rng(0)
CLOSE = dict(rtol=1e-5, atol=1e-5)


def numbers(*shape: int) -> np.ndarray:
    return RANDOM.normal(size=shape).astype(np.float32)


def tensor(values: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(values)


def test_scaled_dot_product_attention_on_paper():
    query, keys = np.array([[2.0, 0.0]]), np.array([[1.0, 1.0], [3.0, 0.0]])
    products = scores(query, keys)
    assert products.tolist() == [[2.0, 6.0]]
    scaled = scale(products, 4)
    assert scaled.tolist() == [[1.0, 3.0]]
    np.testing.assert_allclose(softmax(scaled), [[1 / (1 + math.e**2), math.e**2 / (1 + math.e**2)]])


def test_a_key_at_minus_infinity_has_no_weight():
    assert softmax(np.array([[0.0, -np.inf, 0.0]])).tolist() == [[0.5, 0.0, 0.5]]


@pytest.mark.parametrize(
    "weights, reachable, expected",
    [
        ([0.25, 0.25, 0.25, 0.25], 4, 1.0),
        ([1.0, 0.0, 0.0, 0.0], 4, 0.0),
        ([0.5, 0.5, 0.0, 0.0], 4, 0.5),  # ln 2 / ln 4
        ([0.5, 0.5, 0.0, 0.0], 2, 1.0),
        ([1.0, 0.0, 0.0, 0.0], 1, 0.0),
    ],
)
def test_entropy_on_paper(weights, reachable, expected):
    assert entropy(np.array(weights), np.arange(4) < reachable) == pytest.approx(expected)


def test_layer_normalisation_on_paper():
    np.testing.assert_allclose(
        layer_norm(np.array([1.0, 3.0]), np.array([2.0, 1.0]), np.array([0.0, 5.0])), [-2.0, 6.0], rtol=1e-4
    )


def test_a_convolution_on_paper():
    """A single channel: previous, current and next row with weights 1, 10 and 100, and the bias 1000."""
    x, weight = np.array([[1.0], [2.0], [3.0]]), np.array([[[1.0, 10.0, 100.0]]])
    assert convolve(x, weight, np.array([1000.0])).tolist() == [[1210.0], [1321.0], [1032.0]]


@pytest.mark.parametrize(
    "ours, torchs",
    [
        (relu, F.relu),
        (gelu, F.gelu),
        (gelu_tanh, partial(F.gelu, approximate="tanh")),
        (softmax, lambda x: x.softmax(-1)),
    ],
)
def test_functions_of_a_number_agree_with_torch(ours, torchs):
    x = 3 * numbers(5, 7)
    np.testing.assert_allclose(ours(x), torchs(tensor(x)), **CLOSE)
    assert ours(x).dtype == np.float32


def test_layers_agree_with_torch():
    x, weight, bias, gain = numbers(5, 8), numbers(8, 8), numbers(8), numbers(8)
    np.testing.assert_allclose(linear(x, weight, bias), F.linear(*map(tensor, (x, weight, bias))), **CLOSE)
    expected = F.layer_norm(tensor(x), (8,), tensor(gain), tensor(bias))
    np.testing.assert_allclose(layer_norm(x, gain, bias), expected, **CLOSE)
    convolution = nn.Conv1d(8, 8, kernel_size=3, padding=1)
    ours = convolve(x, convolution.weight.detach().numpy(), convolution.bias.detach().numpy())
    with torch.no_grad():
        np.testing.assert_allclose(ours, convolution(tensor(x.T)[None])[0].T, **CLOSE)
