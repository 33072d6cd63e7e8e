"""Networks whose layers have, besides attention or instead of it, a state space, a convolution or linear attention."""

import pytest
import torch

from tests.adapters.test_families import random_network
from tests.adapters.test_language_model import _SIZES, IDS
from tests.adapters.tiny_networks import byte_pairs
from viz_core.adapters.checkpoint import adapt
from viz_core.adapters.opening import open_model
from viz_core.analysis.context import read_on, write_on
from viz_core.analysis.decoding import Decoding
from viz_core.analysis.explain import encode, explain
from viz_core.analysis.generation import continue_text, given_tokens
from viz_core.analysis.whatif import Changes, predict_with_changes
from viz_core.records import Failure, Generation

_SHORT = _SIZES | dict(num_hidden_layers=4)
_MAMBA_2 = dict(mamba_n_heads=4, mamba_d_head=16, mamba_d_state=8, mamba_n_groups=1, mamba_chunk_size=4)
# Layers with attention, from 0, and what differs from the sizes.
FAMILIES = {
    "Jamba": ((1, 3), dict(attn_layer_period=2, attn_layer_offset=1, num_experts=1, mamba_d_state=4)),
    "Bamba": ((0, 3), dict(attn_layer_indices=[0, 3], **_MAMBA_2)),
    "Lfm2": ((1, 2), dict(layer_types=["conv", "full_attention", "full_attention", "conv"])),
    "RecurrentGemma": (
        (1, 3),
        dict(block_types=["recurrent", "attention"], lru_width=32, attention_window_size=4, head_dim=8),
    ),
    "FalconH1": ((0, 1, 2, 3), dict(mamba_d_ssm=64, **_MAMBA_2)),
}


def network(family: str):
    return random_network(f"{family}ForCausalLM", f"{family}Config", **{**_SHORT, **FAMILIES[family][1]})


CORE = [
    family if family in ("Jamba", "FalconH1") else pytest.param(family, marks=pytest.mark.slow) for family in FAMILIES
]


@pytest.fixture(scope="module", params=CORE)
def family(request):
    return request.param


@torch.no_grad()
def test_the_layers_with_attention_have_the_weights_and_logits_of_the_library(family):
    """Read in pieces, with a state that is cut back in between."""
    net, layers = network(family), FAMILIES[family][0]
    model = adapt(net, byte_pairs(max_tokens=40), family).model
    net.set_attn_implementation("eager")
    expected = net(input_ids=IDS, output_attentions=True)
    theirs = [weights for weights in expected.attentions if weights is not None]
    assert model.config.layers == len(layers) == len(theirs)
    _, state = model.read(model.start(IDS[:, :0], IDS[:, :0].bool()), IDS[:, :6])
    begin = 4
    state = state.first(begin)
    for count in (3, 1, 1):
        output, state = model.read(state, IDS[:, begin : begin + count], need_attention=True)
        end = begin + count
        torch.testing.assert_close(output.logits, expected.logits[:, begin:end], atol=1e-4, rtol=1e-4)
        for ours, weights in zip(output.attention["causal"], theirs, strict=True):
            torch.testing.assert_close(ours, weights[:, :, begin:end, :end], atol=1e-5, rtol=0)
        begin = end


@torch.no_grad()
def test_it_writes_what_the_library_writes(family):
    net = network(family)
    net.generation_config.eos_token_id = None
    checkpoint = adapt(net, byte_pairs(max_tokens=40), family)
    ids = torch.from_numpy(given_tokens(checkpoint, "the cat").ids)[None].long()
    settings = dict(max_new_tokens=5, do_sample=False, suppress_tokens=[266, 267, 268, 269])  # ids without a token
    theirs = net.generate(ids, attention_mask=torch.ones_like(ids), **settings)[0].tolist()
    *_, generation = continue_text(checkpoint, "the cat", Decoding(), 5)
    assert isinstance(generation, Generation) and generation.explanation.encoding.ids.tolist() == theirs
    *_, context = write_on(checkpoint, read_on(checkpoint, ids[0].tolist()), Decoding(), 5)
    assert list(context.ids) == theirs


@pytest.fixture(scope="module")
def jamba():
    return adapt(network("Jamba"), byte_pairs(max_tokens=40), "jamba")


def test_which_layers_have_none_is_said(jamba):
    lacks = {message.key: message.values for message in jamba.settings.lacks}
    assert lacks["adapters.lacks_layers"] == {"shown": 2, "total": 4, "numbers": ["2", "4"]}
    assert "adapters.lacks_states" in lacks
    falcon = adapt(network("FalconH1"), byte_pairs(max_tokens=40), "falcon")
    assert [message.key for message in falcon.settings.lacks] == ["adapters.next_token", "adapters.lacks_states"]


@torch.no_grad()
def test_heads_are_masked_by_their_place_among_the_layers_with_attention(jamba):
    """Without all heads of layer 2 here, the library's attention of layer 4 passes nothing on."""
    encoding = encode(jamba, "the cat")
    changes = Changes(masked=frozenset((1, head) for head in range(4)))
    computed = predict_with_changes(jamba, encoding, [changes])[0]
    net = network("Jamba")
    net.model.layers[3].self_attn.o_proj.weight.zero_()
    logits = net(torch.from_numpy(encoding.ids)[None].long()).logits[0, -1, : len(computed)]
    torch.testing.assert_close(torch.from_numpy(computed), logits.double().softmax(-1), atol=1e-5, rtol=0)


@torch.no_grad()
def test_a_pass_starts_from_the_embeddings_of_the_first_layer(jamba):
    ids = torch.tensor([[5, 6, 7]])
    inputs = ids, torch.zeros_like(ids), torch.ones_like(ids, dtype=torch.bool)
    embedded = jamba.model.embed(*inputs)
    torch.testing.assert_close(embedded, jamba.model.token_embedding(ids))
    torch.testing.assert_close(
        jamba.model.from_embeddings(embedded, inputs[2]).logits, jamba.model(*inputs).logits, atol=1e-5, rtol=1e-5
    )


@pytest.mark.process
def test_a_folder_is_opened(tmp_path):
    network("Jamba").save_pretrained(tmp_path)
    byte_pairs(40).save_pretrained(tmp_path)
    checkpoint = open_model(f"path:{tmp_path}")
    assert explain(checkpoint, "the cat").attention.shape[:2] == (2, 4)


@pytest.mark.process
def test_a_model_without_any_attention_is_refused(tmp_path):
    random_network("MambaForCausalLM", "MambaConfig", **_SHORT | dict(state_size=4)).save_pretrained(tmp_path)
    byte_pairs(40).save_pretrained(tmp_path)
    with pytest.raises(Failure) as failure:
        open_model(f"path:{tmp_path}")
    assert failure.value.message.key == "adapters.no_attention"
