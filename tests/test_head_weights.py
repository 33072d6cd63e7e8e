"""Attention weights in an array, and computed when they are asked for: both are used alike."""

import numpy as np
import pytest

from viz_core.records import DeferredWeights, map_heads, measure_layers

WEIGHTS = np.arange(2 * 3 * 4 * 4, dtype=np.float32).reshape(2, 3, 4, 4)


@pytest.fixture
def asked():
    return []


@pytest.fixture
def deferred(asked):
    def compute(layer: int, head: int) -> np.ndarray:
        asked.append((layer, head))
        return WEIGHTS[layer, head]

    return DeferredWeights(WEIGHTS.shape, 10, compute)


def test_it_is_indexed_like_the_array(deferred):
    for place in (1, -1, (0, 2), (-1, -1)):
        np.testing.assert_array_equal(deferred[place], WEIGHTS[place])
    np.testing.assert_array_equal(np.asarray(deferred), WEIGHTS)
    assert (len(deferred), deferred.size, deferred.nbytes) == (2, 96, 10)
    for place in (2, (0, 3), (-3, 0)):
        with pytest.raises(IndexError):
            deferred[place]


def test_only_what_is_asked_for_is_computed(deferred, asked):
    assert not asked
    deferred[1, 2]
    assert asked == [(1, 2)]
    next(iter(deferred))
    assert asked == [(1, 2), (0, 0), (0, 1), (0, 2)]


def test_changed_weights_are_those_of_the_changed_array_and_come_later(deferred, asked):
    factors = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
    changed = map_heads(deferred, lambda weights, head: weights.T * factors[head], factors.nbytes)
    assert not asked and changed.nbytes == 10 + 24
    expected = WEIGHTS.swapaxes(2, 3) * factors[..., None, None]
    np.testing.assert_array_equal(np.asarray(changed), expected)
    array = map_heads(WEIGHTS, lambda weights, head: weights.T * factors[head])
    np.testing.assert_array_equal(array, expected)
    assert array.dtype == np.float32


def test_a_measure_of_each_head_is_taken_layer_by_layer(deferred):
    for weights in (WEIGHTS, deferred):
        np.testing.assert_array_equal(measure_layers(weights, lambda layer: layer[:, 0, 1]), WEIGHTS[:, :, 0, 1])
    assert measure_layers(WEIGHTS[:0], lambda layer: layer.sum((1, 2))).shape == (0, 3)
