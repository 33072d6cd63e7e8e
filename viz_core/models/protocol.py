"""What the rest of the project needs of a model, whatever its architecture; docs/architecture.md has it as a table.

Shapes: B batch, L layers, H heads, T tokens, D model width, d width of a head, C classes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple, Protocol, Self, TypeVar, runtime_checkable

from torch import Tensor, nn

AttentionKind = Literal["self", "causal", "cross"]


class HookPoint(NamedTuple):
    """Where a hook is called. layer: number, from 0. attention: its kind.

    tensor: what the hook receives and returns, changed or not: `scores` `(B, H, T, T)`, scaled, before mask and
    softmax; `weights` `(B, H, T, T)`, row = query, column = key; `values` `(B, H, T, d)`. `bias` `(1, H, T, T)`, before
    `scores`, which contain it: only of models that add one for the distance between query and key.
    """

    layer: int
    attention: AttentionKind
    tensor: Literal["bias", "scores", "weights", "values"]


Hook = Callable[[HookPoint, Tensor], Tensor]


def on_weights(change: Callable[[int, Tensor], Tensor]) -> Hook:
    """A hook that changes only the weights. change: layer number and weights -> the weights to use instead."""

    def hook(point: HookPoint, tensor: Tensor) -> Tensor:
        return change(point.layer, tensor) if point.tensor == "weights" else tensor

    return hook


class Output(NamedTuple):
    """logits: `(B, C)`; of an encoder with a decoder `(B, T, C)`, for the next token at each of T target tokens.

    attention: weights as used, by kind, empty unless requested: self `(L, B, H, T, T)`; with a decoder self
    `(L, B, H, S, S)`, causal `(L, B, H, T, T)` and cross `(L, B, H, T, S)`, for S source tokens.
    """

    logits: Tensor
    attention: Mapping[AttentionKind, Tensor]

    @property
    def own(self) -> Tensor:
        """Self-attention or causal attention `(L, B, H, T, T)`. Raises KeyError if there is neither."""
        return self.attention["self"] if "self" in self.attention else self.attention["causal"]


@runtime_checkable
class ModelConfig(Protocol):
    """The configuration of a model: a frozen dataclass, saved with the weights and sufficient to rebuild it.

    layers, heads: of the attention, 0 without attention. classes: C, of the logits.
    """

    vocabulary: int
    max_tokens: int

    @property
    def classes(self) -> int: ...

    @property
    def layers(self) -> int: ...

    @property
    def heads(self) -> int: ...

    def parameters(self) -> int:
        """Number of trainable parameters."""

    def activations(self, tokens: int, fused: bool = False) -> int:
        """Numbers saved for the backward pass, for one text of `tokens` tokens. fused: attention is a single kernel
        even with dropout, as on a GPU."""

    def operations(self, tokens: float) -> float:
        """Floating-point operations of a training step with one text of `tokens` tokens."""

    def shrink(self, most_parameters: int) -> ModelConfig:
        """A smaller config of the same kind, whose step can be timed instead; itself if it is small enough."""


@runtime_checkable
class ClassifierConfig(ModelConfig, Protocol):
    """The configuration of a classifier. pooling: what it reads, `cls` or `mean`."""

    pooling: str


@runtime_checkable
class Model(Protocol):
    """A classifier of token ids: an `nn.Module` with what explanations, analyses, evidence and training need.

    attention_kinds: empty for a model without attention. token_embedding: `(vocabulary, D)`. A model may also have
    `fit(texts)`, called once with the ids of the training texts before the first step; `can_be_graphed`, False if its
    forward pass waits for the device; `blank`, the id of its [PAD], where that is not 0; `contributions(ids, segments,
    mask)`, `(B, T, C)`, if its logits are the sum of what each token adds to them, and a bias; and
    `output_projections`, by kind of attention the matrix `(D, D)` of each layer that maps the outputs of its heads,
    side by side, into the residual stream (as in `nn.Linear`, outputs first).
    """

    config: ClassifierConfig
    attention_kinds: tuple[AttentionKind, ...]

    @property
    def token_embedding(self) -> nn.Embedding: ...

    def __call__(
        self, ids: Tensor, segments: Tensor, mask: Tensor, need_attention: bool = False, hook: Hook | None = None
    ) -> Output:
        """ids, segments `(B, T)` int64, mask `(B, T)` bool, True for real tokens."""

    def embed(self, ids: Tensor, segments: Tensor, mask: Tensor) -> Tensor:
        """What the first layer reads, `(B, T, D)`."""

    def from_embeddings(
        self, x: Tensor, mask: Tensor, need_attention: bool = False, hook: Hook | None = None
    ) -> Output:
        """As `__call__`, from the result of `embed`: for attribution by gradients."""

    def encode(self, ids: Tensor, segments: Tensor, mask: Tensor) -> Tensor:
        """The last layer's output `(B, T, D)`, for masked-token pre-training."""


class State(Protocol):
    """What a generator has computed of N sequences so far."""

    def at(self, rows: Tensor) -> Self:
        """The state of some of the sequences, which may repeat."""


S = TypeVar("S", bound=State)


@runtime_checkable
class Generator(Protocol[S]):
    """A model that writes token ids one by one: all that decoding needs. A model may also have `special_ids`
    (`decoding.Vocabulary`), where they are not those of our tokenizers."""

    config: ModelConfig

    def start(self, ids: Tensor, mask: Tensor, hook: Hook | None = None) -> S:
        """The state before the first token that is written.

        ids `(B, S)` int64, mask `(B, S)` bool: what is read before, the source or the beginning of a text; S may be 0
        for a model without a source.
        """

    def advance(self, state: S, tokens: Tensor, hook: Hook | None = None) -> tuple[Tensor, S]:
        """The next token of each sequence `(B,)` -> the logits after it `(B, C)`, and the state."""


@runtime_checkable
class SequenceToSequence(Generator[S], Protocol[S]):
    """A model from token ids to token ids: an `nn.Module` with what training and decoding need. A model may also have
    `output_projections`, as in `Model`."""

    attention_kinds: tuple[AttentionKind, ...]

    def __call__(
        self,
        source: Tensor,
        source_mask: Tensor,
        target: Tensor,
        need_attention: bool = False,
        hook: Hook | None = None,
    ) -> Output:
        """source `(B, S)`, target `(B, T)` int64, source_mask `(B, S)` bool -> logits of the token after each target
        token."""

    def encode(
        self, source: Tensor, mask: Tensor, need_attention: bool = False, hook: Hook | None = None
    ) -> tuple[Tensor, Tensor | None]:
        """What is read of the source, `(B, S, D)`, and, if requested, self-attention `(L, B, H, S, S)`."""
