"""Language models with rotary positions step by step: every number on the way is that of the library."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.adapters.rotary import ROTARY, rotary_network
from tests.adapters.test_causal import TEXT
from tests.adapters.test_inside import assert_close as compare
from tests.adapters.tiny_networks import byte_pairs
from tests.steps import ACTIVATIONS, layer_norm, linear, rms_norm, rotate, softmax
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


def assert_close(ours: np.ndarray, expected: np.ndarray | torch.Tensor) -> None:
    compare(ours, torch.as_tensor(np.asarray(expected)))


def tiny(family: str, **different: object) -> Checkpoint:
    return adapt(rotary_network(family, **different), byte_pairs(max_tokens=40), f"tiny-{family}")


@pytest.fixture(scope="module", params=ROTARY)
def family(request) -> str:
    return request.param


@pytest.fixture(scope="module")
def checkpoint(family) -> Checkpoint:
    return tiny(family)


@pytest.fixture(scope="module")
def encoding(checkpoint) -> Encoding:
    return checkpoint.text_encoder.encode(TEXT)


def library_output(family: str, encoding: Encoding):
    library = rotary_network(family)
    library.set_attn_implementation("eager")
    with torch.no_grad():
        ids = torch.from_numpy(encoding.ids.copy())[None]
        return library(input_ids=ids, output_attentions=True, output_hidden_states=True)


@pytest.mark.parametrize("layer", [0, 1, 2])
def test_every_step_is_that_of_the_library(family, checkpoint, encoding, layer):
    output = library_output(family, encoding)
    states, logits = [state[0] for state in output.hidden_states], output.logits[0, -1]
    inner = inside(checkpoint, encoding, replace(WEIGHT, layer=layer))
    assert_close(inner.query.embedded, states[0][QUERY])
    assert_close(inner.query.streams[layer], states[layer][QUERY])
    assert_close(inner.of_head.weights, output.attentions[layer][0, HEAD, QUERY])
    if layer < 2:
        assert_close(inner.of_layer.output, states[layer + 1][QUERY])
    assert_close(inner.prediction.pooled, states[-1][-1])
    probabilities, likeliest = logits.softmax(-1).topk(CANDIDATES)
    assert_close(inner.prediction.probabilities, probabilities)
    assert_close(inner.prediction.logits, logits[likeliest])


# What the record says of a family, if it is not what it says of Llama.
LLAMA = {"centred": False, "learned": True, "parallel": False, "activation": "silu", "embedding_scale": 1, "cap": None}
LLAMA |= {"norm": "pre", "positions": "rotary", "biases": (), "divisor": 8}
NEOX = {"centred": True, "activation": "gelu", "biases": ("query", "key", "value", "output", "hidden", "feedforward")}
SCALED = {"embedding_scale": pytest.approx(32**0.5), "activation": "gelu_tanh"}
SAID: dict[str, dict] = {family: {} for family in ROTARY} | {
    "qwen2": {"biases": ("query", "key", "value")},
    "qwen3": {"divisor": 12},
    "phi": NEOX | {"parallel": True, "activation": "gelu_tanh", "biases": (*NEOX["biases"], "classifier")},
    "gpt_neox": NEOX | {"parallel": True},
    "gpt_neox_sequential": NEOX,
    "olmo": {"centred": True, "learned": False},
    "gemma": SCALED | {"divisor": 12},
    "gemma2": SCALED | {"divisor": 7, "cap": 2},
    "gemma3_text": SCALED | {"divisor": 7},
}


def test_what_a_family_computes_otherwise_is_in_the_record(family, checkpoint, encoding):
    inner = inside(checkpoint, encoding, WEIGHT)
    expected = LLAMA | SAID[family]
    assert {name: getattr(inner, name) for name in expected} == expected
    windows = [rule.rule("causal", layer).sliding_window for rule in [checkpoint.model.anatomy] for layer in range(3)]
    sliding = {"mistral": [3, 3, 3], "qwen2": [None, 3, 3], "phi3": [5, 5, 5]}
    sliding |= {"gemma2": [3, None, 3], "gemma3_text": [None, 3, None]}
    assert windows == sliding.get(family, [None] * 3)
    shared = family not in ("gpt_neox", "gpt_neox_sequential")
    width = 12 if "gemma" in family or family == "qwen3" else 8
    assert (inner.sizes["H"], inner.sizes["G"], inner.sizes["d"]) == (4, 2 if shared else 4, width)
    half = {"phi": 2, "phi3": 2, "gpt_neox": 1, "gpt_neox_sequential": 1}.get(family, width // 2)
    assert inner.of_head.frequencies.shape == (half,)


@pytest.mark.parametrize("layer", [0, 1, 2])
def test_each_step_follows_from_the_step_before_and_the_matrices(checkpoint, encoding, layer):
    """As the page shows it: what the record says of the model is enough to get from each number to the next."""
    inner = inside(checkpoint, encoding, replace(WEIGHT, layer=layer))
    head, steps = inner.of_head, inner.of_layer

    def normed(name: str, x: np.ndarray, mean_square: np.ndarray | None = None) -> np.ndarray:
        if name not in inner.norms:
            return x
        weight, bias = inner.norms[name]
        if mean_square is not None:
            return x / mean_square * weight
        return layer_norm(x, weight, bias, inner.epsilon) if inner.centred else rms_norm(x, weight, inner.epsilon)

    def maps(step: str, *names: str, x: np.ndarray) -> list[np.ndarray]:
        matrices = layer_matrices(checkpoint, "causal", layer, step, HEAD)
        return [linear(x, matrices[f"w_{name}"], matrices[f"b_{name}"]) for name in names]

    assert tuple(inner.query.parts) == ("token",)
    scaled = checkpoint.model.anatomy.stack("causal").embeddings["token"][encoding.ids[QUERY]] * inner.embedding_scale
    assert_close(inner.query.sum, scaled)
    assert_close(normed("attention", inner.query.stream), inner.query.read)
    keys = normed("attention", inner.window)
    for step, name, read, positions in (
        ("query", "query", inner.query.read[None], np.array([QUERY])),
        ("keys", "keys", keys, np.arange(len(keys))),
    ):
        short = step.rstrip("s")
        (vectors,) = maps(step, short, x=read)
        if short in inner.norms:
            assert_close(np.atleast_2d(getattr(head, f"unnormed_{name}")), vectors)
            joint = getattr(head, f"joint_{name}")
            vectors = normed(short, vectors, None if joint is None else joint[:, None])
        if head.frequencies is not None:
            assert_close(np.atleast_2d(getattr(head, f"unrotated_{name}")), vectors)
            vectors = turned(vectors, positions, head.frequencies)
        assert_close(np.atleast_2d(getattr(head, name)), vectors)
    assert_close(head.values, maps("values", "value", x=keys)[0])
    scores = head.keys @ head.query / inner.divisor**0.5
    assert_close(head.scaled, scores)
    scores = inner.cap * np.tanh(scores / inner.cap) if inner.cap else scores
    assert head.capped is None or np.allclose(head.capped, scores, atol=1e-5)
    positions = np.arange(len(encoding.ids))
    hidden = (positions > QUERY) | (positions <= QUERY - (inner.sliding_window or len(encoding.ids)))
    assert_close(head.masked[~hidden], scores[~hidden])
    assert np.isneginf(head.masked[hidden]).all()
    assert_close(head.weights, softmax(head.masked))
    assert_close(head.context, head.weights @ head.values)
    assert_close(steps.projected, steps.parts.sum(0) + steps.b_output)
    attended = normed("attention_output", steps.projected)
    assert steps.attention_normed is None or np.allclose(attended, steps.attention_normed, atol=1e-4)
    if not inner.parallel:
        assert_close(inner.query.stream + attended, steps.added)
        assert_close(steps.before, steps.added)
    else:
        assert steps.added is None and np.array_equal(steps.before, inner.query.stream)
    shares_norm = inner.parallel and "feedforward" not in inner.norms
    assert_close(normed("attention" if shares_norm else "feedforward", steps.before), steps.read)
    (hidden_units,) = maps("feedforward", "hidden", x=steps.read)
    assert_close(steps.hidden, hidden_units)
    activate = ACTIVATIONS[inner.activation]
    if steps.gate is not None:
        (gate,) = maps("feedforward", "gate", x=steps.read)
        assert_close(steps.gate, gate)
    assert_close(steps.activated, activate(hidden_units) if steps.gate is None else activate(gate) * hidden_units)
    assert_close(steps.feedforward, maps("feedforward", "feedforward", x=steps.activated)[0])
    added = normed("feedforward_output", steps.feedforward)
    assert steps.feedforward_normed is None or np.allclose(added, steps.feedforward_normed, atol=1e-4)
    assert_close(steps.before + added + (attended if inner.parallel else 0), steps.output)
    prediction = inner.prediction
    logits = prediction.w_classifier @ prediction.pooled + prediction.b_classifier
    if prediction.cap:
        assert_close(prediction.uncapped, logits)
        logits = prediction.cap * np.tanh(logits / prediction.cap)
    assert_close(prediction.logits, logits)


def turned(x: np.ndarray, positions: np.ndarray, frequencies: np.ndarray) -> np.ndarray:
    """The first numbers of `(N, d)` as pairs i and i + r/2, turned by position × frequency."""
    half = len(frequencies)
    pairs = (x[:, :half] + 1j * x[:, half : 2 * half]) * np.exp(1j * np.outer(positions, frequencies.astype(float)))
    return np.concatenate([pairs.real, pairs.imag, x[:, 2 * half :]], axis=1)


def test_queries_of_all_heads_are_normalised_together_in_olmo_2():
    """One vector of H d numbers has a mean square of 1, not each head of it."""
    checkpoint = tiny("olmo2")
    encoding = checkpoint.text_encoder.encode(TEXT)
    heads = [inside(checkpoint, encoding, replace(WEIGHT, head=head)) for head in range(4)]
    together = np.concatenate([each.of_head.unnormed_query for each in heads])
    length = np.sqrt(np.square(together).mean() + 1e-5)
    assert [float(each.of_head.joint_query[0]) for each in heads] == [pytest.approx(length, rel=1e-5)] * 4
    weights = checkpoint.model.network.model.layers[1].self_attn.q_norm.weight.detach().numpy()
    assert_close(np.concatenate([each.norms["query"][0] for each in heads]), weights)


def test_a_layer_without_a_rotation_has_none():
    """SmolLM3: the third of three layers."""
    checkpoint = tiny("smollm3")
    encoding = checkpoint.text_encoder.encode(TEXT)
    found = [inside(checkpoint, encoding, replace(WEIGHT, layer=layer)).of_head for layer in range(3)]
    assert [head.frequencies is None for head in found] == [False, False, True]
    assert [head.unrotated_keys is None for head in found] == [False, False, True]


def test_heads_that_share_a_key_have_its_rows(checkpoint, encoding):
    """Four heads, two keys: heads 1 and 2 share one, heads 3 and 4 the other."""
    if checkpoint.model.anatomy.key_heads == 4:
        return
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
    undivided, cap = original.of_head.scores, original.cap
    undivided = cap * np.tanh(undivided / cap) if cap else undivided
    expected = np.where(np.isneginf(original.of_head.masked), -np.inf, 2 * undivided)
    expected[1] = -np.inf
    np.testing.assert_allclose(changed.of_head.masked, expected, rtol=1e-4, atol=1e-5)
    assert_close(changed.of_head.values, torch.from_numpy(2 * original.of_head.values))
    others = [head for head in range(4) if head != HEAD]  # one of them shares the values
    assert_close(changed.of_layer.contexts[others], torch.from_numpy(original.of_layer.contexts[others]))
    assert np.abs(changed.prediction.logits[:3] - original.prediction.logits[:3]).max() > 1e-4


@pytest.mark.parametrize("tied", [True, False])
def test_parameters_of_the_blocks_are_those_of_the_model(family, tied):
    checkpoint = tiny(family, tie_word_embeddings=tied)
    blocks = model_blocks(checkpoint.model.anatomy)
    assert sum(block.parameters for block in blocks) == checkpoint.model.config.parameters()
    bias = 270 if family == "phi" else 0
    assert (blocks[-1].name, blocks[-1].parameters) == ("classifier", bias + (0 if tied else 270 * 32))


def test_the_lens_ends_with_the_prediction(checkpoint, encoding):
    """But not where what sub-layers write is normalised, or logits are capped: the lens then says so."""
    explanation = explain(checkpoint, TEXT)
    if checkpoint.model.read_out is None:
        with pytest.raises(Failure):
            text_lens(checkpoint, encoding)
        return
    lens = text_lens(checkpoint, encoding)
    assert lens.outputs[-1] == lens.likeliest[-1][-1] == show_whitespace(explanation.labels[0])


def test_the_plane_has_the_scores_and_the_pairs_of_the_head(checkpoint, encoding):
    ((queries, keys),) = queries_keys(checkpoint, input_tensors(encoding), [encoding], "causal", 1, HEAD)
    scores = inside(checkpoint, encoding, WEIGHT).of_head.scores
    np.testing.assert_allclose(queries[QUERY] @ keys.T, scores, atol=1e-3)
    plane = query_key_plane(checkpoint, [encoding, encoding], 1, HEAD)
    assert plane.queries.shape == (2 * len(encoding.ids), 2)
    weights = explain(checkpoint, TEXT).attention[1, HEAD]
    reached = {(int(query), int(key)) for query, key in plane.pairs if query < len(weights)}
    assert reached == {(query, key) for query, key in np.argwhere(weights > 0).tolist()}


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
    [("llama", {"hidden_act": "tanh"}, "inside.activation"), ("olmo", {"clip_qkv": 8.0}, "inside.entry")],
)
def test_what_a_relative_computes_otherwise_is_said(family, sizes, key):
    with pytest.raises(Failure) as failure:
        _ = tiny(family, **sizes).model.anatomy
    assert failure.value.message.key == key
    assert all("tiny" in Translator(language)(failure.value.message) for language in LANGUAGES)


def test_the_activation_of_gemma_is_the_approximation_whatever_its_config_says():
    """As its first releases have it: `gelu`, and another entry that is empty."""
    config = {"hidden_act": "gelu", "hidden_activation": None}
    assert tiny("gemma", **config).model.anatomy.activation == "gelu_tanh"


def test_a_masked_key_leaves_no_query_without_keys_in_any_layer():
    """Changed in every head: the layers with a window have only the last three keys."""
    checkpoint = tiny("qwen2")
    encoding, masked = checkpoint.text_encoder.encode(TEXT), frozenset([3, 4, 5])
    inside(checkpoint, encoding, replace(WEIGHT, layer=0), HeadChanges(masked=masked))
    for changes in (HeadChanges(masked=masked, everywhere=True), HeadChanges(masked=masked)):
        with pytest.raises(Failure) as failure:
            inside(checkpoint, encoding, replace(WEIGHT, layer=0 if changes.everywhere else 1), changes)
        assert failure.value.message == Message("inside.no_key_left", {"position": 6})
