"""Configuration of an encoder-decoder: a flat frozen dataclass, saved with the weights."""

from dataclasses import dataclass
from typing import ClassVar

from viz_core.models.config import Activation, EncoderConfig, Norm, SavedConfig, check
from viz_core.models.decoder_config import DecoderConfig


@dataclass(frozen=True)
class EncoderDecoderConfig(SavedConfig):
    """Configuration of an encoder-decoder; fields not listed are those of EncoderConfig.

    Attributes:
        vocabulary: Shared by source and target.
        max_tokens: Of the source, and of the target.
        layers: Of the encoder, and of the decoder.

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
    activation: Activation = "gelu"
    norm_epsilon: ClassVar[float] = 1e-5

    def __post_init__(self) -> None:
        check(
            self,
            ("vocabulary", "max_tokens", "layers", "heads", "width", "feedforward"),
            {"norm": Norm, "activation": Activation},
        )

    @property
    def classes(self) -> int:
        """Size of the vocabulary, as every token may come next."""
        return self.vocabulary

    def parameters(self) -> int:
        """Number of trainable parameters, computed without building the model."""
        D, F, pre = self.width, self.feedforward, self.norm == "pre"
        attention, feedforward = 4 * (D * D + D), F * D + F + D * F + D
        layer = attention + feedforward + 2 * 2 * D  # two normalisations
        stacks = self.layers * (layer + layer + attention + 2 * D)  # encoder; decoder with cross-attention
        return self.vocabulary * (D + 1) + 2 * self.max_tokens * D + stacks + 2 * 2 * 2 * D * pre

    def activations(self, tokens: int, fused: bool = False) -> int:
        """Numbers saved for the backward pass, for a pair of texts.

        Args:
            tokens: Of both texts together, half of them in each.
            fused: Whether attention is a single kernel even with dropout; otherwise dropout on the
                weights of the three attentions takes 3·H·T² more each.
        """
        T, L, D, F = -(-tokens // 2), self.layers, self.width, self.feedforward
        weights = 3 * L * 3 * self.heads * T * T if self.attention_dropout and not fused else 0
        layers = L * (10 * D + 3 * F + 17 * D + 3 * F)  # encoder; decoder with cross-attention
        return T * (layers + 2 * 3 * D + self.vocabulary) + weights

    def operations(self, tokens: float) -> float:
        """Floating-point operations of a training step with a pair of texts of `tokens` tokens together.

        Six per weight and token, plus the products of all pairs in attention (Kaplan et al. 2020,
        section 2.1).
        """
        T, L, D, F = tokens / 2, self.layers, self.width, self.feedforward
        weights = L * (12 * D * D + 4 * D * F) + self.vocabulary * D
        return 6 * T * weights + 3 * 12 * L * T * T * D


LayerConfig = EncoderConfig | EncoderDecoderConfig | DecoderConfig  # what layers are built from
