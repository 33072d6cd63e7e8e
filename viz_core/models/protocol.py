"""What the rest of the project needs of a model, whatever its architecture; docs/architecture.md has it as a table.

Shapes: B batch, L layers, H heads, T tokens, D model width, d width of a head, C classes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, Self, TypeVar, runtime_checkable

from torch import Tensor, nn

Network = Any  # an `nn.Module` that implements `Model` or `SequenceToSequence`: no type says that it is both
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
    "logits",
]
LayerName = Literal[
    "residual_before",
    "attention_input",
    "queries",
    "keys",
    "values",
    "bias",
    "scores",
    "weights",
    "context",
    "head_outputs",
    "attention_output",
    "attention_sum",
    "residual_middle",
    "feedforward_input",
    "feedforward_hidden",
    "feedforward_activated",
    "feedforward_output",
    "feedforward_sum",
    "residual_after",
]
PointName = OutsideName | LayerName


class HookPoint(NamedTuple):
    """A tensor of a forward pass that a hook can see and replace.

        token, position,        (B, T, E)     the embeddings that are added up, those that a model has; position also
        segment, overlap                      (1, T, E)
        embedding_sum           (B, T, E)     their sum
        embedding               (B, T, E)     the result of `Model.embed`: normalised, if the model does so
        convolved               (B, T, D)     what the convolution of a stem adds, after its ReLU
        stem                    (B, T, D)     after a stem, or after the mapping of narrower embeddings

        residual_before         (B, T, D)     what the layer reads
        attention_input         (B, T, D)     what queries (and keys and values, except in cross-attention) are
                                              computed from: pre-norm the normalised residual stream, post-norm itself
        queries                 (B, H, T, d)  as scores are computed from them: unscaled, after a rotary embedding
        keys, values            (B, H, S, d)  likewise; repeated where several heads share them; in cross-attention
                                              of the source
        bias                    (1, H, T, S)  what a model adds to its scaled scores for the distance
        scores                  (B, H, T, S)  scaled, with the bias, before the mask
        weights                 (B, H, T, S)  after mask and softmax; row = query, column = key
        context                 (B, H, T, d)  the weighted sum of the values
        head_outputs            (B, H, T, D)  what each head adds through its columns of the output projection
        attention_output        (B, T, D)     their sum and its bias: what is added to the residual stream
        attention_sum           (B, T, D)     post-norm only: after the addition, before the normalisation
        residual_middle         (B, T, D)     the residual stream after this attention
        feedforward_input       (B, T, D)     pre-norm the normalised residual stream, post-norm itself
        feedforward_hidden      (B, T, F)     before the activation; of a gated one the gate
        feedforward_activated   (B, T, F)     what the second linear layer reads
        feedforward_output      (B, T, D)     what is added to the residual stream
        feedforward_sum         (B, T, D)     post-norm only: after the addition, before the normalisation
        residual_after          (B, T, D)     what the layer returns: `residual_before` of the next

        final                   (B, T, D)     the result of `encode`: after the last layer, normalised in a pre-norm
                                              model; what cross-attention reads of the source
        pooled                  (B, D)        what a classifier reads
        classifier_hidden       (B, D)        of a classifier with a hidden layer, before its activation
        classifier_activated    (B, D)        after it
        logits                                as in `Output`

    A point is called once in a pass, in this order, and the same tensor may be at two points; what
    a model has not is not called. Outputs are seen before dropout. Decoding step by step, T are the
    new tokens; keys and values are those of all S tokens, at every step anew: stored is what the
    model computed, not what a hook made of it.

    Attributes:
        layer: From 0; -1 outside the layers.
        kind: Of the attention; of what belongs to no attention, that of its stack: `self` of an
            encoder (and of a baseline), `causal` of a decoder, whose logits they are. `cross` has
            only the points from `attention_input` to `residual_middle`. Shapes, with S keys, E
            width of the embeddings (D, or narrower before a mapping), F width of the feed-forward:
    """

    name: PointName
    layer: int = -1
    kind: AttentionKind = "self"


Points = Collection[PointName | HookPoint]  # a name stands for its points of all layers and kinds


@dataclass(frozen=True)
class Hook:
    """What is done at some points of a forward pass; at all others the pass is as without it.

    Attributes:
        change: Point and tensor -> the tensor to use instead. If it is the same one the pass goes
            on exactly as without the hook; only `weights` may be changed in place.
        points: Where it is called.
    """

    change: Callable[[HookPoint, Tensor], Tensor]
    points: Points

    def wants(self, point: HookPoint) -> bool:
        return point.name in self.points or point in self.points

    def __call__(self, point: HookPoint, tensor: Tensor) -> Tensor:
        return self.change(point, tensor) if self.wants(point) else tensor


class HookCaller(NamedTuple):
    """Where in a model a hook, or none, is called: a layer, or -1 outside the layers, and the kind of attention."""

    hook: Hook | None = None
    layer: int = -1
    kind: AttentionKind = "self"

    def __call__(self, name: PointName, tensor: Tensor) -> Tensor:
        """The tensor to go on with."""
        return tensor if self.hook is None else self.hook(HookPoint(name, self.layer, self.kind), tensor)

    def wants(self, *names: PointName) -> bool:
        """Whether the hook is called for one of these: what nothing else needs is only then computed."""
        hook = self.hook
        return hook is not None and any(hook.wants(HookPoint(name, self.layer, self.kind)) for name in names)


NO_HOOK = HookCaller()


def on_weights(change: Callable[[int, Tensor], Tensor]) -> Hook:
    """A hook that changes only the weights.

    Args:
        change: Layer number and weights -> the weights to use instead.
    """
    return Hook(lambda point, weights: change(point.layer, weights), {"weights"})


class Output(NamedTuple):
    """logits: `(B, C)`; of an encoder with a decoder `(B, T, C)`, for the next token at each of T target tokens.

    Attributes:
        attention: Weights as used, by kind, empty unless requested: self `(L, B, H, T, T)`; with a
            decoder self `(L, B, H, S, S)`, causal `(L, B, H, T, T)` and cross `(L, B, H, T, S)`,
            for S source tokens.
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
        layers, heads: Of the attention, 0 without attention.
        classes: C, of the logits.
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def vocabulary(self) -> int: ...

    @property
    def max_tokens(self) -> int: ...

    @property
    def classes(self) -> int: ...

    @property
    def layers(self) -> int: ...

    @property
    def heads(self) -> int: ...

    def parameters(self) -> int:
        """Number of trainable parameters."""


@runtime_checkable
class TrainableConfig(ModelConfig, Protocol):
    """The configuration of a model that can be trained here: saved with the weights and sufficient to rebuild it."""

    def activations(self, tokens: int, fused: bool = False) -> int:
        """Numbers saved for the backward pass, for one text of `tokens` tokens.

        Args:
            fused: Attention is a single kernel even with dropout, as on a GPU.
        """

    def operations(self, tokens: float) -> float:
        """Floating-point operations of a training step with one text of `tokens` tokens."""

    def shrink(self, most_parameters: int) -> TrainableConfig:
        """A smaller config of the same kind, whose step can be timed instead; itself if it is small enough."""


@runtime_checkable
class ClassifierConfig(ModelConfig, Protocol):
    """The sizes of a classifier.

    Attributes:
        pooling: What it reads, `cls` or `mean`.
    """

    @property
    def pooling(self) -> str: ...


@runtime_checkable
class Model(Protocol):
    """A classifier of token ids: an `nn.Module` with what explanations, analyses, evidence and training need.

    Attributes:
        attention_kinds: Empty for a model without attention.
        token_embedding: `(vocabulary, D)`. A model may also have `fit(texts)`, called once with the
            ids of the training texts before the first step; `can_be_graphed`, False if its forward
            pass waits for the device; `blank`, the id of its [PAD], where that is not 0;
            `contributions(ids, segments, mask)`, `(B, T, C)`, if its logits are the sum of what
            each token adds to them, and a bias; `anatomy`, an `anatomy.Anatomy`, of a Transformer;
            and `output_projections`, by kind of attention the matrix `(D, D)` of each layer that
            maps the outputs of its heads, side by side, into the residual stream (as in
            `nn.Linear`, outputs first).
    """

    @property
    def attention_kinds(self) -> tuple[AttentionKind, ...]: ...

    @property
    def config(self) -> ClassifierConfig: ...

    @property
    def token_embedding(self) -> nn.Embedding: ...

    def __call__(
        self, ids: Tensor, segments: Tensor, mask: Tensor, need_attention: bool = False, hook: Hook | None = None
    ) -> Output:
        """ids, segments `(B, T)` int64, mask `(B, T)` bool, True for real tokens."""

    def embed(self, ids: Tensor, segments: Tensor, mask: Tensor, hook: Hook | None = None) -> Tensor:
        """What the first layer reads, `(B, T, D)`."""

    def from_embeddings(
        self, x: Tensor, mask: Tensor, need_attention: bool = False, hook: Hook | None = None
    ) -> Output:
        """As `__call__`, from the result of `embed`: for attribution by gradients."""

    def encode(self, ids: Tensor, segments: Tensor, mask: Tensor, hook: Hook | None = None) -> Tensor:
        """The last layer's output `(B, T, D)`."""


class State(Protocol):
    """What a generator has computed of N sequences so far."""

    def at(self, rows: Tensor) -> Self:
        """The state of some of the sequences, which may repeat."""


S = TypeVar("S", bound=State)


@runtime_checkable
class Generator(Protocol[S]):
    """A model that writes token ids one by one: all that decoding needs.

    A model may also have `special_ids` (`decoding.Vocabulary`), where they are not those of our
    tokenizers.
    """

    @property
    def config(self) -> ModelConfig: ...

    def start(self, ids: Tensor, mask: Tensor, hook: Hook | None = None) -> S:
        """The state before the first token that is written.

        ids `(B, S)` int64, mask `(B, S)` bool: what is read before, the source or the beginning of
        a text; S may be 0 for a model without a source.
        """

    def advance(self, state: S, tokens: Tensor, hook: Hook | None = None) -> tuple[Tensor, S]:
        """The next token of each sequence `(B,)` -> the logits after it `(B, C)`, and the state."""


@runtime_checkable
class SequenceToSequence(Generator[S], Protocol[S]):
    """A model from token ids to token ids: an `nn.Module` with what training and decoding need.

    A model may also have `output_projections`, as in `Model`.
    """

    @property
    def attention_kinds(self) -> tuple[AttentionKind, ...]: ...

    def __call__(
        self,
        source: Tensor,
        source_mask: Tensor,
        target: Tensor,
        need_attention: bool = False,
        hook: Hook | None = None,
    ) -> Output:
        """Source `(B, S)`, target `(B, T)` int64, source_mask `(B, S)` bool -> logits of the token after each target token."""

    def encode(
        self, source: Tensor, mask: Tensor, need_attention: bool = False, hook: Hook | None = None
    ) -> tuple[Tensor, Tensor | None]:
        """What is read of the source, `(B, S, D)`, and, if requested, self-attention `(L, B, H, S, S)`."""
