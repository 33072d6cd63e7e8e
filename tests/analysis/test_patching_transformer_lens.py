"""Patching gives the numbers of TransformerLens, on a tiny random GPT-2."""

import pytest
import torch

from tests.adapters.test_language_model import network
from tests.adapters.tiny_networks import byte_pairs
from viz_core.adapters.checkpoint import adapt
from viz_core.analysis.patching.contrast import contrast
from viz_core.analysis.patching.patch import patch_all
from viz_core.analysis.patching.paths import trace_paths
from viz_core.records import HEAD_INPUTS

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # those of the other library
SENDER, RECEIVER = (0, 1), (2, 3)


@pytest.fixture(scope="module")
def ours():
    model = adapt(network("GPT2"), byte_pairs())
    return model, contrast(model, *(model.text_encoder.encode(text) for text in ("a good film", "a fine film")))


@pytest.fixture(scope="module")
def theirs(ours):
    """The same network, ids of both texts, and the effect of logits."""
    from transformer_lens import TransformerBridge

    tokenizer = byte_pairs()
    tokenizer.bos_token = None  # else one that has it in front is looked for on the hub
    bridge = TransformerBridge.boot_transformers("gpt2", hf_model=network("GPT2"), tokenizer=tokenizer)
    _, found = ours
    source, target = (torch.tensor(text.ids)[None] for text in (found.source, found.target))
    first, second = found.logits

    def effect(logits: torch.Tensor) -> torch.Tensor:
        return found.effects(logits[0, -1, first] - logits[0, -1, second])

    return bridge, source, target, effect


@torch.no_grad()
def test_maps_of_all_parts(ours, theirs):
    from transformer_lens import patching

    model, found = ours
    bridge, source, target, effect = theirs
    assert found.positions == [(token, token) for token in range(target.shape[1])]
    _, cache = bridge.run_with_cache(source)
    effects = patch_all(model, found).effects
    for site, patch in (
        ("residual", patching.get_act_patch_resid_pre),
        ("attention", patching.get_act_patch_attn_out),
        ("feedforward", patching.get_act_patch_mlp_out),
        ("heads", patching.get_act_patch_attn_head_out_all_pos),
    ):
        torch.testing.assert_close(
            torch.tensor(effects[site]).float(), patch(bridge, target, cache, effect), atol=1e-5, rtol=1e-4
        )


@torch.no_grad()
@pytest.mark.parametrize("name", HEAD_INPUTS)
def test_a_path(ours, theirs, name):
    model, found = ours
    bridge, source, target, effect = theirs
    _, other = bridge.run_with_cache(source)
    _, own = bridge.run_with_cache(target)
    (layer, head), (last, receiver) = SENDER, RECEIVER
    sent, read = f"blocks.{layer}.attn.hook_z", f"blocks.{last}.attn.hook_{name[0]}"
    kept = []

    def send(tensor, hook):
        tensor = tensor.clone()
        tensor[:, :, head] = other[sent][:, :, head]
        return tensor

    def keep(tensor, hook):
        kept.append(tensor.clone())

    def put_in(tensor, hook):
        tensor = tensor.clone()
        tensor[:, :, receiver] = kept[0][:, :, receiver]
        return tensor

    held = [f"blocks.{number}.hook_attn_out" for number in range(layer + 1, last)]
    between = [(name, lambda tensor, hook, name=name: own[name]) for name in held]
    bridge.run_with_hooks(target, fwd_hooks=[(sent, send), *between, (read, keep)])
    expected = float(effect(bridge.run_with_hooks(target, fwd_hooks=[(read, put_in)])))
    effects = trace_paths(model, found, SENDER).effects
    assert effects[HEAD_INPUTS.index(name), last, receiver] == pytest.approx(expected, abs=1e-5)
