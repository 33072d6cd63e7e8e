"""Kinds of models by their name in `config.json`, with how to read their config and build them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from viz_core.models.bag import Bag
from viz_core.models.baseline_configs import BagConfig, RecurrentConfig, TfidfConfig
from viz_core.models.config import EncoderConfig
from viz_core.models.decoder import Decoder
from viz_core.models.decoder_config import DecoderConfig
from viz_core.models.encoder import Encoder
from viz_core.models.encoder_decoder import EncoderDecoder
from viz_core.models.encoder_decoder_config import EncoderDecoderConfig
from viz_core.models.protocol import Network, TrainableConfig
from viz_core.models.recurrent import Recurrent
from viz_core.models.tfidf import Tfidf


@dataclass(frozen=True)
class Kind:
    """A kind of model.

    Attributes:
        config: Builds the frozen config from the saved fields; raises ValueError if they are
            inconsistent.
        build: Builds the model, an `nn.Module` that implements `protocol.Model` or, from text to
            text, `protocol.SequenceToSequence`, or a `protocol.LanguageModel`.
        can_pretrain: Whether it can predict a masked token from the others.
    """

    config: Callable[[Mapping], TrainableConfig]
    build: Callable[[Any], Network]
    can_pretrain: bool = True


KINDS: dict[str, Kind] = {
    "encoder": Kind(EncoderConfig.from_dict, Encoder),
    "encoder_decoder": Kind(EncoderDecoderConfig.from_dict, EncoderDecoder),
    "decoder": Kind(DecoderConfig.from_dict, Decoder, can_pretrain=False),
    "recurrent": Kind(RecurrentConfig.from_dict, Recurrent),
    "bag": Kind(BagConfig.from_dict, Bag, can_pretrain=False),
    "tfidf": Kind(TfidfConfig.from_dict, Tfidf, can_pretrain=False),
}
