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
        """Select the first tokens."""
        return KeysValues(self.keys[:, :, :count], self.values[:, :, :count])


class Rotation(NamedTuple):
    """Rotates queries and keys by angles that grow with the position (Su et al. 2021, section 3.2).

    The product of a query and a key then depends on their distance, not on their positions.
    Component i of the first half and component i of the second half form a pair, as in Llama.

    Attributes:
        cos: Cosines of the angles, `(…, 1, T, d)`.
        sin: Their sines.
    """

    cos: Tensor
    sin: Tensor

    @classmethod
    def of(cls, positions: Tensor, width: int) -> Rotation:
        """Compute the rotation of heads of this width at positions `(…, T)`."""
        wavelengths = 10_000 ** (torch.arange(0, width, 2, device=positions.device) / width)  # (d/2,)
        angles = (positions[..., None, :, None] / wavelengths).repeat(*[1] * positions.dim(), 1, 2)  # (…, 1, T, d)
        return cls(angles.cos(), angles.sin())

    def seen(self, at: HookCaller) -> Rotation:
        """Call the hook with cosines and sines, `(…, 2, T, d)`."""
        if not at.wants("rotation"):
            return self
        cos, sin = at("rotation", torch.cat([self.cos, self.sin], dim=-3)).split(1, dim=-3)
        return Rotation(cos, sin)

    def __call__(self, x: Tensor) -> Tensor:
        """Rotate `(B, H, T, d)`."""
        first, second = x.chunk(2, dim=-1)
        return (x * self.cos + torch.cat([-second, first], dim=-1) * self.sin).to(x.dtype)


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
        mask: Tensor | None,
        need_attention: bool,
        out: Tensor | None = None,
        at: HookCaller = NO_HOOK,
        keys_values: KeysValues | None = None,
        rotation: Rotation | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        """Attend from x to itself or to `keys_values`.

        Args:
            x: `(B, T, D)`.
            mask: True for the keys that may be attended to, `(B, S)` for all queries alike, or
                `(B, T, S)`; None if each token attends to itself and those before it, T being S.
            need_attention: Whether to return the attention weights.
            out: Buffer `(B, H, T, S)` for scores and weights, which saves memory; None allocates
                new tensors, as gradients require.
            at: Calls the hook, if there is one.
            keys_values: By default computed from x.
            rotation: Of the queries, and of keys computed from x.

        Returns:
            The output `(B, T, D)` and, if requested, the attention weights `(B, H, T, S)` as used.
        """
        D = x.shape[-1]
        q = self._split_heads(self.query(x))  # (B, H, T, d)
        q = at("queries", rotation(at("unrotated_queries", q)) if rotation else q)
        k, v = keys_values or self.keys_values(x, rotation, at)
        k, v = at("keys", k), at("values", v)  # (B, H, S, d)
        dropout = self.dropout if self.training else 0.0
        # (B, 1, 1, S) if it is the same for all queries: fused kernels broadcast that, whereas a mask of all pairs is
        # copied in each layer.
        visible = None if mask is None else mask[:, None, None, :] if mask.dim() == 2 else mask[:, None]
        seen = at.wants("scaled", "scores", "weights")
        if need_attention or seen:
            q = q / math.sqrt(D // self.heads)  # scaling q costs d columns, scaling the scores S
            scores = torch.matmul(q, k.transpose(-2, -1), out=out)  # (B, H, T, S)
            scores = at("scores", at("scaled", scores))
            if visible is None:
                visible = _causal(q)
            if mask is None or not mask.all():  # a single text has no padding
                scores = scores.masked_fill(~visible, -math.inf) if seen else scores.masked_fill_(~visible, -math.inf)
            attention = at("weights", torch.softmax(scores, dim=-1, out=out))  # (B, H, T, S)
            context = F.dropout(attention, dropout) @ v  # (B, H, T, d)
        else:
            attention = None
            context = _fused(q, k, v, visible, dropout)
        return project_heads(at("context", context), self.output, at), attention

    def parts(self, norm: nn.Module) -> AttentionParts:
        """Return the weights for `Anatomy`, with the normalisation of the layer."""
        query, key, value, output = map(Linear.of, (self.query, self.key, self.value, self.output))
        return AttentionParts(Norm.of(norm), query, key, value, output)

    def keys_values(self, x: Tensor, rotation: Rotation | None = None, at: HookCaller = NO_HOOK) -> KeysValues:
        """Compute keys, rotated if requested, and values of tokens `(B, S, D)`."""
        k, v = self._split_heads(self.key(x)), self._split_heads(self.value(x))
        return KeysValues(rotation(at("unrotated_keys", k)) if rotation else k, v)

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


def _causal(q: Tensor) -> Tensor:
    """`(T, T)` bool: True where a key is not later than its query."""
    T = q.shape[-2]
    return torch.ones(T, T, dtype=torch.bool, device=q.device).tril()


def _fused(q: Tensor, k: Tensor, v: Tensor, visible: Tensor | None, dropout: float) -> Tensor:
    """Compute the weighted sum without keeping the weights, `(B, H, T, d)`; causal if `visible` is None.

    Backward in bf16, torch's fused attention is slow on a CPU: 1.1 to 5 times as long as this at
    512 to 32 tokens (AMX, d = 32). Forward alone bf16 is faster.
    """
    if q.device.type == "cpu" and torch.is_autocast_enabled("cpu") and torch.is_grad_enabled():
        with torch.autocast("cpu", enabled=False):
            return _fused(q.float(), k.float(), v.float(), visible, dropout)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=visible, dropout_p=dropout, is_causal=visible is None)
