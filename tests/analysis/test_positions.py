"""Sinusoids worked out by hand, and against those of the model."""

from dataclasses import replace

import numpy as np
import pytest

from tests.adapters.test_causal import network as causal_network
from tests.adapters.tiny_networks import byte_pairs, network, wordpiece
from tests.tiny import encoder
from tests.tiny_translation import translation_checkpoint
from viz_core import checkpoints
from viz_core.adapters.checkpoint import adapt
from viz_core.analysis.inside.positions import (
    model_positions,
    order_without_positions,
    rotation,
    similarity_by_distance,
    sinusoids,
    wavelengths,
)
from viz_core.models.bag import Bag, BagConfig
from viz_core.models.embedding import sinusoidal_positions
from viz_core.records import PositionVectors


def test_wavelengths_by_hand():
    """Of D = 4: 2π · 10000^0 and 2π · 10000^(2/4) = 2π · 100."""
    np.testing.assert_allclose(wavelengths(4), [2 * np.pi, 200 * np.pi])


def test_sinusoids_by_hand():
    vectors = sinusoids(3, 4).vectors
    np.testing.assert_allclose(vectors[0], [0, 1, 0, 1])
    np.testing.assert_allclose(vectors[2], [np.sin(2), np.cos(2), np.sin(0.02), np.cos(0.02)])


@pytest.mark.parametrize("width", [2, 6, 64])
def test_sinusoids_are_those_of_the_model(width):
    np.testing.assert_allclose(sinusoids(50, width).vectors, sinusoidal_positions(50, width).numpy(), atol=1e-5)


def test_an_odd_width_has_no_pairs():
    with pytest.raises(ValueError, match="width 5 is odd"):
        sinusoids(3, 5)


@pytest.mark.parametrize("pair, shift", [(0, 1), (1, 7), (2, 30)])
def test_a_shift_is_the_same_rotation_at_every_position(pair, shift):
    vectors = sinusoids(100, 6).vectors[:, 2 * pair : 2 * pair + 2]
    matrix = rotation(6, pair, shift)
    np.testing.assert_allclose(vectors[:-shift] @ matrix.T, vectors[shift:], atol=1e-9)
    np.testing.assert_allclose(matrix @ matrix.T, np.eye(2), atol=1e-12)


def test_the_similarity_of_sinusoids_depends_on_the_distance_alone():
    """The product of two positions is the sum over pairs of cos(k / 10000^(2i/D)); their norm is √(D/2)."""
    positions = sinusoids(40, 8)
    dot, cosine = (similarity_by_distance(positions, measure, 10) for measure in ("dot", "cosine"))
    expected = [sum(np.cos(k * 2 * np.pi / length) for length in wavelengths(8)) for k in range(11)]
    np.testing.assert_allclose(dot.mean, expected)
    np.testing.assert_allclose(cosine.mean, np.array(expected) / 4)
    np.testing.assert_allclose(dot.low, dot.high)


def test_similarity_by_hand():
    positions = PositionVectors("learned", np.array([[1.0, 0], [0, 2], [3, 0]]))
    dot, cosine = (similarity_by_distance(positions, measure) for measure in ("dot", "cosine"))
    np.testing.assert_allclose(dot.mean, [(1 + 4 + 9) / 3, 0, 3])
    np.testing.assert_allclose(cosine.mean, [1, 0, 1])
    assert (dot.kind, dot.measure) == ("learned", "dot")
    np.testing.assert_allclose(dot.high[0], 4 + 0.9 * 5)  # the 95th percentile of 1, 4 and 9
    np.testing.assert_allclose(dot.low[0], 1 + 0.1 * 3)
    unused = PositionVectors("learned", np.array([[1.0, 0], [0, 0]]))
    assert similarity_by_distance(unused, "cosine").mean.tolist() == [0.5, 0], "a vector of zeros resembles nothing"


def test_positions_of_a_model(checkpoints_dir):
    checkpoint = checkpoints.load("imdb", "tiny")
    positions = model_positions(checkpoint)
    assert positions.kind == "learned"
    np.testing.assert_array_equal(positions.vectors, checkpoint.model.embedding.position.weight.detach().numpy())
    assert encoder(positions="sinusoidal").embedding.sinusoid.shape[1] == positions.vectors.shape[1]
    bag = replace(checkpoint, model=Bag(BagConfig(vocabulary=9, max_tokens=8, width=4)))
    assert model_positions(bag) is model_positions(translation_checkpoint()) is None


def test_what_tells_a_model_about_order_besides_its_positions(checkpoints_dir):
    families = (network("mpnet"), wordpiece()), (network("bert"), wordpiece()), (causal_network(), byte_pairs())
    tiny = checkpoints.load("imdb", "tiny")
    models = [
        *(adapt(library, tokenizer, "tiny") for library, tokenizer in families),
        replace(tiny, model=encoder(stem="convolution")),
        replace(tiny, model=encoder(stem="none")),
    ]
    told = [
        [message.key.removeprefix("positions.experiment_") for message in order_without_positions(model)]
        for model in models
    ]
    assert told == [["bias"], [], ["causal"], ["stem"], []]
    assert order_without_positions(replace(tiny, model=Bag(BagConfig(vocabulary=9, max_tokens=8, width=4)))) == []
