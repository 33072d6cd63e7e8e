"""Configuration of an encoder: a flat frozen dataclass, saved with the weights and sufficient to rebuild it.

Code shared with the configuration of an encoder-decoder comes first.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from reprlib import repr as shorten
from typing import Any, ClassVar, Literal, Self, TypeGuard, get_args

Norm = Literal["pre", "post"]
Activation = Literal["relu", "gelu"]
Pooling = Literal["cls", "mean"]
Positions = Literal["learned", "sinusoidal", "rotary"]
Stem = Literal["none", "convolution"]


class SavedConfig:
    """A dataclass that can be rebuilt from its saved fields."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @classmethod
    def from_dict(cls, values: Mapping) -> Self:
        """Rebuild a saved config.

        Raises:
            ValueError: If a field is unknown or missing.
        """
        known = {field.name for field in fields(cls)}
        if unknown := sorted(set(values) - known):
            raise ValueError(f"the model has no setting named {', '.join(unknown)}")
        try:
            return cls(**values)
        except TypeError as error:
            raise ValueError(f"a setting of the model is missing: {error}") from error

    def shrink(self, most_parameters: int) -> Self:
        """Reduce the layers to as many as fit into `most_parameters`, at least one; no change without layers."""
        config: Any = self
        if "layers" not in self.__dataclass_fields__:
            return self
        first, second = (replace(config, layers=layers).parameters() for layers in (1, 2))
        return replace(config, layers=min(config.layers, 1 + max(0, most_parameters - first) // (second - first)))


def check(config: Any, sizes: Iterable[str], choices: Mapping[str, object] | None = None, least: int = 1) -> None:
    """Check the fields of a config.

    Args:
        config: The config.
        sizes: Names of fields that must be whole numbers of at least `least`.
        choices: Names of fields that must be one of the values of a Literal.
        least: Minimum of `sizes`.

    Raises:
        ValueError: If a field is invalid; the message names the value.
    """
    for name in sizes:
        value = getattr(config, name)
        if type(value) is not int or value < least:
            raise ValueError(f"{name} is {shorten(value)}: it must be a whole number of at least {least}")
    for name in ("dropout", "attention_dropout"):
        value = getattr(config, name, 0.0)
        if not (is_number(value) and 0 <= value < 1):
            raise ValueError(f"{name} is {shorten(value)}: it must be at least 0 and below 1")
    for name, values in (choices or {}).items():
        if getattr(config, name) not in get_args(values):
            value = shorten(getattr(config, name))
            raise ValueError(f"{name} is {value}: it must be one of {', '.join(map(str, get_args(values)))}")
    if config.heads and config.width % config.heads:
        raise ValueError(
            f"width {config.width} is not divisible by {config.heads} heads: use a multiple of {config.heads}"
        )


def check_epsilon(epsilon: object) -> None:
    """Raise ValueError unless `norm_epsilon` is above 0 and below 1."""
    if not (is_number(epsilon) and 0 < epsilon < 1):
        raise ValueError(f"norm_epsilon is {shorten(epsilon)}: it must be above 0 and below 1")


def check_positions(positions: Positions, width: int, heads: int) -> None:
    """Raise ValueError if the width that positions of pairs need, of a head if they are rotary, is odd."""
    name, pairs = ("width of a head", width // heads) if positions == "rotary" else ("width", width)
    if positions != "learned" and pairs % 2:
        raise ValueError(f"{name} {pairs} is odd: {positions} positions need an even one, for pairs of sine and cosine")


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a finite number that fits into a float, and not a bool."""
    return isinstance(value, (int, float)) and type(value) is not bool and abs(value) <= sys.float_info.max


@dataclass(frozen=True)
class EncoderConfig(SavedConfig):
    """Configuration of an encoder.

    Attributes:
        attention_dropout: On attention weights; a CPU has no fused kernel for it.
        norm: Layer normalisation before each sub-layer (`pre`) or after each residual addition
            (`post`, Vaswani et al. 2017).
        embedding_norm: Whether an encoder normalises its embeddings, as BERT does; one with pre-norm
            always does, unless it has rotary positions and so adds none.
        norm_epsilon: Added to the variance.
        pooling: Whether the classifier reads the [CLS] position or the mean over real tokens.
        positions: Embeddings that are added, `learned` or `sinusoidal`, or `rotary`: queries and
            keys are rotated by their position.
        overlap: Whether an embedding marks tokens that also occur in the other segment.
        stem: `convolution` mixes every token with the previous and the next one before the first
            layer, as n-grams of up to three tokens.

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
    embedding_norm: bool = False
    norm_epsilon: float = 1e-5
    activation: Activation = "gelu"
    pooling: Pooling = "cls"
    positions: Positions = "learned"
    overlap: bool = False
    stem: Stem = "none"
    segments: int = 2
    classes: int = 2

    def __post_init__(self) -> None:
        check(
            self,
            ("vocabulary", "max_tokens", "layers", "heads", "width", "feedforward", "segments", "classes"),
            {
                "norm": Norm,
                "activation": Activation,
                "pooling": Pooling,
                "positions": Positions,
                "stem": Stem,
                "overlap": Literal[False, True],
                "embedding_norm": Literal[False, True],
            },
        )
        check_epsilon(self.norm_epsilon)
        check_positions(self.positions, self.width, self.heads)

    @property
    def normalises_embeddings(self) -> bool:
        """Whether the embeddings are normalised before the first layer."""
        return self.embedding_norm or (self.norm == "pre" and self.positions != "rotary")

    def parameters(self) -> int:
        """Number of trainable parameters, computed without building the encoder."""
        D, F, pre = self.width, self.feedforward, self.norm == "pre"
        embedding = (self.vocabulary + self.segments + 2 * self.overlap) * D + 2 * D * self.normalises_embeddings
        positions = self.max_tokens * D if self.positions == "learned" else 0
        stem = (3 * D * D + 3 * D) * (self.stem == "convolution")
        layer = 4 * (D * D + D) + D * F + F + F * D + D + 2 * 2 * D  # attention, feed-forward, two normalisations
        return embedding + positions + stem + self.layers * layer + 2 * D * pre + D * self.classes + self.classes

    def activations(self, tokens: int, fused: bool = False) -> int:
        """Numbers saved for the backward pass, for a text of T tokens: T·(L·(10·D + 3·F) + 3·D).

        Args:
            tokens: T.
            fused: Whether attention is a single kernel even with dropout, as on a GPU; otherwise
                dropout on the attention weights takes 3·H·T² more per layer.
        """
        T, L, D, F = tokens, self.layers, self.width, self.feedforward
        weights = L * 3 * self.heads * T * T if self.attention_dropout and not fused else 0
        return T * (L * (10 * D + 3 * F) + 3 * D) + weights

    def operations(self, tokens: float) -> float:
        """Floating-point operations of a training step with one text of `tokens` tokens.

        Six per weight and token, plus the products of all pairs in attention (Kaplan et al. 2020,
        section 2.1).
        """
        D, F, L = self.width, self.feedforward, self.layers
        return 6 * tokens * L * (4 * D * D + 2 * D * F) + 12 * L * tokens * tokens * D
