"""The kinds of models by their name in `config.json`: how a kind's config is read, and how its model is built.

Importing this does not load torch, for which submitting a training need not wait.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from viz_core.models.config import EncoderConfig
from viz_core.models.encoder_decoder_config import EncoderDecoderConfig

if TYPE_CHECKING:
    from torch import nn

    from viz_core.models.protocol import ModelConfig


@dataclass(frozen=True)
class Kind:
    """config: builds the frozen config from the saved fields; raises ValueError if they are inconsistent. build: builds
    the model, an `nn.Module` that implements `protocol.Model` or, from text to text, `protocol.SequenceToSequence`."""

    config: Callable[[dict], ModelConfig]
    build: Callable[[ModelConfig], nn.Module]


def _encoder(config: EncoderConfig) -> nn.Module:
    from viz_core.models.encoder import Encoder

    return Encoder(config)


def _encoder_decoder(config: EncoderDecoderConfig) -> nn.Module:
    from viz_core.models.encoder_decoder import EncoderDecoder

    return EncoderDecoder(config)


KINDS: dict[str, Kind] = {
    "encoder": Kind(EncoderConfig.from_dict, _encoder),
    "encoder_decoder": Kind(EncoderDecoderConfig.from_dict, _encoder_decoder),
}
