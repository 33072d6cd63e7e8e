"""Llama and its relatives step by step: rotary positions, shared keys and values, RMS norm, gated feed-forward."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.adapters.test_causal import TEXT
from tests.adapters.test_inside import assert_close
from tests.adapters.test_language_model import network
from tests.adapters.test_points import ROTARY
from tests.adapters.tiny_networks import byte_pairs
from tests.steps import linear, rms_norm, rotate, silu
from viz_core.adapters.checkpoint import adapt
from viz_core.analysis.evaluation.word_order import order_effects
from viz_core.analysis.explain import CANDIDATES, explain, input_tensors
from viz_core.analysis.inside.blocks import model_blocks
from viz_core.analysis.inside.head_changes import HeadChanges
from viz_core.analysis.inside.inside import inside
from viz_core.analysis.inside.layer_matrices import layer_matrices
from viz_core.analysis.inside.logit_lens import text_lens
from viz_core.analysis.inside.passes import Selected
from viz_core.analysis.inside.positions import model_positions
from viz_core.analysis.inside.query_key_plane import queries_keys, query_key_plane
from viz_core.analysis.inside.rotation import pair_frequencies
from viz_core.checkpoints import Checkpoint
from viz_core.language import LANGUAGES, Translator
from viz_core.models.protocol import HookPoint
from viz_core.models.recording import record
from viz_core.records import Encoding, Failure, Message, show_whitespace

QUERY, KEY, HEAD = 5, 2, 2  # the third head is the first of those that read the second key
WEIGHT = Selected("causal", 1, HEAD, QUERY, KEY)
EPSILON = 1e-6


def tiny(family: str, **different: object) -> Checkpoint:
    name, sizes = ROTARY[family]
    return adapt(network(name, **{**sizes, **different}), byte_pairs(max_tokens=40), f"tiny-{family}")


@pytest.fixture(scope="module", params=ROTARY)
def family(request) -> str:
    return request.param


@pytest.fixture(scope="module")
def checkpoint(family) -> Checkpoint:
    return tiny(family)


@pytest.fixture(scope="module")
def encoding(checkpoint) -> Encoding:
    return checkpoint.text_encoder.encode(TEXT)


def test_every_step_is_that_of_the_library(family, checkpoint, encoding):
    name, sizes = ROTARY[family]
    library = network(name, **sizes)
    library.set_attn_implementation("eager")
    with torch.no_grad():
        ids = torch.from_numpy(encoding.ids.copy())[None]
        output = library(input_ids=ids, output_attentions=True, output_hidden_states=True)
    states, logits = [state[0] for state in output.hidden_states], output.logits[0, -1]
    inner = inside(checkpoint, encoding, WEIGHT)
    assert_close(inner.query.embedded, states[0][QUERY])
    assert_close(inner.query.streams[1], states[1][QUERY])
    assert_close(inner.of_head.weights, output.attentions[1][0, HEAD, QUERY])
    assert_close(inner.of_layer.output, states[2][QUERY])
    assert_close(inner.prediction.pooled, states[-1][-1])
    probabilities, likeliest = logits.softmax(-1).topk(CANDIDATES)
    assert_close(inner.prediction.probabilities, probabilities)
    assert_close(inner.prediction.logits, logits[likeliest])
    assert (inner.norm, inner.centred, inner.activation, inner.positions) == ("pre", False, "silu", "rotary")
    assert (inner.sizes["H"], inner.sizes["G"], inner.sizes["d"]) == (4, 2, 12 if family == "qwen3" else 8)
    assert inner.biases == (("query", "key", "value") if family == "qwen2" else ())


def test_each_step_follows_from_the_step_before_and_the_matrices(family, checkpoint, encoding):
    inner = inside(checkpoint, encoding, WEIGHT)
    head, layer, norms = inner.of_head, inner.of_layer, inner.norms
    assert tuple(inner.query.parts) == ("token",)
    assert_close(rms_norm(inner.query.stream, norms["attention"][0], EPSILON), torch.from_numpy(inner.query.read))
    keys = rms_norm(inner.window, norms["attention"][0], EPSILON)
    for step, name, read, positions in (
        ("query", "query", inner.query.read[None], np.array([QUERY])),
        ("keys", "keys", keys, np.arange(len(keys))),
    ):
        matrices = layer_matrices(checkpoint, "causal", 1, step, HEAD)
        short = step.rstrip("s")
        vectors = linear(read, matrices[f"w_{short}"], matrices[f"b_{short}"])
        if family == "qwen3":
            assert_close(np.atleast_2d(getattr(head, f"unnormed_{name}")), torch.from_numpy(vectors))
            vectors = rms_norm(vectors, norms[short][0], EPSILON)
        assert_close(np.atleast_2d(getattr(head, f"unrotated_{name}")), torch.from_numpy(vectors))
        assert_close(np.atleast_2d(getattr(head, name)), torch.from_numpy(rotate(vectors, positions)))
    matrices = layer_matrices(checkpoint, "causal", 1, "values", HEAD)
    assert_close(head.values, torch.from_numpy(linear(keys, matrices["w_value"], matrices["b_value"])))
    assert_close(rms_norm(layer.before, norms["feedforward"][0], EPSILON), torch.from_numpy(layer.read))
    matrices = layer_matrices(checkpoint, "causal", 1, "feedforward")
    assert_close(layer.gate, torch.from_numpy(linear(layer.read, matrices["w_gate"], matrices["b_gate"])))
    assert_close(layer.hidden, torch.from_numpy(linear(layer.read, matrices["w_hidden"], matrices["b_hidden"])))
    assert_close(layer.activated, torch.from_numpy(silu(layer.gate) * layer.hidden))
    assert_close(
        layer.feedforward,
        torch.from_numpy(linear(layer.activated, matrices["w_feedforward"], matrices["b_feedforward"])),
    )
    classified = inner.prediction.w_classifier @ inner.prediction.pooled
    assert_close(classified, torch.from_numpy(inner.prediction.logits))


def test_heads_that_share_a_key_have_its_rows(checkpoint, encoding):
    """Four heads, two keys: heads 1 and 2 share one, heads 3 and 4 the other."""
    matrices = [layer_matrices(checkpoint, "causal", 1, "keys", head)["w_key"] for head in range(4)]
    keys = [inside(checkpoint, encoding, replace(WEIGHT, head=head)).of_head.keys for head in range(4)]
    for group in (matrices, keys):
        assert np.array_equal(group[0], group[1]) and np.array_equal(group[2], group[3])
        assert not np.allclose(group[1], group[2])


def test_a_rotation_by_hand():
    """Widths of 4, so two pairs: a position turns the first by 1 radian, the second by 1 / 100."""
    angles = np.outer(np.arange(3), [1, 0.01, 1, 0.01])
    frequencies, lengthening = pair_frequencies(np.stack([np.cos(angles), np.sin(angles)]))
    np.testing.assert_allclose(frequencies, [1, 0.01], rtol=1e-6)
    assert lengthening == pytest.approx(1)
    frequencies, lengthening = pair_frequencies(1.5 * np.stack([np.cos(angles[:1]), np.sin(angles[:1])]))
    assert frequencies.tolist() == [0, 0] and lengthening == pytest.approx(1.5)
    turned = rotate(np.array([[1.0, 0, 0, 2]]), np.array([3]))  # the pairs (1, 0) and (0, 2)
    np.testing.assert_allclose(turned, [[np.cos(3), -2 * np.sin(0.03), np.sin(3), 2 * np.cos(0.03)]])


@pytest.mark.parametrize(
    "scaling", [{}, {"rope_type": "linear", "factor": 4.0}, {"rope_type": "yarn", "factor": 4.0}], ids=str
)
def test_the_angles_are_those_that_the_network_used(scaling):
    """Also where positions are scaled for longer texts; YaRN makes the vectors longer, too."""
    rope = {"rope_parameters": {"rope_theta": 500.0, "rope_type": "default", **scaling}}
    checkpoint = tiny("llama", **rope)
    head = inside(checkpoint, checkpoint.text_encoder.encode(TEXT), WEIGHT).of_head
    for before, after, position in (
        (head.unrotated_query, head.query, QUERY),
        *zip(head.unrotated_keys, head.keys, range(len(head.keys)), strict=True),
    ):
        angles = position * head.frequencies.astype(float)
        pairs = (before[:4] + 1j * before[4:]) * np.exp(1j * angles) * head.lengthening
        np.testing.assert_allclose(np.concatenate([pairs.real, pairs.imag]), after, atol=1e-5)
    assert (head.lengthening > 1.1) == (scaling.get("rope_type") == "yarn")
    first = {"linear": 0.25}.get(scaling.get("rope_type"), 1)
    assert head.frequencies[0] == pytest.approx(first, rel=1e-5)


def test_scores_depend_on_the_distance_alone(checkpoint, encoding):
    """All positions seven further on: other queries and keys, the same scores."""
    points = {name: HookPoint(name, 1, "causal") for name in ("queries", "scores")}
    model, inputs = checkpoint.model, input_tensors(encoding)
    here = record(model, inputs, points.values())
    try:
        model.prepared, before = replace(model.prepared, offset=7), model.prepared
        there = record(model, inputs, points.values())
    finally:
        model.prepared = before
    assert (here[points["queries"]] - there[points["queries"]]).abs().max() > 0.1
    assert_close(there[points["scores"]].numpy(), here[points["scores"]])
    assert_close(there.output.logits.numpy(), here.output.logits)


def test_a_change_is_made_to_its_head_alone_and_leads_to_the_prediction(checkpoint, encoding):
    original = inside(checkpoint, encoding, WEIGHT)
    changes = HeadChanges(unscaled=True, temperature=0.5, masked=frozenset([1]), values=2.0)
    changed = inside(checkpoint, encoding, WEIGHT, changes)
    expected = np.where(np.arange(len(encoding.ids)) > QUERY, -np.inf, 2 * original.of_head.scores)
    expected[1] = -np.inf
    np.testing.assert_allclose(changed.of_head.masked, expected, rtol=1e-4)
    assert_close(changed.of_head.values, torch.from_numpy(2 * original.of_head.values))
    others = [head for head in range(4) if head != HEAD]  # one of them shares the values
    assert_close(changed.of_layer.contexts[others], torch.from_numpy(original.of_layer.contexts[others]))
    assert np.abs(changed.prediction.logits[:3] - original.prediction.logits[:3]).max() > 1e-4


@pytest.mark.parametrize("tied", [True, False])
def test_parameters_of_the_blocks_are_those_of_the_model(family, tied):
    checkpoint = tiny(family, tie_word_embeddings=tied)
    blocks = model_blocks(checkpoint.model.anatomy)
    assert sum(block.parameters for block in blocks) == checkpoint.model.config.parameters()
    assert (blocks[-1].name, blocks[-1].parameters) == ("classifier", 0 if tied else 270 * 32)


def test_the_lens_ends_with_the_prediction_and_the_plane_has_its_scores(checkpoint, encoding):
    lens, explanation = text_lens(checkpoint, encoding), explain(checkpoint, TEXT)
    assert lens.outputs[-1] == lens.likeliest[-1][-1] == show_whitespace(explanation.labels[0])
    ((queries, keys),) = queries_keys(checkpoint, input_tensors(encoding), [encoding], "causal", 1, HEAD)
    scores = inside(checkpoint, encoding, WEIGHT).of_head.scores
    np.testing.assert_allclose(queries[QUERY] @ keys.T, scores, atol=1e-3)
    assert query_key_plane(checkpoint, [encoding], 1, HEAD).queries.shape == (len(encoding.ids), 2)


def test_nothing_is_added_to_a_token_which_is_said(family, checkpoint, encoding):
    assert model_positions(checkpoint) is None
    with pytest.raises(Failure) as failure:
        order_effects(checkpoint, encoding)
    assert failure.value.message == Message("positions.rotary", {"name": f"other/tiny-{family}"})


def test_a_text_of_one_token_is_not_turned(checkpoint):
    encoding = checkpoint.text_encoder.encode(TEXT).first(1)
    head = inside(checkpoint, encoding, Selected("causal", 1, HEAD, 0, 0)).of_head
    assert not head.frequencies.any() and np.array_equal(head.query, head.unrotated_query)


@pytest.mark.parametrize(
    "family, sizes, key",
    [
        ("mistral", {"sliding_window": 39}, "inside.window"),
        ("qwen2", {"use_sliding_window": True, "sliding_window": 39, "max_window_layers": 1}, "inside.window"),
        ("llama", {"hidden_act": "tanh"}, "inside.activation"),
    ],
)
def test_what_a_relative_computes_otherwise_is_said(family, sizes, key):
    with pytest.raises(Failure) as failure:
        _ = tiny(family, **sizes).model.anatomy
    assert failure.value.message.key == key
    assert all("tiny" in Translator(language)(failure.value.message) for language in LANGUAGES)


@pytest.mark.parametrize(
    "family, sizes",
    [
        ("mistral", {"sliding_window": 40}),
        ("qwen2", {"use_sliding_window": True, "sliding_window": 3, "max_window_layers": 3}),
    ],
)
def test_a_window_that_no_text_exceeds_is_none(family, sizes):
    assert tiny(family, **sizes).model.anatomy.key_heads == 2
