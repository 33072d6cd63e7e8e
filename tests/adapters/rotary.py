"""Tiny random language models with rotary positions, of every family that is followed step by step."""

import torch
from transformers import PreTrainedModel

from tests.adapters.test_language_model import network

WINDOWS = ["full_attention", "sliding_attention", "full_attention"]
_SHARED = dict(head_dim=12, query_pre_attn_scalar=7)  # neither 12 nor 32/4, so that a root of either would be wrong
ROTARY: dict[str, tuple[str, dict]] = {
    "llama": ("Llama", {}),
    "mistral": ("Mistral", dict(sliding_window=3)),
    "qwen2": ("Qwen2", dict(use_sliding_window=True, sliding_window=3, max_window_layers=1)),
    "qwen3": ("Qwen3", dict(head_dim=12)),
    "smollm3": ("SmolLM3", dict(no_rope_layers=[1, 1, 0])),
    "phi": ("Phi", dict(partial_rotary_factor=0.5, qk_layernorm=True)),
    "phi3": ("Phi3", dict(sliding_window=5, partial_rotary_factor=0.5)),
    "gpt_neox": ("GPTNeoX", dict(rotary_pct=0.25)),
    "gpt_neox_sequential": ("GPTNeoX", dict(use_parallel_residual=False)),
    "olmo": ("Olmo", {}),
    "olmo2": ("Olmo2", {}),
    "gemma": ("Gemma", dict(head_dim=12)),
    "gemma2": ("Gemma2", dict(_SHARED, sliding_window=3, attn_logit_softcapping=2.0, final_logit_softcapping=3.0)),
    "gemma3_text": ("Gemma3", dict(_SHARED, sliding_window=3, layer_types=WINDOWS)),
}


def rotary_network(family: str, **different: object) -> PreTrainedModel:
    """A network of ROTARY, whose biases and weights of normalisations are random, too."""
    name, sizes = ROTARY[family]
    net, generator = network(name, **{**sizes, **different}), torch.Generator().manual_seed(0)
    for parameter in net.parameters():
        if parameter.dim() == 1:
            parameter.data += 0.3 * torch.randn(parameter.shape, generator=generator)
    return net
