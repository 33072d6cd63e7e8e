"""Queries and keys in one plane: it keeps the products of the head, and a head whose scale is known."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.analysis.test_value_norms import FORMS, checkpoint, checkpoint_of
from tests.explorer.inside_packets import translation
from tests.steps import softmax
from tests.tiny import REVIEWS, text_encoder
from viz_core.analysis.explain import encode, explain, input_tensors
from viz_core.analysis.inside.passes import translation_tensors
from viz_core.analysis.inside.query_key_plane import (
    best_scale,
    biplot,
    pairs_of,
    queries_keys,
    query_key_plane,
    translation_plane,
)
from viz_core.models.bag import Bag
from viz_core.models.baseline_configs import BagConfig
from viz_core.records import Failure, Message

RANDOM = np.random.default_rng(0)
ONE_TEXT = np.zeros(12, int)


@pytest.mark.parametrize("form", FORMS.values(), ids=list(FORMS))
def test_queries_and_keys_give_the_attention_of_the_model(form):
    model = checkpoint("imdb", **form)
    explanation = explain(model, REVIEWS[0])
    for layer, head in np.ndindex(explanation.attention.shape[:2]):
        encodings = encode(model, "good"), explanation.encoding
        shorter, (queries, keys) = queries_keys(model, input_tensors(*encodings), encodings, "self", layer, head)
        assert shorter[0].shape == (3, queries.shape[1])
        weights = softmax(queries @ keys.T / np.sqrt(queries.shape[1]))
        assert_allclose(weights, explanation.attention[layer, head], atol=1e-5)


@pytest.mark.parametrize("kind", ["self", "causal"])
def test_a_translation_gives_the_attention_of_the_model(kind):
    model, translated = translation()
    for layer, head in np.ndindex(translated.attention[kind].shape[:2]):
        inputs, side = translation_tensors(translated), translated.sides(kind)[0]
        ((queries, keys),) = queries_keys(model, inputs, [side], kind, layer, head)
        scores = queries @ keys.T / np.sqrt(queries.shape[1])
        if kind == "causal":
            scores[np.triu_indices(len(scores), 1)] = -np.inf
        assert_allclose(softmax(scores), translated.attention[kind][layer, head], atol=1e-5)
    plane = translation_plane(model, [translated, translated], kind, 1, 0)
    assert plane.queries.shape == (2 * len(queries), 2) and plane.of_text.tolist() == [0] * len(queries) + [1] * len(
        keys
    )


def test_pairs_are_of_one_text_and_not_of_later_keys():
    of_text = np.array([0, 0, 1])
    assert pairs_of(of_text).tolist() == [[0, 0], [0, 1], [1, 0], [1, 1], [2, 2]]
    assert pairs_of(of_text, causal=True).tolist() == [[0, 0], [1, 0], [1, 1], [2, 2]]


def test_two_dimensions_keep_all_products():
    queries, keys = RANDOM.normal(3, 1, (12, 2)), RANDOM.normal(-2, 0.2, (12, 2))
    points, explained = biplot(queries, keys)
    assert_allclose(points[0] @ points[1].T, queries @ keys.T, atol=1e-9)
    assert_allclose(*np.square(points).sum((1, 2)), rtol=1e-9)  # as large as each other
    assert explained == pytest.approx(1)


def test_more_dimensions_keep_the_largest_products():
    """Products 6, 2 and 1 of three queries, each with a key of its own: the last has no room."""
    points, explained = biplot(np.diag([3.0, 2, 1]), np.diag([-2.0, 1, 1]))
    assert_allclose(points[0], [[-(6**0.5), 0], [0, 2**0.5], [0, 0]], atol=1e-9)
    assert_allclose(points[1], [[6**0.5, 0], [0, 2**0.5], [0, 0]], atol=1e-9)
    assert explained == pytest.approx(40 / 41)
    assert biplot(np.zeros((2, 2)), np.ones((2, 2)))[1] == 0, "no products"


def test_a_head_of_width_1_is_a_line():
    points, explained = biplot(np.array([[4.0], [-8]]), np.array([[2.0], [1]]))
    assert_allclose(points, [[[2, 0], [-4, 0]], [[4, 0], [2, 0]]], atol=1e-9)
    assert explained == pytest.approx(1)


def test_the_scale_undoes_that_of_a_head():
    """Queries four times and keys a fourth of points on circles, whose distances are the products given."""
    angles = np.arange(12) * np.pi / 6
    circle = np.stack([np.cos(angles), np.sin(angles)], 1)
    keys = circle * np.tile([[1.0], [2]], (6, 1))
    products = -np.square(circle[:, None] - keys).sum(-1).ravel()
    scale, correlation = best_scale(4 * circle, keys / 4, pairs_of(ONE_TEXT), products)
    assert scale == pytest.approx(0.25) and correlation == pytest.approx(1)


def test_the_correlation_is_that_of_the_products_less_the_mean_of_each_query():
    """Of queries that have products of 0 and 10, and of 100 and 104, the first key is the farther in both."""
    points, pairs = np.array([[0.0, 0], [3, 0]]), pairs_of(ONE_TEXT[:2])
    scale, correlation = best_scale(points, points, pairs, np.array([0.0, 10, 100, 104]))
    distances = [0, (3 / scale) ** 2, (3 * scale) ** 2, (3 * scale - 3 / scale) ** 2]
    assert correlation == pytest.approx(np.corrcoef([-5, 5, -2, 2], np.negative(distances))[0, 1])
    others = [np.corrcoef([-5, 5, -2, 2], [0, -9 / c**2, -9 * c**2, -9 * (c - 1 / c) ** 2])[0, 1] for c in (1, 2, 16)]
    assert correlation >= max(others)
    assert best_scale(points, points, pairs, np.ones(4))[1] == 0, "equal products correlate with nothing"


def test_what_all_queries_share_is_part_of_the_scores():
    """All queries attend to the last key, because of their mean alone: centred, no product is left."""
    queries, keys = np.full((3, 2), 2.0), np.array([[-1.0, 0], [0, 0], [0, 1]])
    points, _ = biplot(queries, keys - keys.mean(0))
    products = (queries @ keys.T).ravel()
    scale, correlation = best_scale(*points, pairs_of(ONE_TEXT[:3]), products)
    assert correlation > 0.9
    nearest = np.square(points[0][:, None] * scale - points[1] / scale).sum(-1).argmin(1)
    assert nearest.tolist() == [2, 2, 2]


@pytest.mark.parametrize("kind", ["self", "causal"])
def test_a_plane_holds_the_products_of_the_model(kind):
    """Those that give its attention, whatever the plane: its own are those of the moved keys, in two dimensions."""
    model, translated = translation()
    plane = translation_plane(model, [translated], kind, 1, 0)
    scores = np.full((len(plane.labels),) * 2, -np.inf)
    width = model.settings.config.width // model.settings.config.heads
    scores[tuple(plane.pairs.T)] = plane.products / np.sqrt(width)
    assert_allclose(softmax(scores), translated.attention[kind][1, 0], atol=1e-5)
    (sides,) = queries_keys(model, translation_tensors(translated), [translated.sides(kind)[0]], kind, 1, 0)
    points, explained = biplot(sides[0], sides[1] - sides[1].mean(0))
    assert_allclose(plane.queries, points[0] * plane.scale, atol=1e-5)
    assert_allclose(plane.keys, points[1] / plane.scale, atol=1e-5)
    assert plane.explained == pytest.approx(explained, abs=1e-5)
    assert plane.correlation == pytest.approx(np.corrcoef(plane.relative_products, -plane.distances)[0, 1])


def test_a_plane_names_every_token_and_its_text():
    model = checkpoint("afqmc")
    encodings = [encode(model, "花呗怎么还", "借呗如何还款"), encode(model, "花呗", "借呗")]
    plane = query_key_plane(model, encodings, 1, 0)
    assert (plane.layer, plane.head) == (1, 0)
    assert plane.queries.shape == plane.keys.shape == (14 + 7, 2)
    assert plane.labels[:3] == ("[CLS]", "花", "呗") and plane.labels[14:16] == ("[CLS]", "花")
    assert plane.of_text.tolist() == [0] * 14 + [1] * 7 and plane.positions[14:].tolist() == list(range(7))
    assert (
        (plane.groups == -1).sum() == 6
        and plane.groups[[1, 8]].tolist() == [0, 1]
        and plane.texts[1] == ("花呗", "借呗")
    )
    assert 0 < plane.explained <= 1


def test_other_models_and_heads_are_refused():
    vocabulary = text_encoder("imdb").vocabulary
    bag = checkpoint_of(Bag(BagConfig(vocabulary=vocabulary, max_tokens=16, width=8)).eval())
    with pytest.raises(Failure, match="whatif_unknown_head"):
        query_key_plane(checkpoint(), [encode(checkpoint(), REVIEWS[0])], 9, 0)
    translating, translated = translation()
    for plane, name in (
        (lambda: query_key_plane(bag, [encode(bag, REVIEWS[0])], 0, 0), "imdb/tiny"),
        (lambda: query_key_plane(translating, [translated.source], 0, 0), "tatoeba/tiny"),
        (lambda: translation_plane(checkpoint(), [translated], "self", 0, 0), "imdb/tiny"),
    ):
        with pytest.raises(Failure) as failure:
            plane()
        assert failure.value.message == Message("plane.no_queries", {"name": name})
