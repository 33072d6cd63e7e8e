"""Configuration of a decoder-only model: a flat frozen dataclass, saved with the weights."""

from dataclasses import dataclass
from typing import Literal

from viz_core.models.config import (
    Activation,
    Norm,
    Positions,
    SavedConfig,
    check,
    check_epsilon,
    check_positions,
    is_number,
)


@dataclass(frozen=True)
class DecoderConfig(SavedConfig):
    """Configuration of a decoder-only model; fields not listed are those of EncoderConfig.

    With pre-norm, GELU and learned positions it is the architecture of GPT-2.

    Attributes:
        initializer_range: Standard deviation of the initial weights. That of GPT-2 is small for a
            narrow model.

    Raises:
        ValueError: If values are invalid or inconsistent; the message names them.
    """

    vocabulary: int
    max_tokens: int
    layers: int
    heads: int
    width: int
    feedforward: int
    dropout: float = 0.1
    attention_dropout: float = 0.0
    norm: Norm = "pre"
    norm_epsilon: float = 1e-5
    activation: Activation = "gelu"
    positions: Positions = "rotary"
    initializer_range: float = 0.02

    def __post_init__(self) -> None:
        check(
            self,
            ("vocabulary", "max_tokens", "layers", "heads", "width", "feedforward"),
            {"norm": Norm, "activation": Activation, "positions": Positions},
        )
        check_epsilon(self.norm_epsilon)
        if not (is_number(self.initializer_range) and self.initializer_range > 0):
            raise ValueError(f"initializer_range is {self.initializer_range!r}: it must be above 0")
        check_positions(self.positions, self.width, self.heads)

    @property
    def classes(self) -> int:
        """Size of the vocabulary, as every token may come next."""
        return self.vocabulary

    @property
    def pooling(self) -> Literal["last"]:
        """The token that the prediction is read from."""
        return "last"

    def parameters(self) -> int:
        """Number of trainable parameters, computed without building the model."""
        D, F = self.width, self.feedforward
        positions = self.max_tokens * D if self.positions == "learned" else 0
        layer = 4 * (D * D + D) + D * F + F + F * D + D + 2 * 2 * D  # attention, feed-forward, two normalisations
        return self.vocabulary * D + positions + self.layers * layer + 2 * D * (self.norm == "pre")

    def activations(self, tokens: int, fused: bool = False) -> int:
        """Numbers saved for the backward pass, for a text of T tokens: T·(L·(10·D + 3·F) + 2·D).

        Args:
            tokens: T.
            fused: Whether attention is a single kernel even with dropout; otherwise dropout on the
                attention weights takes 3·H·T² more per layer.
        """
        T, L, D, F = tokens, self.layers, self.width, self.feedforward
        weights = L * 3 * self.heads * T * T if self.attention_dropout and not fused else 0
        return T * (L * (10 * D + 3 * F) + 2 * D) + weights

    def operations(self, tokens: float) -> float:
        """Floating-point operations of a training step with one text of `tokens` tokens.

        Six per weight and token, plus the products of all pairs in attention (Kaplan et al. 2020,
        section 2.1).
        """
        D, F, L = self.width, self.feedforward, self.layers
        return 6 * tokens * (L * (4 * D * D + 2 * D * F) + self.vocabulary * D) + 12 * L * tokens * tokens * D
