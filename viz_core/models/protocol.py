"""Interfaces that models implement, whatever their architecture; docs/architecture.md lists them in a table.

Shapes: B batch, L layers, H heads, T tokens, D model width, d width of a head, C classes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, Self, TypeGuard, TypeVar, runtime_checkable

from torch import Tensor, nn

Network = Any  # an `nn.Module` that implements `Model` or `SequenceToSequence`: no type expresses both at once
AttentionKind = Literal["self", "causal", "cross"]

# Points outside the layers, then those of each layer, in the order in which they are called.
OutsideName = Literal[
    "token",
    "position",
    "segment",
    "overlap",
    "embedding_sum",
    "embedding",
    "convolved",
    "stem",
    "final",
    "pooled",
    "classifier_hidden",
    "classifier_activated",
    "uncapped",
    "logits",
]
LayerName = Literal[
    "residual_before",
    "rotation",
    "attention_input",
    "unnormed_queries",
    "unrotated_queries",
    "unnormed_keys",
    "unrotated_keys",
    "queries",
    "keys",
    "values",
    "bias",
    "scaled",
    "scores",
    "weights",
    "context",
    "head_outputs",
    "attention_output",
    "attention_normed",
    "attention_sum",
    "residual_middle",
    "feedforward_input",
    "feedforward_gate",
    "feedforward_hidden",
    "feedforward_activated",
    "feedforward_output",
    "feedforward_normed",
    "feedforward_sum",
    "residual_after",
]
PointName = OutsideName | LayerName


class HookPoint(NamedTuple):
    """A tensor of a forward pass that a hook can see and replace.

    Shapes, with S keys, G heads of keys and values (H, or fewer that several query heads share), E
    width of the embeddings (D, or narrower before a mapping), F width of the feed-forward:

        token, position,        (B, T, E)     the embeddings that are added up, as far as a model has them; position
        segment, overlap                      may be (1, T, E)
        embedding_sum           (B, T, E)     their sum
        embedding               (B, T, E)     the result of `Model.embed`: normalised, if the model does so
        convolved               (B, T, D)     what the convolution of a stem adds, after its ReLU
        stem                    (B, T, D)     after a stem, or after the mapping of narrower embeddings

        residual_before         (B, T, D)     what the layer reads
        rotation                (B, 2, T, r)  cosine and sine by which each position rotates the first r ≤ d numbers of
                                              queries and keys (Su et al. 2021, https://arxiv.org/abs/2104.09864,
                                              section 3.4.2); not in layers that rotate none
        attention_input         (B, T, D)     what queries (and keys and values, except in cross-attention) are
                                              computed from: the residual stream, normalised if pre-norm
        unnormed_queries        (B, H, T, d)  what the query matrix gives, if each head normalises its queries and keys
        unrotated_queries       (B, H, T, d)  the queries before their rotation, if positions are rotary
        unnormed_keys           (B, G, S, d)  likewise, of the keys
        unrotated_keys          (B, G, S, d)  likewise
        queries                 (B, H, T, d)  as scores are computed from them: unscaled, after a rotary embedding
        keys, values            (B, H, S, d)  likewise; repeated where several heads share them; those of the source
                                              in cross-attention
        bias                    (1, H, T, S)  what a model adds to its scaled scores for the distance
        scaled                  (B, H, T, S)  products of queries and keys, scaled
        scores                  (B, H, T, S)  the same, bounded by a cap if the model has one, with the bias, before the
                                              mask
        weights                 (B, H, T, S)  after mask and softmax; row = query, column = key
        context                 (B, H, T, d)  the weighted sum of the values
        head_outputs            (B, H, T, D)  what each head adds through its columns of the output projection
        attention_output        (B, T, D)     their sum plus the bias: what is added to the residual stream, unless
        attention_normed        (B, T, D)     it is normalised before
        attention_sum           (B, T, D)     post-norm only: after the addition, before the normalisation
        residual_middle         (B, T, D)     the residual stream after this attention; not where attention and
                                              feed-forward are added together
        feedforward_input       (B, T, D)     the residual stream, normalised if pre-norm
        feedforward_gate        (B, T, F)     gated feed-forward only: what the activation reads
        feedforward_hidden      (B, T, F)     before the activation; if gated, the factor of the activated gate
        feedforward_activated   (B, T, F)     what the second linear layer reads
        feedforward_output      (B, T, D)     what is added to the residual stream, unless
        feedforward_normed      (B, T, D)     it is normalised before
        feedforward_sum         (B, T, D)     post-norm only: after the addition, before the normalisation
        residual_after          (B, T, D)     what the layer returns: `residual_before` of the next

        final                   (B, T, D)     the result of `encode`: after the last layer, normalised in a pre-norm
                                              model; what cross-attention reads of the source
        pooled                  (B, D)        what a classifier reads
        classifier_hidden       (B, D)        the hidden layer of a classifier, before its activation
        classifier_activated    (B, D)        after it
        uncapped                (B, 1, C)     logits of the last token before a cap bounds them, if the model has one
        logits                                as in `Output`

    Each point is called once in a pass, in this order, keys before queries in some models; the same
    tensor may be at two points, and points that a model lacks are not called. Outputs are seen before
    dropout. In step-by-step decoding T counts the new tokens, while keys and values are those of all
    S tokens and are shown
    again at every step: the state keeps what the model computed, not what a hook made of it.

    Attributes:
        name: As in the table.
        layer: From 0; -1 outside the layers.
        kind: Kind of attention. A point that belongs to no attention has the kind of its stack:
            `self` in an encoder or a baseline, `causal` in a decoder, including its logits. `cross`
            has only the points from `attention_input` to `residual_middle`.
    """

    name: PointName
    layer: int = -1
    kind: AttentionKind = "self"


Points = Collection[PointName | HookPoint]  # a name stands for its points of all layers and kinds


@dataclass(frozen=True)
class Hook:
    """A function called at some points of a forward pass, which may replace their tensors.

    Attributes:
        change: Maps point and tensor to the tensor to use instead. If it returns the same tensor,
            the pass goes on exactly as without the hook; only `weights` may be changed in place.
        points: Where it is called.
    """

    change: Callable[[HookPoint, Tensor], Tensor]
    points: Points

    def wants(self, point: HookPoint) -> bool:
        """Whether the hook is called at this point."""
        return point.name in self.points or point in self.points

    def __call__(self, point: HookPoint, tensor: Tensor) -> Tensor:
        """Return the tensor to go on with."""
        return self.change(point, tensor) if self.wants(point) else tensor


class HookCaller(NamedTuple):
    """Calls a hook, if there is one, from a fixed place in a model.

    Attributes:
        hook: None if nothing is to be called.
        layer: From 0; -1 outside the layers.
        kind: Kind of attention.
    """

    hook: Hook | None = None
    layer: int = -1
    kind: AttentionKind = "self"

    def __call__(self, name: PointName, tensor: Tensor) -> Tensor:
        """Call the hook at this point, and return the tensor to go on with."""
        return tensor if self.hook is None else self.hook(HookPoint(name, self.layer, self.kind), tensor)

    def wants(self, *names: PointName) -> bool:
        """Whether the hook is called at one of these points; if not, tensors needed only by it are not computed."""
        hook = self.hook
        return hook is not None and any(hook.wants(HookPoint(name, self.layer, self.kind)) for name in names)


NO_HOOK = HookCaller()


def on_weights(change: Callable[[int, Tensor], Tensor]) -> Hook:
    """Return a hook that changes only the attention weights.

    Args:
        change: Maps layer number and weights to the weights to use instead.
    """
    return Hook(lambda point, weights: change(point.layer, weights), {"weights"})


class Output(NamedTuple):
    """Output of a model.

    Attributes:
        logits: `(B, C)`; for an encoder-decoder `(B, T, C)`, of the token after each target token.
        attention: Weights as used, by kind; empty unless requested. Self is `(L, B, H, T, T)`; for
            an encoder-decoder with S source tokens, self is `(L, B, H, S, S)`, causal
            `(L, B, H, T, T)` and cross `(L, B, H, T, S)`.
    """

    logits: Tensor
    attention: Mapping[AttentionKind, Tensor]

    @property
    def own(self) -> Tensor:
        """Self-attention or causal attention `(L, B, H, T, T)`.

        Raises:
            KeyError: If there is neither.
        """
        return self.attention["self"] if "self" in self.attention else self.attention["causal"]


@runtime_checkable
class ModelConfig(Protocol):
    """The sizes of a model: a frozen dataclass.

    Attributes:
        vocabulary: Number of token ids.
        max_tokens: Length of the longest text, in tokens.
        classes: C, the number of logits.
        layers: With attention; 0 for a model without attention.
        heads: Per layer; 0 for a model without attention.
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def vocabulary(self) -> int:
        """Number of token ids."""

    @property
    def max_tokens(self) -> int:
        """Length of the longest text, in tokens."""

    @property
    def classes(self) -> int:
        """Number of logits."""

    @property
    def layers(self) -> int:
        """Number of layers with attention."""

    @property
    def heads(self) -> int:
        """Number of attention heads per layer."""

    def parameters(self) -> int:
        """Number of trainable parameters."""


@runtime_checkable
class TrainableConfig(ModelConfig, Protocol):
    """Configuration of a model that can be trained here: saved with the weights, and sufficient to rebuild it."""

    def activations(self, tokens: int, fused: bool = False) -> int:
        """Numbers saved for the backward pass, for one text of `tokens` tokens.

        Args:
            tokens: Length of the text.
            fused: Whether attention is a single kernel even with dropout, as on a GPU.
        """

    def operations(self, tokens: float) -> float:
        """Floating-point operations of a training step with one text of `tokens` tokens."""

    def shrink(self, most_parameters: int) -> TrainableConfig:
        """Return a smaller config of the same kind, whose step can be timed instead, or itself if small enough."""


@runtime_checkable
class ClassifierConfig(ModelConfig, Protocol):
    """The sizes of a classifier.

    Attributes:
        pooling: What the classifier reads: `cls`, `mean` or, to predict the next token, `last`.
    """

    @property
    def pooling(self) -> str:
        """What the classifier reads: `cls`, `mean` or `last`."""


@runtime_checkable
class Model(Protocol):
    """A classifier of token ids: an `nn.Module` with what explanations, analyses, evidence and training need.

    A model may also have:

    - `fit(texts)`, called once with the ids of the training texts before the first step;
    - `can_be_graphed`, False if its forward pass waits for the device;
    - `blank`, the id of its [PAD], if that is not 0;
    - `contributions(ids, segments, mask)`, `(B, T, C)`, if its logits are the sum of what each token
      adds to them, plus a bias;
    - `anatomy`, an `anatomy.Anatomy`, for a Transformer;
    - `read_out`, an `anatomy.ReadOut`, or None where its parts are not simply added up;
    - `can_defer`, True if it has `deferred(ids, segments, mask, hook)`, which computes the logits, and for
      each text what its attention weights can be computed from later, one head at a time
      (`records.DeferredWeights`);
    - `output_projections`, by kind of attention the matrix `(D, D)` of each layer that maps the
      outputs of its heads, side by side, into the residual stream (outputs first, as in
      `nn.Linear`).

    Attributes:
        attention_kinds: Empty for a model without attention.
        config: Sizes of the model.
        token_embedding: `(vocabulary, D)`.
    """

    @property
    def attention_kinds(self) -> tuple[AttentionKind, ...]:
        """Kinds of attention; empty for a model without attention."""

    @property
    def config(self) -> ClassifierConfig:
        """Sizes of the model."""

    @property
    def token_embedding(self) -> nn.Embedding:
        """Token embeddings, `(vocabulary, D)`."""

    def __call__(
        self, ids: Tensor, segments: Tensor, mask: Tensor, need_attention: bool = False, hook: Hook | None = None
    ) -> Output:
        """Compute logits and, if requested, attention.

        Args:
            ids: `(B, T)` int64.
            segments: `(B, T)` int64.
            mask: `(B, T)` bool, True for real tokens.
            need_attention: Whether to return attention weights.
            hook: Called at its points of the pass.
        """

    def embed(self, ids: Tensor, segments: Tensor, mask: Tensor, hook: Hook | None = None) -> Tensor:
        """Compute the input of the first layer, `(B, T, D)`."""

    def from_embeddings(
        self, x: Tensor, mask: Tensor, need_attention: bool = False, hook: Hook | None = None
    ) -> Output:
        """Compute the output from the result of `embed`, for attribution by gradients."""

    def encode(self, ids: Tensor, segments: Tensor, mask: Tensor, hook: Hook | None = None) -> Tensor:
        """Compute the output of the last layer, `(B, T, D)`."""


class State(Protocol):
    """State of a generator for N sequences."""

    def at(self, rows: Tensor) -> Self:
        """Select sequences, which may repeat."""


S = TypeVar("S", bound=State)


@runtime_checkable
class Generator(Protocol[S]):
    """A model that writes token ids one by one: all that decoding needs.

    A model may also have `special_ids` (`decoding.Vocabulary`), if they differ from those of our
    tokenizers.
    """

    @property
    def config(self) -> ModelConfig:
        """Sizes of the model."""

    def start(self, ids: Tensor, mask: Tensor, hook: Hook | None = None) -> S:
        """Return the state before the first token is written.

        Args:
            ids: `(B, S)` int64, what is read first: the source, or the beginning of a text. S may be
                0 for a model without a source.
            mask: `(B, S)` bool.
            hook: Called at its points of the pass.
        """

    def advance(self, state: S, tokens: Tensor, hook: Hook | None = None) -> tuple[Tensor, S]:
        """Take the next token of each sequence, `(B,)`; return the logits after it, `(B, C)`, and the state."""


@runtime_checkable
class LanguageModel(Generator[S], Protocol[S]):
    """A model that continues a text: a `Generator` without a source, which also reads many tokens at once."""

    def read(self, state: S, ids: Tensor, need_attention: bool = False, hook: Hook | None = None) -> tuple[Output, S]:
        """Read further tokens of each text, `(B, T)`, after the S tokens of the state.

        Returns:
            Logits `(B, T, C)` after each of them and, if requested, the causal attention of each of
            them, `(L, B, H, T, S + T)`; and the state after them.
        """


@runtime_checkable
class SequenceToSequence(Generator[S], Protocol[S]):
    """A model from token ids to token ids: an `nn.Module` with what training and decoding need.

    A model may also have `output_projections`, as in `Model`.
    """

    @property
    def attention_kinds(self) -> tuple[AttentionKind, ...]:
        """Kinds of attention."""

    def __call__(
        self,
        source: Tensor,
        source_mask: Tensor,
        target: Tensor,
        need_attention: bool = False,
        hook: Hook | None = None,
    ) -> Output:
        """Compute the logits of the token after each target token and, if requested, attention.

        Args:
            source: `(B, S)` int64.
            source_mask: `(B, S)` bool.
            target: `(B, T)` int64.
            need_attention: Whether to return attention weights.
            hook: Called at its points of the pass.
        """

    def encode(
        self, source: Tensor, mask: Tensor, need_attention: bool = False, hook: Hook | None = None
    ) -> tuple[Tensor, Tensor | None]:
        """Encode the source: `(B, S, D)` and, if requested, self-attention `(L, B, H, S, S)`."""


def reads_source(model: object) -> TypeGuard[SequenceToSequence]:
    """Whether a model writes a target for a source: methods alone do not tell it from a language model."""
    return isinstance(model, SequenceToSequence) and "cross" in model.attention_kinds
