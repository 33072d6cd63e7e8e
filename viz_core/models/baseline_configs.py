"""Configurations of the baselines, the models that a Transformer encoder is compared with."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from viz_core.models.config import SavedConfig, check

Reading = Literal["last", "mean", "attention"]


@dataclass(frozen=True)
class RecurrentConfig(SavedConfig):
    """Configuration of an LSTM.

    Attributes:
        width: Of the embeddings and of the states; each of two directions has half of it.
        reading: How the classifier reads the states: the last one (for the backward direction, the
            first), their mean, or additive attention with a single head.

    Raises:
        ValueError: If values are invalid or inconsistent; the message names them.
    """

    vocabulary: int
    max_tokens: int
    width: int
    bidirectional: bool = False
    reading: Reading = "last"
    dropout: float = 0.1
    segments: int = 2
    classes: int = 2

    def __post_init__(self) -> None:
        choices = {"reading": Reading, "bidirectional": Literal[False, True]}
        check(self, ("vocabulary", "max_tokens", "width", "segments", "classes"), choices)
        if self.bidirectional and self.width % 2:
            raise ValueError(f"width {self.width} is odd: use an even one, because each direction has half of it")

    @property
    def layers(self) -> int:
        """Number of attention layers, 1 or 0."""
        return int(self.reading == "attention")

    @property
    def heads(self) -> int:
        """Number of attention heads, 1 or 0."""
        return int(self.reading == "attention")

    @property
    def pooling(self) -> str:
        """What the classifier reads; with attention, what [CLS] has attended to."""
        return "mean" if self.reading == "mean" else "cls"

    @property
    def state(self) -> int:
        """Width of the state of one direction."""
        return self.width // (1 + self.bidirectional)

    def parameters(self) -> int:
        """Number of trainable parameters."""
        D, S = self.width, self.state
        direction = 4 * (D * S + S * S + 2 * S)  # four gates, each with two biases, as in torch
        attention = 2 * D * D + 2 * D if self.layers else 0
        classifier = D * self.classes + self.classes
        return (self.vocabulary + self.segments) * D + (1 + self.bidirectional) * direction + attention + classifier

    def activations(self, tokens: int, fused: bool = False) -> int:
        """Numbers saved for the backward pass.

        T·8·D: embeddings, four gates, cell, state, and what is read; T·3·D more with attention.
        """
        return tokens * self.width * (8 + 3 * self.layers)

    def operations(self, tokens: float) -> float:
        """Floating-point operations of a training step with one text of `tokens` tokens."""
        D, S = self.width, self.state
        return 6 * tokens * ((1 + self.bidirectional) * 4 * (D * S + S * S) + self.layers * 2 * D * D)


class WithoutAttention(SavedConfig):
    """Base class for models without attention layers that read the mean over all tokens."""

    layers: ClassVar[int] = 0
    heads: ClassVar[int] = 0
    pooling: ClassVar[str] = "mean"


@dataclass(frozen=True)
class BagConfig(WithoutAttention):
    """Configuration of a bag of embeddings.

    Attributes:
        bigrams: Rows of the table in which pairs of neighbours share embeddings; 0 for none.

    Raises:
        ValueError: If a field is invalid; the message names the value.
    """

    vocabulary: int
    max_tokens: int
    width: int
    bigrams: int = 0
    dropout: float = 0.0
    classes: int = 2

    def __post_init__(self) -> None:
        check(self, ("vocabulary", "max_tokens", "width", "classes"))
        check(self, ["bigrams"], least=0)

    def parameters(self) -> int:
        """Number of trainable parameters."""
        return (self.vocabulary + self.bigrams + self.classes) * self.width + self.classes

    def activations(self, tokens: int, fused: bool = False) -> int:
        """Numbers saved for the backward pass."""
        return 2 * tokens * self.width

    def operations(self, tokens: float) -> float:
        """Floating-point operations of a training step with one text of `tokens` tokens."""
        return 6 * tokens * self.width


@dataclass(frozen=True)
class TfidfConfig(WithoutAttention):
    """Configuration of a logistic regression on TF-IDF.

    Attributes:
        bigrams: Rows of the table in which pairs of neighbours share weights; 0 for none.

    Raises:
        ValueError: If a field is invalid; the message names the value.
    """

    vocabulary: int
    max_tokens: int
    bigrams: int = 0
    classes: int = 2

    def __post_init__(self) -> None:
        check(self, ("vocabulary", "max_tokens", "classes"))
        check(self, ["bigrams"], least=0)

    def parameters(self) -> int:
        """Number of trainable parameters."""
        return (self.vocabulary + self.bigrams) * self.classes + self.classes

    def activations(self, tokens: int, fused: bool = False) -> int:
        """Numbers saved for the backward pass."""
        return 2 * tokens * (self.classes + 1)

    def operations(self, tokens: float) -> float:
        """Floating-point operations of a training step with one text of `tokens` tokens."""
        return 6 * tokens * self.classes
