"""The weights of a Transformer by function, independent of how its modules are named.

Used to show the weights, and to apply them to recorded tensors. All tensors are the model's own and
must not be changed.

Shapes: L layers, H query heads, G key and value heads, D model width, d width of a head, E width of
the embeddings, F width of the feed-forward, C classes.
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
    """A linear map.

    Attributes:
        weight: `(out, in)`; `(H, d, in)` where it is part of a matrix that has the heads of several maps
            in turn (`rows` flattens it: of one head, so that the whole is not copied).
        bias: `(out,)`, or None without a bias; likewise `(H, d)`.
    """

    weight: Tensor
    bias: Tensor | None = None

    @classmethod
    def of(cls, module: nn.Module) -> Linear:
        """Take weight and bias from an `nn.Linear`."""
        linear = cast(nn.Linear, module)
        return cls(linear.weight, linear.bias)

    def __call__(self, x: Tensor) -> Tensor:
        """Map `(…, in)` to `(…, out)`."""
        return F.linear(x, *self.rows(slice(None)))

    def rows(self, rows: slice) -> Linear:
        """Keep only these output rows."""
        weight = self.weight.flatten(0, -2)
        return Linear(weight[rows], None if self.bias is None else self.bias.flatten()[rows])

    @property
    def outputs(self) -> int:
        """Number of outputs."""
        return self.weight[..., 0].numel()


class Norm(NamedTuple):
    """A layer normalisation (Ba et al. 2016).

    Attributes:
        weight: `(D,)`, or None without a weight (OLMo).
        bias: `(D,)`, or None without a bias.
        epsilon: Added to the variance.
        centred: False for RMSNorm, which subtracts no mean (Zhang and Sennrich 2019).
    """

    weight: Tensor | None
    bias: Tensor | None
    epsilon: float
    centred: bool = True

    @property
    def width(self) -> int | None:
        """D, if it has a weight."""
        return None if self.weight is None else len(self.weight)

    @classmethod
    def of(cls, module: nn.Module) -> Norm | None:
        """Take the parameters of an `nn.LayerNorm`; None for any other module."""
        return cls(module.weight, module.bias, module.eps) if isinstance(module, nn.LayerNorm) else None

    def __call__(self, x: Tensor) -> Tensor:
        """Normalise `(…, D)`."""
        if self.centred:
            return F.layer_norm(x, x.shape[-1:], self.weight, self.bias, self.epsilon)
        return F.rms_norm(x, x.shape[-1:], self.weight, self.epsilon)


@dataclass(frozen=True)
class ReadOut:
    """What maps the end of a residual stream to logits, of a model whose parts are added up to that end.

    Attributes:
        norm: The last normalisation, of `(…, D)`: a layer normalisation or RMSNorm.
        output: `(C, D)`.
    """

    norm: Norm | nn.Module
    output: Linear

    def directions(self, x: Tensor, row: Tensor) -> Tensor:
        """Directions `(N, D)` whose scalar product with a part of `x` is what that part adds to a logit.

        The normalisation is taken as it scales the whole of `x` (Elhage et al. 2021, "A Mathematical
        Framework for Transformer Circuits", https://transformer-circuits.pub/2021/framework): so the
        parts of `x`, whatever they are, add up to what `x` gives, but for the biases.

        Args:
            x: `(N, D)`.
            row: `(D,)`, of the output layer, or a difference of two.
        """
        zero, signs = torch.zeros_like(x[:1]), torch.ones_like(x[:1])
        signs[:, 1::2] = -1  # of variance 1 and mean 0: its normalisation is the weight, but for a factor
        weight = (self.norm(signs) - self.norm(zero)) * signs
        is_centred = bool((self.norm(torch.ones_like(zero)) - self.norm(zero)).abs().max() < 1e-4 * weight.abs().max())
        unscaled = weight * (x - x.mean(-1, keepdim=True) if is_centred else x)
        normed = self.norm(x) - self.norm(zero)
        scale = (normed * unscaled).sum(-1, keepdim=True) / unscaled.square().sum(-1, keepdim=True)
        directions = row * weight * scale
        return directions - directions.mean(-1, keepdim=True) if is_centred else directions

    def logits(self, x: Tensor) -> Tensor:
        """Logits `(…, C)` of the end of a residual stream, `(…, D)`."""
        return self.output(self.norm(x))


class ScoreRule(NamedTuple):
    """What becomes of the products of queries and keys before softmax.

    Attributes:
        divisor: They are divided by its root; None if that is d.
        cap: Bounds them to c tanh(x / c) (Gemma 2, https://arxiv.org/abs/2408.00118, section 2).
        sliding_window: Number of the last keys, its own included, that a query can attend to (Child et
            al. 2019, https://arxiv.org/abs/1904.10509; Mistral); None if all.
    """

    divisor: float | None = None
    cap: float | None = None
    sliding_window: int | None = None


class AttentionParts(NamedTuple):
    """The weights of an attention.

    Attributes:
        norm: Before the attention (pre-norm), or after the residual addition (post-norm).
        query: `(H d, D)`.
        key: `(G d, D)`.
        value: `(G d, D)`.
        output: `(D, H d)`.
        position_bias: `(…, H)`, added to the scores by distance.
        query_norm: `(d,)`, of the query of each head, or `(H d,)`, of the queries of all heads together
            (OLMo 2); None for most models.
        key_norm: The same of its key, `(d,)` or `(G d,)`.
        output_norm: Of what the attention adds to the residual stream; None for most models.
        rule: What becomes of the scores.
    """

    norm: Norm | None
    query: Linear
    key: Linear
    value: Linear
    output: Linear
    position_bias: Tensor | None = None
    query_norm: Norm | None = None
    key_norm: Norm | None = None
    output_norm: Norm | None = None
    rule: ScoreRule = ScoreRule()


class FeedForwardParts(NamedTuple):
    """The weights of a feed-forward sub-layer.

    Attributes:
        norm: Before the sub-layer (pre-norm), or after the residual addition (post-norm).
        hidden: `(F, D)`.
        output: `(D, F)`.
        gate: `(F, D)`, which the activation reads in a gated sub-layer, where its result is a factor
            of the hidden units (Shazeer 2020, https://arxiv.org/abs/2002.05202, section 2); else None.
        output_norm: Of what the sub-layer adds to the residual stream; None for most models.
    """

    norm: Norm | None
    hidden: Linear
    output: Linear
    gate: Linear | None = None
    output_norm: Norm | None = None


class LayerParts(NamedTuple):
    """The weights of a layer.

    Attributes:
        attentions: By kind, in the order in which they are computed.
        feedforward: The feed-forward sub-layer.
    """

    attentions: Mapping[AttentionKind, AttentionParts]
    feedforward: FeedForwardParts


@dataclass(frozen=True)
class Stack:
    """A stack of layers, with the modules before and after them.

    Attributes:
        embeddings: Tables `(…, E)` whose rows are summed, by hook point (`token`, `position`,
            `segment`, `overlap`); rows are in the order of ids, positions from 0, and segments.
        layers: In order.
        embedding_scale: Factor of the token embeddings.
        embedding_norm: Normalises the sum of the embeddings; None without one.
        mapping: `(D, E)`, from embeddings narrower than the model; None without one.
        convolution: Of a stem, with weight `(D, D, 3)`; None without a stem.
        stem_norm: Of a stem; None without a stem.
        final_norm: After the last layer of a pre-norm stack; None without one.
    """

    embeddings: Mapping[str, Tensor]
    layers: Sequence[LayerParts]
    embedding_scale: float = 1.0
    embedding_norm: Norm | None = None
    mapping: Linear | None = None
    convolution: Linear | None = None
    stem_norm: Norm | None = None
    final_norm: Norm | None = None


@dataclass(frozen=True)
class Anatomy:
    """The weights of a Transformer, and the choices needed to apply them.

    Attributes:
        heads: H.
        key_heads: G.
        norm: Before each sub-layer, or of what it adds (`pre`), or after each residual addition (`post`).
        activation: `relu`, `gelu`, `gelu_tanh` (the tanh approximation) or `silu`.
        positions: `learned` or `sinusoidal` embeddings that are added, or `rotary`: queries and keys
            are rotated instead; empty if there is neither.
        pooling: What the classifier reads: `last` for a model that predicts the next token; None
            for an encoder-decoder.
        encoder: The encoder; None for a decoder-only model.
        decoder: The decoder; None for an encoder-only model.
        classifier: `(C, D)`, the output layer if the model predicts tokens; None without one.
        classifier_hidden: `(D, D)`, a hidden layer before the classifier; None without one.
        classifier_activation: Of that layer: `relu`, `gelu` or `tanh`.
        parallel: Whether attention and feed-forward read the same residual stream, and are added to it
            together.
        logit_cap: Bounds the logits to c tanh(x / c); None if they are not bounded.
    """

    heads: int
    key_heads: int
    norm: Literal["pre", "post"]
    activation: str
    positions: Literal["learned", "sinusoidal", "rotary", ""]
    pooling: Literal["cls", "mean", "last"] | None
    encoder: Stack | None
    decoder: Stack | None = None
    classifier: Linear | None = None
    classifier_hidden: Linear | None = None
    classifier_activation: str = ""
    parallel: bool = False
    logit_cap: float | None = None

    def stack(self, kind: AttentionKind) -> Stack:
        """Return the stack with this kind of attention.

        Raises:
            KeyError: If the model has no such stack.
        """
        stack = self.encoder if kind == "self" else self.decoder
        if stack is None:
            raise KeyError(kind)
        return stack

    def rule(self, kind: AttentionKind, layer: int) -> ScoreRule:
        """Return what becomes of the scores of a layer, with the number by whose root they are divided."""
        rule = self.stack(kind).layers[layer].attentions[kind].rule
        return rule._replace(divisor=rule.divisor or self.width)

    @property
    def width(self) -> int:
        """Width d of a head."""
        attention = next(iter((self.encoder or self.stack("causal")).layers[0].attentions.values()))
        return attention.query.outputs // self.heads

    @property
    def read_out(self) -> ReadOut | None:
        """None where the residual stream is normalised on the way, or a hidden layer comes before the logits."""
        norm = self.stack("causal" if self.decoder else "self").final_norm
        if self.norm == "post" or self.pooling is None or self.classifier is None or self.classifier_hidden:
            return None
        return ReadOut(norm, self.classifier) if norm else None

    def classify(self, pooled: Tensor) -> Tensor:
        """Map pooled vectors `(…, D)` to logits `(…, C)`.

        Raises:
            ValueError: If the model has no classifier.
        """
        if self.classifier is None:
            raise ValueError("the model has no classifier: read its pooled vectors instead")
        if self.classifier_hidden is not None:
            pooled = _ACTIVATIONS[self.classifier_activation](self.classifier_hidden(pooled))
        return self.classifier(pooled)
