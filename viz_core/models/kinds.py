"""The kinds of models by their name in `config.json`: how a kind's config is read, and how its model is built.

Importing this does not load torch, for which submitting a training need not wait.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from viz_core.models.baseline_configs import BagConfig, RecurrentConfig, TfidfConfig
from viz_core.models.config import EncoderConfig
from viz_core.models.encoder_decoder_config import EncoderDecoderConfig

if TYPE_CHECKING:
    from viz_core.models.protocol import Network, TrainableConfig


@dataclass(frozen=True)
class Kind:
    """config: builds the frozen config from the saved fields; raises ValueError if they are inconsistent. build: builds
    the model, an `nn.Module` that implements `protocol.Model` or, from text to text, `protocol.SequenceToSequence`.
    can_pretrain: whether it can predict a masked token, from the others."""

    config: Callable[[Mapping], TrainableConfig]
    build: Callable[[Any], Network]
    can_pretrain: bool = True


def _encoder(config: EncoderConfig) -> Network:
    from viz_core.models.encoder import Encoder

    return Encoder(config)


def _encoder_decoder(config: EncoderDecoderConfig) -> Network:
    from viz_core.models.encoder_decoder import EncoderDecoder

    return EncoderDecoder(config)


def _recurrent(config: RecurrentConfig) -> Network:
    from viz_core.models.recurrent import Recurrent

    return Recurrent(config)


def _bag(config: BagConfig) -> Network:
    from viz_core.models.bag import Bag

    return Bag(config)


def _tfidf(config: TfidfConfig) -> Network:
    from viz_core.models.tfidf import Tfidf

    return Tfidf(config)


KINDS: dict[str, Kind] = {
    "encoder": Kind(EncoderConfig.from_dict, _encoder),
    "encoder_decoder": Kind(EncoderDecoderConfig.from_dict, _encoder_decoder),
    "recurrent": Kind(RecurrentConfig.from_dict, _recurrent),
    "bag": Kind(BagConfig.from_dict, _bag, can_pretrain=False),
    "tfidf": Kind(TfidfConfig.from_dict, _tfidf, can_pretrain=False),
}
