"""The configurations of the baselines, the models that a Transformer encoder is compared with."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from viz_core.models.config import SavedConfig, check

Reading = Literal["last", "mean", "attention"]


@dataclass(frozen=True)
class RecurrentConfig(SavedConfig):
    """Sizes and choices of an LSTM. Raises ValueError, naming the values, if they are inconsistent.

    width: of the embeddings, and of the states, of which each direction has half if there are two. reading: what the
    classifier reads of the states: the last one (of the backward direction the first), their mean, or what additive
    attention makes of them, a single head.
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
            raise ValueError(f"width {self.width} is odd: each direction has half of it")

    @property
    def layers(self) -> int:
        return int(self.reading == "attention")

    @property
    def heads(self) -> int:
        return int(self.reading == "attention")

    @property
    def pooling(self) -> str:
        """With attention the classifier reads what [CLS] has attended to."""
        return "mean" if self.reading == "mean" else "cls"

    @property
    def state(self) -> int:
        """Width of the state of a direction."""
        return self.width // (1 + self.bidirectional)

    def parameters(self) -> int:
        D, S = self.width, self.state
        direction = 4 * (D * S + S * S + 2 * S)  # four gates, each with two biases, as in torch
        attention = 2 * D * D + 2 * D if self.layers else 0
        classifier = D * self.classes + self.classes
        return (self.vocabulary + self.segments) * D + (1 + self.bidirectional) * direction + attention + classifier

    def activations(self, tokens: int, fused: bool = False) -> int:
        """T·8·D: embeddings, four gates, cell and state, and what is read; with additive attention T·3·D more."""
        return tokens * self.width * (8 + 3 * self.layers)

    def operations(self, tokens: float) -> float:
        D, S = self.width, self.state
        return 6 * tokens * ((1 + self.bidirectional) * 4 * (D * S + S * S) + self.layers * 2 * D * D)


class WithoutAttention(SavedConfig):
    """A config of a model that reads the mean over all tokens, without layers of attention."""

    layers: ClassVar[int] = 0
    heads: ClassVar[int] = 0
    pooling: ClassVar[str] = "mean"


@dataclass(frozen=True)
class BagConfig(WithoutAttention):
    """Sizes of a bag of embeddings. bigrams: rows of the table in which pairs of neighbours share embeddings, 0 for
    none. Raises ValueError, naming the value, if a field is invalid."""

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
        return (self.vocabulary + self.bigrams + self.classes) * self.width + self.classes

    def activations(self, tokens: int, fused: bool = False) -> int:
        return 2 * tokens * self.width

    def operations(self, tokens: float) -> float:
        return 6 * tokens * self.width


@dataclass(frozen=True)
class TfidfConfig(WithoutAttention):
    """Sizes of a logistic regression on TF-IDF. bigrams: as in BagConfig. Raises ValueError like it."""

    vocabulary: int
    max_tokens: int
    bigrams: int = 0
    classes: int = 2

    def __post_init__(self) -> None:
        check(self, ("vocabulary", "max_tokens", "classes"))
        check(self, ["bigrams"], least=0)

    def parameters(self) -> int:
        return (self.vocabulary + self.bigrams) * self.classes + self.classes

    def activations(self, tokens: int, fused: bool = False) -> int:
        return 2 * tokens * (self.classes + 1)

    def operations(self, tokens: float) -> float:
        return 6 * tokens * self.classes
