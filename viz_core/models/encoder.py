"""The Transformer encoder (Vaswani et al. 2017), written out from scratch; reads from top to bottom.

Shapes: B batch, L layers, H heads, T tokens, D model width, d = D/H width of a head. `mask` is `(B, T)`, True where a
token is real and False where it is padding.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from viz_core.models.config import EncoderConfig
from viz_core.models.dropout import Dropout
from viz_core.models.protocol import AttentionKind, Hook, HookPoint, Output


class LayerHook(NamedTuple):
    """A hook together with the layer and the kind of attention that it is called for."""

    hook: Hook
    layer: int
    attention: AttentionKind = "self"

    def __call__(self, tensor: str, value: Tensor) -> Tensor:
        return self.hook(HookPoint(self.layer, self.attention, tensor), value)


class SelfAttention(nn.Module):
    """Multi-head scaled dot-product self-attention with a padding mask."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.heads = config.heads
        self.dropout = config.attention_dropout
        self.query = nn.Linear(config.width, config.width)
        self.key = nn.Linear(config.width, config.width)
        self.value = nn.Linear(config.width, config.width)
        self.output = nn.Linear(config.width, config.width)

    def forward(
        self, x: Tensor, mask: Tensor, need_attention: bool, out: Tensor | None = None, hook: LayerHook | None = None
    ) -> tuple[Tensor, Tensor | None]:
        """x `(B, T, D)` -> the new x and, if requested, the attention weights `(B, H, T, T)` that were used.

        out: a tensor `(B, H, T, T)` to compute scores and weights in, which saves memory; None allocates new ones, as
        gradients need. hook: may change scores, weights and values.
        """
        B, T, D = x.shape
        q = self._split_heads(self.query(x))  # (B, H, T, d)
        k = self._split_heads(self.key(x))  # (B, H, T, d)
        v = self._split_heads(self.value(x))  # (B, H, T, d)
        dropout = self.dropout if self.training else 0.0
        # (B, 1, 1, T): no query attends to padding. Fused kernels broadcast it; a mask of all pairs is copied in each
        # layer.
        keys = mask[:, None, None, :]
        if need_attention or hook or _fused_is_slow(x):
            q = q / math.sqrt(D // self.heads)  # scaling q costs d columns, scaling the scores T
            scores = torch.matmul(q, k.transpose(-2, -1), out=out)  # (B, H, T, T)
            if hook:
                scores, v = hook("scores", scores), hook("values", v)
            if not mask.all():  # a single text has no padding
                scores = scores.masked_fill(~keys, -math.inf) if hook else scores.masked_fill_(~keys, -math.inf)
            attention = torch.softmax(scores, dim=-1, out=out)  # (B, H, T, T)
            if hook:
                attention = hook("weights", attention)
            context = F.dropout(attention, dropout) @ v  # (B, H, T, d)
        else:
            attention = None
            context = F.scaled_dot_product_attention(q, k, v, attn_mask=keys, dropout_p=dropout)
        context = context.transpose(1, 2).reshape(B, T, D)  # heads side by side again
        return self.output(context), attention

    def _split_heads(self, x: Tensor) -> Tensor:
        """`(B, T, D)` -> `(B, H, T, d)`."""
        B, T, D = x.shape
        return x.view(B, T, self.heads, D // self.heads).transpose(1, 2)


class Layer(nn.Module):
    """Self-attention and feed-forward, each with a residual addition and a layer normalisation before or after it."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.norm_first = config.norm == "pre"
        self.attention = SelfAttention(config)
        self.attention_norm = nn.LayerNorm(config.width)
        self.feedforward = nn.Sequential(
            nn.Linear(config.width, config.feedforward),
            nn.ReLU() if config.activation == "relu" else nn.GELU(),
            Dropout(config.dropout),
            nn.Linear(config.feedforward, config.width),
        )
        self.feedforward_norm = nn.LayerNorm(config.width)
        self.dropout = Dropout(config.dropout)

    def forward(
        self, x: Tensor, mask: Tensor, need_attention: bool, out: Tensor | None = None, hook: LayerHook | None = None
    ) -> tuple[Tensor, Tensor | None]:
        if self.norm_first:
            attended, attention = self.attention(self.attention_norm(x), mask, need_attention, out, hook)
            x = x + self.dropout(attended)
            return x + self.dropout(self.feedforward(self.feedforward_norm(x))), attention
        attended, attention = self.attention(x, mask, need_attention, out, hook)
        x = self.attention_norm(x + self.dropout(attended))
        return self.feedforward_norm(x + self.dropout(self.feedforward(x))), attention


class Embedding(nn.Module):
    """Token + position + segment (+ overlap) embeddings."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.token = nn.Embedding(config.vocabulary, config.width)
        self.segment = nn.Embedding(config.segments, config.width)
        self.overlap = nn.Embedding(2, config.width) if config.overlap else None
        if config.positions == "learned":
            self.position = nn.Embedding(config.max_tokens, config.width)
        else:
            self.register_buffer("sinusoid", sinusoidal_positions(config.max_tokens, config.width), persistent=False)
        self.learned = config.positions == "learned"
        self.norm = nn.LayerNorm(config.width) if config.norm == "pre" else nn.Identity()
        self.dropout = Dropout(config.dropout)

    def forward(self, ids: Tensor, segments: Tensor, mask: Tensor) -> Tensor:
        T = ids.shape[1]
        x = self.token(ids) + (self.position.weight[:T] if self.learned else self.sinusoid[:T])  # (B, T, D)
        x = _add_embedding(x, self.segment, segments)
        if self.overlap is not None:
            x = _add_embedding(x, self.overlap, occurs_in_other_segment(ids, segments, mask))
        return self.dropout(self.norm(x))


def _add_embedding(x: Tensor, embedding: nn.Embedding, index: Tensor) -> Tensor:
    """x `(B, T, D)` plus the rows of an embedding at `index` `(B, T)`.

    Two rows w0, w1 are added as w0 + index · (w1 - w0): the backward pass is then a sum over tokens, while that of an
    embedding sorts all indices on a GPU.
    """
    if embedding.num_embeddings != 2:
        return x + embedding(index)
    first, second = embedding.weight  # (D,) each
    return torch.addcmul(x + first, index[:, :, None].to(x.dtype), second - first)


class Stem(nn.Module):
    """A convolution over three neighbouring tokens, with residual connection and layer normalisation: n-grams for the
    first layer (Kim 2014; before attention as in Gulati et al. 2020, section 2.2, much reduced)."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.convolution = nn.Conv1d(config.width, config.width, kernel_size=3, padding=1)
        self.norm = nn.LayerNorm(config.width)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        x = x * mask[:, :, None].to(x.dtype)  # padding must not leak into its neighbours
        return self.norm(x + F.relu(self._convolve(x)))

    def _convolve(self, x: Tensor) -> Tensor:
        """The convolution of x `(B, T, D)` along T as three linear layers, computed as one product and shifted by a
        token each: products are fast for every T, while a GPU's convolutions choose a kernel anew for each."""
        weight = torch.cat(self.convolution.weight.unbind(-1))  # (3 D, D)
        previous, current, following = F.linear(x, weight).chunk(3, dim=-1)  # (B, T, D) each
        y = current + self.convolution.bias
        y = y + F.pad(previous[:, :-1], (0, 0, 1, 0))
        return y + F.pad(following[:, 1:], (0, 0, 0, 1))


class Encoder(nn.Module):
    """Embeddings, a stack of layers, and a classifier on [CLS] or on the mean over real tokens. A `protocol.Model`."""

    attention_kinds = ("self",)

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = Embedding(config)
        self.stem = Stem(config) if config.stem == "convolution" else None
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.layers))
        self.norm = nn.LayerNorm(config.width) if config.norm == "pre" else nn.Identity()
        self.dropout = Dropout(config.dropout)
        self.classifier = nn.Linear(config.width, config.classes)
        self.apply(_initialise)

    @property
    def token_embedding(self) -> nn.Embedding:
        return self.embedding.token

    def forward(
        self, ids: Tensor, segments: Tensor, mask: Tensor, need_attention: bool = False, hook: Hook | None = None
    ) -> Output:
        """ids, segments `(B, T)` int64, mask `(B, T)` bool -> logits and, if requested, all attention.

        Without attention the fused kernel is used; the logits agree to 1e-5. hook: changes scores, weights or values.
        Raises ValueError if T exceeds the positions of the encoder.
        """
        return self.from_embeddings(self.embed(ids, segments, mask), mask, need_attention, hook)

    def embed(self, ids: Tensor, segments: Tensor, mask: Tensor) -> Tensor:
        """The sum of all embeddings, normalised, `(B, T, D)`. Raises ValueError as above."""
        if ids.shape[1] > self.config.max_tokens:
            raise ValueError(f"{ids.shape[1]} tokens exceed the {self.config.max_tokens} positions of this encoder")
        return self.embedding(ids, segments, mask)

    def from_embeddings(
        self, x: Tensor, mask: Tensor, need_attention: bool = False, hook: Hook | None = None
    ) -> Output:
        """The output for embeddings `(B, T, D)`."""
        hidden, attention = self._layers(x, mask, need_attention, hook)
        if self.config.pooling == "cls":
            pooled = hidden[:, 0]  # (B, D)
        else:
            real = mask[:, :, None].to(hidden.dtype)  # (B, T, 1)
            pooled = (hidden * real).sum(1) / real.sum(1)  # (B, D)
        return Output(self.classifier(self.dropout(pooled)), {} if attention is None else {"self": attention})

    def encode(self, ids: Tensor, segments: Tensor, mask: Tensor) -> Tensor:
        """The last layer's output `(B, T, D)`."""
        return self._layers(self.embed(ids, segments, mask), mask, False, None)[0]

    def _layers(self, x: Tensor, mask: Tensor, need_attention: bool, hook: Hook | None) -> tuple[Tensor, Tensor | None]:
        """The last layer's output `(B, T, D)` and, if requested, attention `(L, B, H, T, T)`.

        Without gradients each layer computes its attention in place in the result, so that nothing of that size is
        allocated beside it; gradients need a tensor per layer that is not overwritten.
        """
        if self.stem is not None:
            x = self.stem(x, mask)
        B, T, _ = x.shape
        # Under autocast too each layer allocates its own: autocast chooses a type for the scores that is not that of x.
        in_place = need_attention and not (hook or torch.is_grad_enabled() or torch.is_autocast_enabled(x.device.type))
        L = len(self.layers)
        buffers = x.new_empty(L, B, self.config.heads, T, T) if in_place else [None] * L
        attention = []
        for number, (layer, buffer) in enumerate(zip(self.layers, buffers, strict=True)):
            x, weights = layer(x, mask, need_attention, buffer, hook and LayerHook(hook, number))
            attention.append(weights)
        if not need_attention:
            return self.norm(x), None
        return self.norm(x), buffers if in_place else torch.stack(attention)


def _fused_is_slow(x: Tensor) -> bool:
    """In bf16 on a CPU torch's fused attention takes longer than this file's, forward and backward: 1.2 times at 256
    tokens, 6 times at 32 (AMX)."""
    return x.device.type == "cpu" and torch.is_autocast_enabled("cpu")


def sinusoidal_positions(tokens: int, width: int) -> Tensor:
    """`(T, D)`: sines and cosines of geometrically growing wavelengths (Vaswani et al. 2017, section 3.5)."""
    wavelengths = 10_000 ** (torch.arange(0, width, 2) / width)  # (D/2,)
    angles = torch.arange(tokens)[:, None] / wavelengths  # (T, D/2)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def occurs_in_other_segment(ids: Tensor, segments: Tensor, mask: Tensor) -> Tensor:
    """`(B, T)` bool: real tokens whose id also occurs in the other segment, except special tokens (ids below 4)."""
    content = mask & (ids >= 4)
    same = ids[:, :, None] == ids[:, None, :]  # (B, T, T)
    other = segments[:, :, None] != segments[:, None, :]
    return (same & other & content[:, None, :]).any(-1) & content


def _initialise(module: nn.Module) -> None:
    """Small normal weights (standard deviation 0.02, as in BERT), zero biases."""
    if isinstance(module, (nn.Linear, nn.Embedding, nn.Conv1d)):
        nn.init.normal_(module.weight, std=0.02)
    if isinstance(module, (nn.Linear, nn.Conv1d)):
        nn.init.zeros_(module.bias)
