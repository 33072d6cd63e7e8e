"""Families open through the attention interface without a record of theirs, and compute what the library computes."""

import math

import numpy as np
import pytest
import torch
import transformers
from transformers import PreTrainedModel

from tests.adapters.test_encoder_decoder import inputs as pair_of_texts
from tests.adapters.tiny_networks import SIZES, byte_pairs, wordpiece
from tests.adapters.tiny_translators import network as translator
from tests.adapters.tiny_translators import pieces
from viz_core.adapters.attention import attend
from viz_core.adapters.checkpoint import adapt
from viz_core.adapters.families import FAMILIES, Family
from viz_core.adapters.opening import open_model
from viz_core.analysis.explain import CANDIDATES, explain
from viz_core.analysis.value_norms import value_norms
from viz_core.models.protocol import Hook, on_weights
from viz_core.records import Failure

_CAUSAL = SIZES | dict(vocab_size=270, num_key_value_heads=2, pad_token_id=1)
# Class of the library without its ending, and what differs from SIZES; heads of keys and values are fewer than heads.
CAUSAL = {
    "llama": ("Llama", {}),
    "qwen2": ("Qwen2", {}),
    "mistral": ("Mistral", dict(sliding_window=3)),
    "gemma2": ("Gemma2", dict(sliding_window=3, head_dim=6, attn_logit_softcapping=2.0, query_pre_attn_scalar=6)),
}
TEXT = "cat sat cat é sat cat"


def random_network(cls: str, config: str, **sizes: object) -> PreTrainedModel:
    torch.manual_seed(0)
    net = getattr(transformers, cls)(getattr(transformers, config)(**sizes)).eval()
    for parameter in net.parameters():
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, std=0.3)
    return net


def causal(family: str, ending: str = "ForCausalLM") -> PreTrainedModel:
    prefix, different = CAUSAL[family]
    return random_network(f"{prefix}{ending}", f"{prefix}Config", **{**_CAUSAL, **different})


def library_output(net: PreTrainedModel, ids: np.ndarray):
    net.set_attn_implementation("eager")
    with torch.no_grad():
        return net(input_ids=torch.from_numpy(ids.copy())[None], output_attentions=True)


@pytest.mark.parametrize("family", CAUSAL)
def test_weights_and_next_tokens_of_a_causal_model_are_those_of_the_library(family):
    assert FAMILIES.get(family, Family()).attention == "interface"
    checkpoint = adapt(causal(family), byte_pairs(), family)
    explanation = explain(checkpoint, TEXT)
    expected = library_output(causal(family), explanation.encoding.ids)
    weights = torch.stack(expected.attentions)[:, 0]
    torch.testing.assert_close(torch.from_numpy(explanation.attention.copy()), weights, atol=1e-5, rtol=0)
    probabilities, likeliest = expected.logits[0, -1].double().softmax(-1).topk(CANDIDATES)
    np.testing.assert_allclose(explanation.probabilities, probabilities, atol=1e-5)
    assert explanation.kind == "causal" and explanation.attention.shape[:2] == (3, 4)
    if family in ("mistral", "gemma2"):  # whose window is three tokens, in some layers
        assert explanation.attention[0, :, 5, :3].max() == 0 < explanation.attention[0, :, 5, 3].min()


def test_fused_attention_has_the_logits_of_the_recorded_one():
    model = adapt(causal("mistral"), byte_pairs()).model
    ids = torch.randint(5, 200, (2, 7), generator=torch.Generator().manual_seed(0))
    mask = torch.ones_like(ids, dtype=torch.bool)
    mask[1, 5:] = False
    with torch.no_grad():
        fused = model(ids, ids * 0, mask).logits
        recorded = model(ids, ids * 0, mask, need_attention=True).logits
    torch.testing.assert_close(fused, recorded, atol=1e-4, rtol=1e-4)


def test_a_head_is_changed_alone_where_heads_share_keys_and_values():
    """Heads 1 and 2 read the same values: those of head 1 times 0 are its weights times 0."""
    model = adapt(causal("llama"), byte_pairs()).model
    ids = torch.arange(5, 12)[None]
    inputs = ids, ids * 0, torch.ones_like(ids, dtype=torch.bool)

    def without_values(point, tensor):
        assert tensor.shape == (1, 4, 7, 8)
        return torch.cat([tensor[:, :1] * 0, tensor[:, 1:]], dim=1)

    without_weights = on_weights(lambda layer, weights: torch.cat([weights[:, :1] * 0, weights[:, 1:]], dim=1))
    with torch.no_grad():
        logits = [
            model(*inputs, hook=hook).logits for hook in (Hook(without_values, {"values"}), without_weights, None)
        ]
    torch.testing.assert_close(logits[0], logits[1], atol=1e-4, rtol=1e-4)
    assert not torch.allclose(logits[0], logits[2], atol=1e-2)


def test_value_norms_are_those_of_the_shared_values():
    """Head 4 of Llama has the values of the second of two groups, and the last columns of the output projection."""
    checkpoint = adapt(causal("llama"), byte_pairs())
    encoding = checkpoint.text_encoder.encode(TEXT)
    layer = checkpoint.model.network.model.layers[0]
    with torch.no_grad():
        x = layer.input_layernorm(checkpoint.model.network.model.embed_tokens(torch.from_numpy(encoding.ids.copy())))
        values = layer.self_attn.v_proj(x)[:, 8:]  # (T, d)
        expected = (values @ layer.self_attn.o_proj.weight[:, 24:].T).norm(dim=-1)
    np.testing.assert_allclose(value_norms(checkpoint, encoding)[0, 3], expected, rtol=1e-4)


def test_shared_keys_and_values_by_hand():
    """Two heads, one of keys and values: scores 0 and ln 3 become 1/4 and 3/4; the cap of 1 bounds ln 3 by tanh."""
    query = torch.ones(1, 2, 1, 1)
    key, value = torch.tensor([0.0, math.log(3)]).view(1, 1, 2, 1), torch.tensor([4.0, 8.0]).view(1, 1, 2, 1)
    context, _ = attend(torch.nn.Identity(), query, key, value, None, scaling=1.0)
    torch.testing.assert_close(context, torch.full((1, 1, 2, 1), 7.0))
    capped, _ = attend(torch.nn.Identity(), query, key, value, None, scaling=1.0, softcap=1.0)
    weight = math.e**0.8 / (1 + math.e**0.8)  # tanh(ln 3) = 0.8
    torch.testing.assert_close(capped, torch.full((1, 1, 2, 1), 4 + 4 * weight))


def test_an_argument_that_may_change_the_result_is_refused():
    tensors = (torch.ones(1, 1, 1, 1),) * 3
    attend(torch.nn.Identity(), *tensors, None, sliding_window=4, is_causal=True, s_aux=None)
    with pytest.raises(Failure, match="s_aux"):
        attend(torch.nn.Identity(), *tensors, None, s_aux=torch.zeros(1))


@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_an_encoder_without_a_record_classifies_as_the_library_does(pooling):
    sizes = SIZES | dict(pad_token_id=0, num_labels=3, classifier_pooling=pooling, local_attention=4)
    net = random_network("ModernBertForSequenceClassification", "ModernBertConfig", **sizes)
    assert net.config.model_type not in FAMILIES
    explanation = explain(adapt(net, wordpiece(), "modern"), "the cat sat on the mat", "the rug")
    expected = library_output(net, explanation.encoding.ids)
    np.testing.assert_allclose(explanation.attention, torch.stack(expected.attentions)[:, 0], atol=1e-5)
    np.testing.assert_allclose(explanation.probabilities, expected.logits[0].softmax(-1), atol=1e-5)
    assert explanation.labels == ("LABEL_0", "LABEL_1", "LABEL_2") and explanation.pooling == pooling


@pytest.mark.parametrize("prefix", ["Data2VecText", "OPT"])
def test_positions_begin_where_the_family_has_them(prefix):
    """After padding, or inside the network: a masked token does not move the others."""
    net = random_network(f"{prefix}Model", f"{prefix}Config", **SIZES, pad_token_id=1)
    model = adapt(net, wordpiece(), "tiny").model
    ids = torch.arange(5, 12)[None]
    with torch.no_grad():
        ours = model.encode(ids, ids * 0, torch.ones_like(ids, dtype=torch.bool))
        theirs = net(input_ids=ids).last_hidden_state
    torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=1e-5)


def test_an_encoder_with_a_decoder_needs_no_record_either():
    sizes = dict(translator("marian").config.to_diff_dict(), num_hidden_layers=3)
    net = random_network("BartForConditionalGeneration", "BartConfig", **sizes)
    assert "bart" not in FAMILIES
    model = adapt(net, pieces(), "bart").model
    source, mask, target = pair_of_texts()
    net.set_attn_implementation("eager")
    with torch.no_grad():
        output = model(source, mask, target, need_attention=True)
        expected = net(input_ids=source, attention_mask=mask.long(), decoder_input_ids=target, output_attentions=True)
    torch.testing.assert_close(output.logits, expected.logits, atol=1e-5, rtol=0)
    torch.testing.assert_close(output.attention["cross"], torch.stack(expected.cross_attentions), atol=1e-5, rtol=0)


@pytest.mark.parametrize(
    "ending, key", [("ForCausalLM", "adapters.next_token"), ("Model", "adapters.lacks_classifier")]
)
def test_a_folder_of_a_causal_model_is_opened_with_the_head_it_has(tmp_path, ending, key):
    causal("llama", ending).save_pretrained(tmp_path / "llama")
    byte_pairs().save_pretrained(tmp_path / "llama")
    checkpoint = open_model(f"path:{tmp_path / 'llama'}")
    assert [message.key for message in checkpoint.settings.lacks] == [key]
    assert explain(checkpoint, TEXT).has_prediction == (ending == "ForCausalLM")


def test_a_family_whose_attention_cannot_be_read_is_refused():
    net = random_network("XLMModel", "XLMConfig", vocab_size=60, emb_dim=32, n_layers=2, n_heads=4)
    with pytest.raises(Failure) as failure:
        adapt(net, wordpiece(), "tiny")
    assert failure.value.message.key == "adapters.unknown_family"
