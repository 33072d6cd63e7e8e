"""The residual stream of every token through a Transformer, computed in NumPy from the weights of the model and from
what its heads have read: the numbers that the model itself does not return.

Shapes: L layers, T tokens, D model width, F width of the feed-forward.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from viz_core.analysis.inside.steps import ACTIVATIONS, convolve, layer_norm, linear, relu
from viz_core.models.attention import Attention
from viz_core.models.embedding import Embedding, occurs_in_other_segment
from viz_core.models.encoder import EmbeddingProjection, Stem
from viz_core.models.encoder_decoder import Positions
from viz_core.models.layers import Layer
from viz_core.records.translation import Kind

Contexts = Mapping[tuple[Kind, int], np.ndarray]  # kind and layer -> (T, D), the context of all heads side by side


@dataclass(frozen=True, eq=False)
class Embedded:
    """What the first layer reads, `(T, D)` each, or narrower before a stem that maps them to D, as in
    `records.inside.TokenSteps`."""

    parts: Mapping[str, np.ndarray]
    sum: np.ndarray
    embedded: np.ndarray
    convolved: np.ndarray | None = None
    stem: np.ndarray | None = None

    @property
    def stream(self) -> np.ndarray:
        return self.embedded if self.stem is None else self.stem


@dataclass(frozen=True, eq=False)
class FeedForward:
    """The feed-forward of a layer for some tokens: read `(T, D)`, hidden and activated `(T, F)`, output `(T, D)`."""

    read: np.ndarray
    hidden: np.ndarray
    activated: np.ndarray
    output: np.ndarray


@dataclass(frozen=True, eq=False)
class Streams:
    """The residual stream `(T, D)` at every point of a stack of layers.

    after: before the first layer and after each, L + 1. attended: per layer, before its first attention and after each.
    final: after the last layer, normalised if the model does so.
    """

    after: tuple[np.ndarray, ...]
    attended: tuple[tuple[np.ndarray, ...], ...]
    final: np.ndarray


def embed(
    embedding: Embedding, stem: Stem | EmbeddingProjection | None, ids: np.ndarray, segments: np.ndarray
) -> Embedded:
    """The embeddings of an encoder for ids and segments `(T,)`, none of which is padding."""
    tensors = [torch.from_numpy(np.array(values))[None] for values in (ids, segments)]
    positions = embedding.position.weight if embedding.learned else embedding.sinusoid
    parts = {"token": numbers(embedding.token.weight)[ids], "position": numbers(positions)[: len(ids)]}
    if embedding.segment is not None:
        rows = numbers(embedding.segment.weight)
        parts["segment"] = rows[np.minimum(segments, len(rows) - 1)]
    if embedding.overlap is not None:
        overlaps = occurs_in_other_segment(*tensors, torch.ones_like(tensors[0], dtype=torch.bool))[0].numpy()
        parts["overlap"] = numbers(embedding.overlap.weight)[overlaps.astype(int)]
    total = sum(parts.values())
    x = normalise(embedding.norm, total)
    if stem is None:
        return Embedded(parts, total, x)
    if isinstance(stem, EmbeddingProjection):
        return Embedded(parts, total, x, stem=linear(x, numbers(stem.weight), numbers(stem.bias)))
    convolved = relu(convolve(x, numbers(stem.convolution.weight), numbers(stem.convolution.bias)))
    return Embedded(parts, total, x, convolved, normalise(stem.norm, x + convolved))


def embed_translation(token: nn.Embedding, positions: Positions, ids: np.ndarray) -> Embedded:
    """The embeddings of a side of an encoder with a decoder for ids `(T,)`."""
    parts = {"token": numbers(token.weight)[ids], "position": numbers(positions.position.weight)[: len(ids)]}
    total = sum(parts.values())
    return Embedded(parts, total, normalise(positions.norm, total))


def run_stack(
    layers: Sequence[Layer], norm: nn.Module, x: np.ndarray, kinds: Sequence[Kind], contexts: Contexts
) -> Streams:
    """The residual streams of a stack from what its first layer reads, `(T, D)`. kinds: of the attentions of a layer,
    in their order. norm: after the last layer."""
    after, attended = [x], []
    for number, layer in enumerate(layers):
        points = [x]
        for kind in kinds:
            x = add_attention(layer, kind, x, contexts[kind, number])
            points.append(x)
        x = add(layer, layer.feedforward_norm, x, feed_forward(layer, x).output)
        attended.append(tuple(points))
        after.append(x)
    return Streams(tuple(after), tuple(attended), normalise(norm, x))


def add_attention(layer: Layer, kind: Kind, x: np.ndarray, context: np.ndarray) -> np.ndarray:
    """The residual stream after an attention. context: of all heads side by side, `(T, D)`."""
    attention, norm = sublayer(layer, kind)
    return add(layer, norm, x, linear(context, numbers(attention.output.weight), numbers(attention.output.bias)))


def feed_forward(layer: Layer, x: np.ndarray) -> FeedForward:
    """x: the residual stream `(T, D)`, which a pre-norm layer normalises first."""
    first, activation, _, second = layer.feedforward
    read = normalise(layer.feedforward_norm, x) if layer.norm_first else x
    hidden = linear(read, numbers(first.weight), numbers(first.bias))
    activated = ACTIVATIONS[_activation_name(activation)](hidden)
    return FeedForward(read, hidden, activated, linear(activated, numbers(second.weight), numbers(second.bias)))


def _activation_name(activation: nn.Module) -> str:
    if isinstance(activation, nn.ReLU):
        return "relu"
    return "gelu" if activation.approximate == "none" else "gelu_tanh"


def add(layer: Layer, norm: nn.Module, x: np.ndarray, output: np.ndarray) -> np.ndarray:
    """The residual addition of what a sub-layer has computed; a post-norm layer normalises the sum."""
    return x + output if layer.norm_first else normalise(norm, x + output)


def sublayer(layer: Layer, kind: Kind) -> tuple[Attention, nn.Module]:
    """The attention of a kind, and its normalisation."""
    if kind == "cross":
        return layer.cross_attention, layer.cross_attention_norm
    return layer.attention, layer.attention_norm


def normalise(norm: nn.Module, x: np.ndarray) -> np.ndarray:
    """x `(T, D)` after a layer normalisation, or as it is where the model has none."""
    return x if isinstance(norm, nn.Identity) else layer_norm(x, numbers(norm.weight), numbers(norm.bias), norm.eps)


def numbers(tensor: Tensor) -> np.ndarray:
    """A weight of the model as an array that shares its memory: not to be changed."""
    return tensor.detach().numpy()
