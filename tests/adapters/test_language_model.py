"""Causal models of the library read and continue a text token by token, with the numbers of the library."""

import numpy as np
import pytest
import torch

from tests.adapters.test_families import random_network
from tests.adapters.tiny_networks import SIZES, byte_pairs
from viz_core.adapters.checkpoint import adapt
from viz_core.analysis.decoding import Decoding
from viz_core.analysis.explain import explain
from viz_core.analysis.generation import continue_text
from viz_core.analysis.value_norms import value_norms
from viz_core.analysis.whatif import Changes, attention_row, predict_with_changes
from viz_core.models.decoding import Shaping, greedy, likeliest, sampler, steps
from viz_core.models.protocol import Hook, LanguageModel, on_weights, reads_source
from viz_core.records import Generation

# Class of the library without its ending, and what differs from SIZES; heads of keys and values are fewer than heads.
_SIZES = SIZES | dict(vocab_size=270, num_key_value_heads=2, pad_token_id=1, bos_token_id=0, eos_token_id=2)
_WINDOWS = dict(sliding_window=3, head_dim=6, query_pre_attn_scalar=6)
FAMILIES = {
    "GPT2": dict(n_embd=32, n_layer=3, n_head=4, n_positions=40, vocab_size=270, bos_token_id=0, eos_token_id=2),
    "GPTNeoX": {},
    "Llama": {},
    "Mistral": dict(sliding_window=3),
    "Qwen2": {},
    "Qwen3": dict(head_dim=8),
    "Gemma": dict(head_dim=8),
    "Gemma2": dict(_WINDOWS, attn_logit_softcapping=2.0, final_logit_softcapping=3.0),
    "Gemma3": _WINDOWS,
    "Phi": dict(partial_rotary_factor=0.5),
    "Phi3": {},
    "Olmo": {},
    "Olmo2": {},
    "SmolLM3": dict(no_rope_layers=[1, 0, 1]),
    "Granite": dict(attention_multiplier=0.3, residual_multiplier=0.5),
    "StableLm": {},
    "Starcoder2": dict(sliding_window=3),
    "OPT": dict(ffn_dim=48, word_embed_proj_dim=32, do_layer_norm_before=True),
}
CORE = ("GPT2", "Llama", "Mistral", "Gemma2")
IDS = torch.randint(5, 260, (1, 9), generator=torch.Generator().manual_seed(0))


def network(family: str, **different: object):
    sizes = {**({} if family == "GPT2" else _SIZES), **FAMILIES[family], **different}
    config = {"Gemma3": "Gemma3TextConfig"}.get(family, f"{family}Config")
    return random_network(f"{family}LMHeadModel" if family == "GPT2" else f"{family}ForCausalLM", config, **sizes)


@pytest.fixture(scope="module", params=[f if f in CORE else pytest.param(f, marks=pytest.mark.slow) for f in FAMILIES])
def family(request):
    return request.param


@pytest.fixture(scope="module")
def model(family):
    return adapt(network(family), byte_pairs(max_tokens=40), family).model


@torch.no_grad()
def test_tokens_read_one_after_another_have_the_logits_and_weights_of_the_library(family, model):
    """Three tokens, then two, then one at a time: as all nine at once, windows and shared heads included."""
    net = network(family)
    net.set_attn_implementation("eager")
    expected = net(input_ids=IDS, output_attentions=True)
    assert isinstance(model, LanguageModel) and not reads_source(model)
    state, begin = model.start(IDS[:, :0], IDS[:, :0].bool()), 0
    for count in (3, 2, 1, 1, 1, 1):
        output, state = model.read(state, IDS[:, begin : begin + count], need_attention=True)
        end = begin + count
        torch.testing.assert_close(output.logits, expected.logits[:, begin:end], atol=1e-4, rtol=1e-4)
        for weights, theirs in zip(output.attention["causal"], expected.attentions, strict=True):
            torch.testing.assert_close(weights, theirs[:, :, begin:end, :end], atol=1e-5, rtol=0)
        begin = end


@torch.no_grad()
def test_greedy_tokens_are_those_of_generate(family, model):
    net = network(family)
    net.generation_config.eos_token_id = None  # the length ends it: a random model may write the end at once
    written = net.generate(IDS, attention_mask=torch.ones_like(IDS), max_new_tokens=12, do_sample=False)[0, 9:]
    state = model.start(IDS[:, :-1], torch.ones(1, 8, dtype=torch.bool))
    taken, last = [], IDS[:, -1]
    for _ in range(12):
        logits, state = model.advance(state, last)
        last = likeliest(logits)
        taken.append(int(last))
    assert taken == written.tolist()


@pytest.fixture(scope="module")
def llama():
    return adapt(network("Llama"), byte_pairs(max_tokens=40), "llama").model


@torch.no_grad()
def test_a_state_is_kept(llama):
    """What was read is not changed by going on."""
    state = llama.start(IDS[:, :6], torch.ones(1, 6, dtype=torch.bool))
    once, later = llama.advance(state, IDS[:, 6])
    llama.advance(later, IDS[:, 7])
    torch.testing.assert_close(llama.advance(state, IDS[:, 6])[0], once)


@torch.no_grad()
def test_texts_of_different_lengths_are_continued_together(llama):
    """The shorter text, padded at its end, goes on as alone; rows may be selected and repeated."""
    ids, mask = IDS[:, :6].repeat(2, 1), torch.ones(2, 6, dtype=torch.bool)
    mask[1, 4:] = False
    together, state = llama.advance(llama.start(ids, mask), torch.tensor([7, 8]))
    alone = llama.advance(llama.start(ids[1:, :4], mask[1:, :4]), torch.tensor([8]))[0]
    torch.testing.assert_close(together[1:], alone, atol=1e-5, rtol=1e-5)
    after = llama.advance(state, torch.tensor([9, 9]))[0]
    selected = llama.advance(state.at(torch.tensor([1, 1])), torch.tensor([9, 9]))[0]
    torch.testing.assert_close(selected, after[[1, 1]])


@torch.no_grad()
def test_a_hook_sees_and_changes_what_is_read(llama):
    """Without the weights on the first key nothing is read of it but by itself."""
    seen = {}

    def note(point, tensor):
        seen[point.name] = tuple(tensor.shape)
        return tensor

    state = llama.start(IDS[:, :4], torch.ones(1, 4, dtype=torch.bool))
    expected = llama.advance(state, IDS[:, 4])[0]
    logits = llama.advance(state, IDS[:, 4], Hook(note, {"keys", "weights", "logits"}))[0]
    torch.testing.assert_close(logits, expected)
    assert seen == {"keys": (1, 4, 5, 8), "weights": (1, 4, 1, 5), "logits": (1, 1, 270)}
    masked = llama.advance(
        state, IDS[:, 4], on_weights(lambda layer, weights: weights.index_fill(-1, torch.tensor(0), 0))
    )
    assert not torch.allclose(masked[0], expected, atol=1e-3)


@torch.no_grad()
def test_a_text_ends_at_each_end_of_the_generation_config():
    net = network("Llama")
    first = int(net(input_ids=IDS).logits[0, -1].argmax())
    net.generation_config.eos_token_id = [2, first]
    model = adapt(net, byte_pairs(max_tokens=40), "llama").model
    state = model.start(IDS[:, :-1], torch.ones(1, 8, dtype=torch.bool))
    assert model.special_ids.begin == 0 and model.special_ids.excluded == tuple(range(266, 270))
    begin = type(model.special_ids)(int(IDS[0, -1]), 2, model.special_ids.excluded, model.special_ids.other_ends)
    assert [token for _, token in steps(model.advance, state, begin, 5, likeliest, {})] == [first]
    assert greedy(model.advance, state, 1, begin, 5)[0].complete


@pytest.mark.parametrize("precision", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("family", ["GPT2", "Llama"])
def test_a_model_in_memory_may_have_half_precision(family, precision):
    """All that is shown of it is close to the same in 32 bits, which a folder would be read with."""
    half, whole = (adapt(network(family).to(dtype), byte_pairs(40), family) for dtype in (precision, torch.float32))
    shown, expected = (explain(checkpoint, "the cat sat") for checkpoint in (half, whole))
    np.testing.assert_allclose(shown.attention, expected.attention, atol=0.1)
    changes = [
        Changes(masked=frozenset({(0, 1)})),
        Changes(uniform=frozenset({(0, 1)})),
        Changes(blocked=frozenset({1})),
        Changes(rows={(1, 2, 3): np.eye(len(shown.encoding.ids))[1]}),
    ]
    np.testing.assert_allclose(
        *(predict_with_changes(checkpoint, expected.encoding, changes) for checkpoint in (half, whole)), atol=0.05
    )
    np.testing.assert_allclose(*(value_norms(checkpoint, expected.encoding) for checkpoint in (half, whole)), rtol=0.2)
    weights = attention_row(half, expected.encoding, changes[0], (1, 2, 3))
    np.testing.assert_allclose(weights.sum(), 1, atol=0.01)
    assert isinstance([*continue_text(half, "the cat", Decoding(), 2)][-1], Generation)


def test_a_shaped_distribution_by_hand():
    """Probabilities 1/2, 1/4, 1/8, 1/8: what remains is divided by its sum."""
    logits = torch.tensor([[0.25, 0.5, 0.125, 0.125]]).log()

    def shaped(**settings):
        return Shaping(**settings).probabilities(logits)[0].tolist()

    assert shaped() == pytest.approx([0.25, 0.5, 0.125, 0.125])
    assert shaped(temperature=0.5) == pytest.approx([4 / 22, 16 / 22, 1 / 22, 1 / 22])
    assert shaped(top_k=2) == pytest.approx([1 / 3, 2 / 3, 0, 0])
    assert shaped(top_p=0.7) == pytest.approx([1 / 3, 2 / 3, 0, 0])
    assert shaped(top_p=0.01) == [0, 1, 0, 0] == shaped(temperature=1e-300)
    assert shaped(temperature=0.5, top_k=3, top_p=0.7) == [0, 1, 0, 0]  # 16/21 is enough
    assert shaped(top_k=3, top_p=0.9) == pytest.approx([2 / 7, 4 / 7, 1 / 7, 0])  # of two equal ones the first stays


@pytest.mark.parametrize("settings", [dict(temperature=0.0), dict(top_k=-1), dict(top_p=0.0), dict(top_p=1.1)])
def test_an_impossible_distribution_is_refused(settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        Shaping(**settings)


def test_it_is_the_distribution_that_the_library_samples_from():
    from transformers import LogitsProcessorList, TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

    logits = torch.randn(3, 50, generator=torch.Generator().manual_seed(0)) * 2
    warpers = LogitsProcessorList([TemperatureLogitsWarper(0.7), TopKLogitsWarper(12), TopPLogitsWarper(0.8)])
    expected = warpers(None, logits.clone()).softmax(-1)
    shaping = Shaping(0.7, 12, 0.8)
    torch.testing.assert_close(shaping.probabilities(logits).float(), expected, atol=1e-6, rtol=1e-5)
    tokens = sampler(shaping, torch.Generator().manual_seed(0))(logits.repeat(200, 1)).view(200, 3)
    assert (expected.gather(1, tokens.T) > 0).all() and len(set(tokens[:, 0].tolist())) > 1
