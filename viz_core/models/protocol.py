"""What the rest of the house needs of a model, whatever it is made of; docs/architecture.md has it as a table.

Shapes: B batch, L layers, H heads, T tokens, D model width, d width of a head, C classes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple, Protocol, runtime_checkable

from torch import Tensor, nn

AttentionKind = Literal["self", "causal", "cross"]


class HookPoint(NamedTuple):
    """Where a hook is called. layer: its number, from 0. attention: of which kind it is.

    tensor: what the hook is given and returns changed or as it is: `scores` `(B, H, T, T)`, scaled, before mask and softmax;
    `weights` `(B, H, T, T)`, row = query, column = key; `values` `(B, H, T, d)`.
    """

    layer: int
    attention: AttentionKind
    tensor: Literal["scores", "weights", "values"]


Hook = Callable[[HookPoint, Tensor], Tensor]


def on_weights(change: Callable[[int, Tensor], Tensor]) -> Hook:
    """The hook that changes weights alone. change: number of a layer and its weights -> what is used in their place."""

    def hook(point: HookPoint, tensor: Tensor) -> Tensor:
        return change(point.layer, tensor) if point.tensor == "weights" else tensor

    return hook


class Output(NamedTuple):
    """logits: `(B, C)`. attention: by kind, `(L, B, H, T, T)`, as it was used; empty unless asked for, or where there is none."""

    logits: Tensor
    attention: Mapping[AttentionKind, Tensor]

    @property
    def own(self) -> Tensor:
        """The attention of the input to itself. Raises KeyError where there is none."""
        return self.attention["self"] if "self" in self.attention else self.attention["causal"]


@runtime_checkable
class ModelConfig(Protocol):
    """What a model is made of: a frozen dataclass, saved with the weights and enough to rebuild it.

    layers, heads: of the attention that is shown, 0 where there is none. pooling: what the classifier reads, `cls` or `mean`.
    """

    vocabulary: int
    max_tokens: int
    classes: int
    pooling: str

    @property
    def layers(self) -> int: ...

    @property
    def heads(self) -> int: ...

    def parameters(self) -> int:
        """How many numbers the model learns."""

    def activations(self, tokens: int) -> int:
        """Numbers that the backward pass needs of the forward pass, for one text of so many tokens."""

    def operations(self, tokens: float) -> float:
        """Of a training step with one text of so many tokens."""

    def trimmed(self, most_parameters: int) -> ModelConfig:
        """A smaller model of the same kind whose step can be timed in its place; itself where it is small enough."""


@runtime_checkable
class Model(Protocol):
    """A classifier of token ids: an `nn.Module` with what explanations, analyses, evidence and training ask for.

    attention_kinds: of its attention; empty where it has none. token_embedding: `(vocabulary, D)`.
    """

    config: ModelConfig
    attention_kinds: tuple[AttentionKind, ...]

    @property
    def token_embedding(self) -> nn.Embedding: ...

    def __call__(
        self, ids: Tensor, segments: Tensor, mask: Tensor, need_attention: bool = False, hook: Hook | None = None
    ) -> Output:
        """ids, segments `(B, T)` int64, mask `(B, T)` bool, True where a token is real."""

    def embed(self, ids: Tensor, segments: Tensor, mask: Tensor) -> Tensor:
        """What the first layer reads, `(B, T, D)`."""

    def from_embeddings(
        self, x: Tensor, mask: Tensor, need_attention: bool = False, hook: Hook | None = None
    ) -> Output:
        """As a call, from what `embed` gives: for attribution by gradients."""

    def encode(self, ids: Tensor, segments: Tensor, mask: Tensor) -> Tensor:
        """The last layer's output `(B, T, D)`, for masked-token pre-training."""
