"""Weights of our layers under the names of torch's, which stacks query, key and value."""

import torch
from torch import Tensor

_ENCODER = {"linear1": "feedforward.0", "linear2": "feedforward.3", "norm1": "attention_norm"}


def torch_encoder_layer(ours: dict[str, Tensor]) -> dict[str, Tensor]:
    """For `nn.TransformerEncoderLayer`."""
    return {**_rename(ours, {**_ENCODER, "norm2": "feedforward_norm"}), **_attention(ours, "attention", "self_attn")}


def torch_decoder_layer(ours: dict[str, Tensor]) -> dict[str, Tensor]:
    """For `nn.TransformerDecoderLayer`."""
    return {
        **_rename(ours, {**_ENCODER, "norm2": "cross_attention_norm", "norm3": "feedforward_norm"}),
        **_attention(ours, "attention", "self_attn"),
        **_attention(ours, "cross_attention", "multihead_attn"),
    }


def _rename(ours: dict[str, Tensor], names: dict[str, str]) -> dict[str, Tensor]:
    return {f"{their}.{kind}": ours[f"{our}.{kind}"] for their, our in names.items() for kind in ("weight", "bias")}


def _attention(ours: dict[str, Tensor], our: str, their: str) -> dict[str, Tensor]:
    result = _rename(ours, {f"{their}.out_proj": f"{our}.output"})
    for kind in ("weight", "bias"):
        parts = [ours[f"{our}.{part}.{kind}"] for part in ("query", "key", "value")]
        result[f"{their}.in_proj_{kind}"] = torch.cat(parts)
    return result
