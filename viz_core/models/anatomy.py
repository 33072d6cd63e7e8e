"""The weights of a Transformer by what they do, whatever its modules are called: for whoever shows them, or what they make of a tensor that was recorded.

Shapes: L layers, H heads of queries, G of keys and values, D model width, d width of a head, E
width of the embeddings, F width of the feed-forward, C classes. All tensors are those of the model:
not to be changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from viz_core.models.protocol import AttentionKind

_ACTIVATIONS = {"relu": torch.relu, "gelu": F.gelu, "tanh": torch.tanh}


class Linear(NamedTuple):
    """weight: `(out, in)`.

    Attributes:
        bias: `(out,)`, None without one.
    """

    weight: Tensor
    bias: Tensor | None = None

    @classmethod
    def of(cls, module: nn.Module) -> Linear:
        linear = cast(nn.Linear, module)
        return cls(linear.weight, linear.bias)

    def __call__(self, x: Tensor) -> Tensor:
        """`(…, in)` -> `(…, out)`."""
        return F.linear(x, self.weight, self.bias)

    def rows(self, rows: slice) -> Linear:
        """Some of what comes out."""
        return Linear(self.weight[rows], None if self.bias is None else self.bias[rows])


class Norm(NamedTuple):
    """A layer normalisation (Ba et al. 2016).

    Attributes:
        weight: `(D,)`.
        bias: `(D,)`, None without one.
        centred: False if it divides by the root mean square alone (Zhang and Sennrich 2019).
    """

    weight: Tensor
    bias: Tensor | None
    epsilon: float
    centred: bool = True

    @classmethod
    def of(cls, module: nn.Module) -> Norm | None:
        """None of a module that normalises nothing."""
        return cls(module.weight, module.bias, module.eps) if isinstance(module, nn.LayerNorm) else None

    def __call__(self, x: Tensor) -> Tensor:
        """`(…, D)` -> `(…, D)`."""
        if self.centred:
            return F.layer_norm(x, self.weight.shape, self.weight, self.bias, self.epsilon)
        return F.rms_norm(x, self.weight.shape, self.weight, self.epsilon)


class AttentionParts(NamedTuple):
    """query `(H d, D)`, key and value `(G d, D)`, output `(D, H d)`.

    Attributes:
        norm: Before the attention, or after the residual addition.
        position_bias: `(…, H)`, what is added to the scores, by distance.
    """

    norm: Norm | None
    query: Linear
    key: Linear
    value: Linear
    output: Linear
    position_bias: Tensor | None = None


class FeedForwardParts(NamedTuple):
    """hidden `(F, D)`, output `(D, F)`; gate `(F, D)` of a gated one, which multiplies.

    Attributes:
        norm: As above.
    """

    norm: Norm | None
    hidden: Linear
    output: Linear
    gate: Linear | None = None


class LayerParts(NamedTuple):
    """attentions: by kind, in their order."""

    attentions: Mapping[AttentionKind, AttentionParts]
    feedforward: FeedForwardParts


@dataclass(frozen=True)
class Stack:
    """Layers that follow one another, and what is before and after them.

    Attributes:
        embeddings: The tables `(…, E)` of what is added up, by the names of hook points (`token`,
            `position`, `segment`, `overlap`), rows in the order of ids, positions from 0, and
            segments.
        mapping: `(D, E)`, of narrower embeddings.
        convolution: Of a stem, weight `(D, D, 3)`.
        final_norm: Pre-norm only.
    """

    embeddings: Mapping[str, Tensor]
    layers: Sequence[LayerParts]
    embedding_norm: Norm | None = None
    mapping: Linear | None = None
    convolution: Linear | None = None
    stem_norm: Norm | None = None
    final_norm: Norm | None = None


@dataclass(frozen=True)
class Anatomy:
    """encoder, decoder: the stacks, of which a model has one or both.

    Attributes:
        norm: Before each sub-layer, or after each residual addition.
        activation: `relu`, `gelu`, `gelu_tanh` (its approximation) or `silu`.
        positions: Empty if nothing is added for them.
        pooling: What the classifier reads, `last` of a model that predicts the next token; None of
            an encoder with a decoder.
        classifier: `(C, D)`, the output layer of a model that predicts tokens; None without one.
        classifier_hidden: `(D, D)`, before it, with its activation `relu`, `gelu` or `tanh`.
    """

    heads: int
    key_heads: int
    norm: Literal["pre", "post"]
    activation: str
    positions: Literal["learned", "sinusoidal", ""]
    pooling: Literal["cls", "mean", "last"] | None
    encoder: Stack | None
    decoder: Stack | None = None
    classifier: Linear | None = None
    classifier_hidden: Linear | None = None
    classifier_activation: str = ""

    def stack(self, kind: AttentionKind) -> Stack:
        """The stack that has this kind of attention.

        Raises:
            KeyError: If there is none.
        """
        stack = self.encoder if kind == "self" else self.decoder
        if stack is None:
            raise KeyError(kind)
        return stack

    @property
    def width(self) -> int:
        """D."""
        attention = next(iter((self.encoder or self.stack("causal")).layers[0].attentions.values()))
        return len(attention.query.weight) // self.heads

    def classify(self, pooled: Tensor) -> Tensor:
        """`(…, D)` -> logits `(…, C)`. Raises ValueError without a classifier."""
        if self.classifier is None:
            raise ValueError("the model has no classifier")
        if self.classifier_hidden is not None:
            pooled = _ACTIVATIONS[self.classifier_activation](self.classifier_hidden(pooled))
        return self.classifier(pooled)
