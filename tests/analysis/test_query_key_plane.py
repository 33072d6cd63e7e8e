"""Queries and keys in one plane: what it leaves as it is, and a head whose scale is known."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.analysis.test_value_norms import FORMS, checkpoint, checkpoint_of
from tests.explorer.inside_packets import translation
from tests.steps import softmax
from tests.tiny import REVIEWS, text_encoder
from viz_core.analysis.explain import encode, explain, input_tensors
from viz_core.analysis.inside.passes import translation_tensors
from viz_core.analysis.inside.query_key_plane import join, project, queries_keys, query_key_plane, translation_plane
from viz_core.models.bag import Bag
from viz_core.models.baseline_configs import BagConfig
from viz_core.records import Failure

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


def test_later_keys_do_not_count_where_no_query_attends_to_them():
    """Three tokens on a line; with the mask six pairs remain, whose correlation NumPy gives."""
    sides = np.array([[-1.0], [0.0], [1.0]])
    products, distances = sides @ sides.T, np.square(sides - sides.T)
    for causal, rows in ((False, np.nonzero(np.ones((3, 3)))), (True, np.tril_indices(3))):
        scale, correlation = join(sides, sides, ONE_TEXT[:3], causal)[2:]
        assert scale == 1 and correlation == pytest.approx(np.corrcoef(products[rows], -distances[rows])[0, 1])


def test_joining_changes_no_attention_weight_and_brings_the_centres_together():
    queries, keys = RANDOM.normal(3, 1, (12, 4)), RANDOM.normal(-2, 0.2, (12, 4))
    joint_queries, joint_keys, scale, correlation = join(queries, keys, ONE_TEXT)
    assert scale != 1 and correlation > 0.2
    centre = queries.mean(0) * scale  # queries are shown around 0, but attend from where they are
    assert_allclose(softmax((joint_queries + centre) @ joint_keys.T), softmax(queries @ keys.T), atol=1e-9)
    assert_allclose(joint_queries.mean(0), 0, atol=1e-9)
    assert_allclose(joint_keys.mean(0), 0, atol=1e-9)


def test_the_scale_undoes_that_of_a_head():
    """Queries four times and keys a fourth of the same vectors of length 1: then near means a large product."""
    angles = np.arange(12) * np.pi / 6
    circle = np.stack([np.cos(angles), np.sin(angles)], 1)
    queries, keys, scale, correlation = join(4 * circle, circle / 4, ONE_TEXT)
    assert scale == pytest.approx(0.25)
    assert_allclose(queries, circle, atol=1e-9)
    assert_allclose(keys, circle, atol=1e-9)
    assert correlation > 0.97


def test_only_pairs_of_a_text_count():
    """Two texts whose tokens are alike within, and the other way round between them."""
    sides = np.array([[1.0, 0], [-1, 0], [1, 0], [-1, 0]])
    assert join(sides, sides, np.array([0, 0, 1, 1]))[3] == pytest.approx(1)
    nothing = join(np.ones((4, 2)), np.ones((4, 2)), np.zeros(4, int))
    assert nothing[2:] == (1.0, 0.0), "equal vectors: no scale is better than another"


def test_two_dimensions_are_only_rotated():
    vectors = RANDOM.normal(size=(9, 2))
    vectors -= vectors.mean(0)
    points, explained = project(vectors)
    assert explained == pytest.approx(1)
    assert_allclose(np.linalg.norm(points, axis=1), np.linalg.norm(vectors, axis=1), rtol=1e-5)
    line, share = project(np.array([[3.0, 4, 0], [-3, -4, 0]]))
    assert_allclose(line, [[5, 0], [-5, 0]], atol=1e-6)
    assert share == pytest.approx(1)
    assert project(np.array([[2.0], [-2]]))[0].tolist() == [[2, 0], [-2, 0]], "a head of width 1"


def test_a_plane_names_every_token_and_its_text():
    model = checkpoint("afqmc")
    encodings = [encode(model, "花呗怎么还", "借呗如何还款"), encode(model, "花呗", "借呗")]
    plane = query_key_plane(model, encodings, 1, 0)
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
    for model, layer, key in ((bag, 0, "plane.no_queries"), (checkpoint(), 9, "analysis.whatif_unknown_head")):
        with pytest.raises(Failure) as failure:
            query_key_plane(model, [encode(model, REVIEWS[0])], layer, 0)
        assert failure.value.message.key == key
