"""Multi-head scaled dot-product attention (Vaswani et al. 2017, section 3.2).

The same module serves self-attention, causal attention and cross-attention.

Shapes: B batch, H heads, T queries, S keys, D model width, d = D/H width of a head; in
self-attention S = T.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from viz_core.models.anatomy import AttentionParts, Linear, Norm
from viz_core.models.encoder_decoder_config import LayerConfig
from viz_core.models.protocol import NO_HOOK, HookCaller


class KeysValues(NamedTuple):
    """Keys and values of an attention, `(B, H, S, d)` each."""

    keys: Tensor
    values: Tensor

    def append(self, later: KeysValues) -> KeysValues:
        """Append the keys and values of later tokens."""
        return KeysValues(torch.cat([self.keys, later.keys], dim=2), torch.cat([self.values, later.values], dim=2))

    def at(self, rows: Tensor) -> KeysValues:
        """Select batch rows."""
        return KeysValues(self.keys[rows], self.values[rows])

    def first(self, count: int) -> KeysValues:
        """Select the first `count` tokens."""
        return KeysValues(self.keys[:, :, :count], self.values[:, :, :count])


class Attention(nn.Module):
    """Attention whose queries come from x, and keys and values from x or from another sequence."""

    def __init__(self, config: LayerConfig) -> None:
        super().__init__()
        self.heads = config.heads
        self.dropout = config.attention_dropout
        self.query = nn.Linear(config.width, config.width)
        self.key = nn.Linear(config.width, config.width)
        self.value = nn.Linear(config.width, config.width)
        self.output = nn.Linear(config.width, config.width)

    def forward(
        self,
        x: Tensor,
        mask: Tensor,
        need_attention: bool,
        out: Tensor | None = None,
        at: HookCaller = NO_HOOK,
        keys_values: KeysValues | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        """Attend from x to itself or to `keys_values`.

        Args:
            x: `(B, T, D)`.
            mask: True for the keys that may be attended to, `(B, S)` for all queries alike, or
                `(B, T, S)`.
            need_attention: Whether to return the attention weights.
            out: Buffer `(B, H, T, S)` for scores and weights, which saves memory; None allocates
                new tensors, as gradients require.
            at: Calls the hook, if there is one.
            keys_values: By default computed from x.

        Returns:
            The output `(B, T, D)` and, if requested, the attention weights `(B, H, T, S)` as used.
        """
        D = x.shape[-1]
        q = at("queries", self._split_heads(self.query(x)))  # (B, H, T, d)
        k, v = keys_values or self.keys_values(x)
        k, v = at("keys", k), at("values", v)  # (B, H, S, d)
        dropout = self.dropout if self.training else 0.0
        # (B, 1, 1, S) if it is the same for all queries: fused kernels broadcast that, whereas a mask of all pairs is
        # copied in each layer.
        visible = mask[:, None, None, :] if mask.dim() == 2 else mask[:, None]
        seen = at.wants("scores", "weights")
        if need_attention or seen or _fused_is_slow(x):
            q = q / math.sqrt(D // self.heads)  # scaling q costs d columns, scaling the scores S
            scores = torch.matmul(q, k.transpose(-2, -1), out=out)  # (B, H, T, S)
            scores = at("scores", scores)
            if not mask.all():  # a single text has no padding
                scores = scores.masked_fill(~visible, -math.inf) if seen else scores.masked_fill_(~visible, -math.inf)
            attention = at("weights", torch.softmax(scores, dim=-1, out=out))  # (B, H, T, S)
            context = F.dropout(attention, dropout) @ v  # (B, H, T, d)
        else:
            attention = None
            context = F.scaled_dot_product_attention(q, k, v, attn_mask=visible, dropout_p=dropout)
        return project_heads(at("context", context), self.output, at), attention

    def parts(self, norm: nn.Module) -> AttentionParts:
        """Return the weights for `Anatomy`, with the normalisation of the layer."""
        query, key, value, output = map(Linear.of, (self.query, self.key, self.value, self.output))
        return AttentionParts(Norm.of(norm), query, key, value, output)

    def keys_values(self, x: Tensor) -> KeysValues:
        """Compute keys and values of tokens `(B, S, D)`."""
        return KeysValues(self._split_heads(self.key(x)), self._split_heads(self.value(x)))

    def _split_heads(self, x: Tensor) -> Tensor:
        """Reshape `(B, T, D)` to `(B, H, T, d)`."""
        B, T, D = x.shape
        return x.view(B, T, self.heads, D // self.heads).transpose(1, 2)


def project_heads(context: Tensor, output: nn.Linear, at: HookCaller) -> Tensor:
    """Compute what an attention adds to the residual stream.

    Args:
        context: Of each head, `(B, H, T, d)`.
        output: Output projection, whose H·d inputs are the heads side by side.
        at: Calls the hook, if there is one.

    Returns:
        `(B, T, D)`.
    """
    projected = output(context.transpose(1, 2).flatten(2))
    if at.wants("head_outputs"):
        per_head = output.weight.unflatten(1, (context.shape[1], -1))  # (D, H, d)
        computed = torch.einsum("bhtd,ohd->bhto", context, per_head)
        heads = at("head_outputs", computed)
        if heads is not computed:
            projected = heads.sum(1) if output.bias is None else heads.sum(1) + output.bias
    return at("attention_output", projected)


def _fused_is_slow(x: Tensor) -> bool:
    """Whether torch's fused attention is slower than the code above: when training in bf16 on a CPU.

    Forward and backward, it takes 1.2 times as long at 256 tokens and 6 times at 32 (AMX). Without
    gradients it is 1.5 times faster at 320 tokens.
    """
    return x.device.type == "cpu" and torch.is_autocast_enabled("cpu") and torch.is_grad_enabled()
