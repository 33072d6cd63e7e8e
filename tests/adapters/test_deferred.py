"""Attention of long texts, which is computed when a head is asked for: the same numbers as from the pass itself."""

import numpy as np
import pytest

from tests.adapters.test_families import CAUSAL, causal, random_network
from tests.adapters.tiny_networks import SIZES, byte_pairs, network, wordpiece
from tests.adapters.tiny_translators import network as translator
from tests.adapters.tiny_translators import pieces
from viz_core.adapters.checkpoint import MOST_AT_ONCE, MOST_TOKENS, adapt
from viz_core.analysis import explain as explaining
from viz_core.analysis.attribution.methods import attributions, rollout
from viz_core.analysis.difference import compare, mean_absolute_difference
from viz_core.analysis.explain import encode, explain, explain_batch
from viz_core.analysis.generation import given_tokens, read_text
from viz_core.analysis.heads.statistics import copying_head, head_statistics
from viz_core.analysis.pairs import pair_mass, restore_order
from viz_core.analysis.selection import attention_map
from viz_core.analysis.value_norms import value_norms, value_weighted
from viz_core.explorer.packed_weights import pack_heads, pack_norms, pack_weighted_heads, pool
from viz_core.records import DeferredWeights, Failure
from viz_core.tables.downloads import explanation_npz

TEXT = "cat sat cat é sat cat"
_SMALL = SIZES | dict(vocab_size=270, pad_token_id=1)


def opened(family: str):
    """Encoders and decoders: heads that share keys, windows, a soft cap, a part of the width rotated."""
    match family:
        case "bert" | "roberta":
            return adapt(network(family), wordpiece(), family)
        case "modernbert":
            sizes = _SMALL | dict(local_attention=4, cls_token_id=2, sep_token_id=3)
            return adapt(
                random_network("ModernBertForMaskedLM", "ModernBertConfig", **sizes).model, byte_pairs(), family
            )
        case "gpt2":
            return adapt(random_network("GPT2LMHeadModel", "GPT2Config", **_SMALL), byte_pairs(), family)
        case "gpt_neox" | "phi":
            prefix = {"gpt_neox": "GPTNeoX", "phi": "Phi"}[family]
            return adapt(random_network(f"{prefix}ForCausalLM", f"{prefix}Config", **_SMALL), byte_pairs(), family)
    return adapt(causal(family), byte_pairs(), family)


FAMILIES = ("bert", "roberta", "modernbert", "gpt2", "gpt_neox", "phi", *CAUSAL)


@pytest.fixture
def at_any_length(monkeypatch):
    """From here on, the weights of every text are computed when they are asked for."""
    return lambda: monkeypatch.setattr(explaining, "MOST_KEPT", 0)


@pytest.mark.parametrize("family", FAMILIES)
def test_weights_and_predictions_are_those_of_the_whole_pass(family, at_any_length):
    checkpoint = opened(family)
    texts = [encode(checkpoint, text) for text in (TEXT, "cat sat")]  # the second is padded
    expected = explain_batch(checkpoint, texts)
    at_any_length()
    for before, after in zip(expected, explain_batch(checkpoint, texts), strict=True):
        assert isinstance(after.attention, DeferredWeights) and isinstance(before.attention, np.ndarray)
        assert after.attention.shape == before.attention.shape
        np.testing.assert_allclose(np.asarray(after.attention), before.attention, atol=1e-5)
        np.testing.assert_allclose(after.probabilities, before.probabilities, atol=1e-5)
    assert expected[0].attention.std(axis=(1, 2, 3)).min() > 0.01  # the weights are no constant


@pytest.mark.parametrize("family", ["bert", "llama"])
def test_every_analysis_and_view_is_that_of_the_array(family, at_any_length):
    checkpoint = opened(family)
    texts = ("the cat sat on the mat.", "the mat sat") if family == "bert" else (TEXT,)
    array = explain(checkpoint, *texts)
    at_any_length()
    deferred, norms = explain(checkpoint, *texts), value_norms(checkpoint, array.encoding)
    assert isinstance(deferred.attention, DeferredWeights)

    def same(function, tolerance=1e-5):
        results = [np.asarray(function(explanation), np.float64) for explanation in (array, deferred)]
        np.testing.assert_allclose(*results, atol=tolerance)

    before, after = head_statistics(array), head_statistics(deferred)
    for name, values in vars(before).items():
        if isinstance(values, np.ndarray):
            np.testing.assert_allclose(getattr(after, name), values, atol=1e-5)
    assert before.uniform == after.uniform
    same(lambda shown: rollout(shown.attention))
    for layer, head in ((1, 2), (None, 2), (1, None), (None, None)):
        same(lambda shown: attention_map(shown, layer, head).weights)  # noqa: B023 - called at once
        same(lambda shown: attention_map(value_weighted(shown, norms), layer, head).weights, 1e-4)  # noqa: B023
    same(lambda shown: pool(shown.attention)[0], 1)  # in steps of 255
    same(lambda shown: pool(shown.attention)[1])
    for packed in (
        lambda shown: pack_heads(shown.attention, [(2, 1)]),
        lambda shown: pack_heads(shown.attention, [(2, 1), (0, 3)]),
        lambda shown: pack_weighted_heads(shown.attention, norms, [(2, 1)]),
    ):
        same(lambda shown: _steps(packed(shown)), 2)  # noqa: B023
    assert len(pack_norms(deferred.attention, norms)) == len(pack_norms(array.attention, norms))
    assert len(explanation_npz(deferred)) == pytest.approx(len(explanation_npz(array)), rel=0.1)
    if family == "llama":
        same(lambda shown: copying_head(head_statistics(shown)))
    else:
        same(lambda shown: pair_mass(shown).a_to_b)
        swapped = explain(checkpoint, *texts[::-1])
        assert isinstance(swapped.attention, DeferredWeights)
        same(lambda shown: np.asarray(restore_order(shown, swapped).attention))
        same(lambda shown: mean_absolute_difference(compare(shown, swapped)))


def _steps(packed: bytes) -> np.ndarray:
    high, low = np.frombuffer(packed, np.uint8).astype(int).reshape(2, -1)
    return high * 256 + low


def test_a_text_that_a_language_model_wrote_has_the_same_weights(at_any_length):
    checkpoint = opened("llama")
    encoding = given_tokens(checkpoint, TEXT)
    array = read_text(checkpoint, encoding)
    at_any_length()
    deferred = read_text(checkpoint, encoding)
    assert isinstance(deferred.explanation.attention, DeferredWeights)
    np.testing.assert_allclose(np.asarray(deferred.explanation.attention), array.explanation.attention, atol=1e-5)
    assert [step.output.id for step in deferred.steps[1:-1]] == [step.output.id for step in array.steps[1:-1]]


def test_less_is_kept_than_the_weights_of_a_long_text_take(at_any_length):
    long = SIZES | dict(vocab_size=270, pad_token_id=1, max_position_embeddings=4096)
    checkpoint = adapt(random_network("LlamaForCausalLM", "LlamaConfig", **long), byte_pairs(9000), "llama")
    at_any_length()
    attention = explain(checkpoint, "cat " * 2000).attention
    layers, T, D = 3, MOST_TOKENS, 32
    assert attention.shape == (layers, 4, T, T)
    assert attention.nbytes == 4 * (2 * layers * T * D + T * T)  # queries, keys, and the mask that all layers share


def test_only_models_whose_weights_can_wait_read_long_texts():
    long = {"max_position_embeddings": 4096}
    for model, tokenizer, most in (
        (network("bert", **long), wordpiece(9000), MOST_TOKENS),
        (network("deberta", **long), wordpiece(9000), MOST_AT_ONCE),
        (network("mpnet", **long), wordpiece(9000), MOST_AT_ONCE),
        (translator("marian", **long), pieces(9000), MOST_AT_ONCE),
    ):
        assert adapt(model, tokenizer).text_encoder.max_tokens == most


def test_attribution_refuses_a_text_for_which_it_would_take_hours(monkeypatch):
    monkeypatch.setattr("viz_core.analysis.attribution.methods.MOST_TOKENS", 3)
    checkpoint = opened("llama")
    with pytest.raises(Failure) as failure:
        attributions(checkpoint, explain(checkpoint, TEXT))
    assert failure.value.message.key == "attribution.too_long"
