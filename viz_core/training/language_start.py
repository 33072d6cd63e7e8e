"""An encoder that starts as a language model of ours: the same layers, which now attend in both directions.

As in ULMFiT (Howard & Ruder 2018, section 3, https://arxiv.org/abs/1801.06146), what it has read to
predict the next token helps it to classify.
"""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

_SAME = ("vocabulary", "layers", "heads", "width", "feedforward", "norm", "norm_epsilon", "activation", "positions")
_CHOSEN = {
    "pooling": "mean",
    "stem": "none",
    "overlap": False,
    "embedding_norm": False,
    "segments": 1,
}  # what else an encoder has
_TOKENS, _SEGMENT = "embedding.token.weight", "embedding.segment.weight"


def can_become_encoder(config: Any) -> bool:
    """Whether the layers of a decoder are those of an encoder: positions that are added would be normalised there."""
    return config.norm == "pre" and config.positions == "rotary"


def encoder_fields(config: Mapping) -> dict[str, object]:
    """The fields of the encoder's config that those of the decoder decide."""
    return {name: config[name] for name in _SAME} | _CHOSEN


def encoder_weights(decoder: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The weights of the encoder but for its classifier, from those of the decoder."""
    tokens = decoder["token_embedding.weight"]
    layers = {name: weights for name, weights in decoder.items() if not name.startswith("token_embedding")}
    return {**layers, _TOKENS: tokens, _SEGMENT: torch.zeros_like(tokens[:1])}
