"""The kinds of models by their name in `config.json`: how a kind's config is read, and how its model is built."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from viz_core.models.bag import Bag
from viz_core.models.baseline_configs import BagConfig, RecurrentConfig, TfidfConfig
from viz_core.models.config import EncoderConfig
from viz_core.models.encoder import Encoder
from viz_core.models.encoder_decoder import EncoderDecoder
from viz_core.models.encoder_decoder_config import EncoderDecoderConfig
from viz_core.models.protocol import Network, TrainableConfig
from viz_core.models.recurrent import Recurrent
from viz_core.models.tfidf import Tfidf


@dataclass(frozen=True)
class Kind:
    """config: builds the frozen config from the saved fields; raises ValueError if they are inconsistent. build: builds
    the model, an `nn.Module` that implements `protocol.Model` or, from text to text, `protocol.SequenceToSequence`.
    can_pretrain: whether it can predict a masked token, from the others."""

    config: Callable[[Mapping], TrainableConfig]
    build: Callable[[Any], Network]
    can_pretrain: bool = True


KINDS: dict[str, Kind] = {
    "encoder": Kind(EncoderConfig.from_dict, Encoder),
    "encoder_decoder": Kind(EncoderDecoderConfig.from_dict, EncoderDecoder),
    "recurrent": Kind(RecurrentConfig.from_dict, Recurrent),
    "bag": Kind(BagConfig.from_dict, Bag, can_pretrain=False),
    "tfidf": Kind(TfidfConfig.from_dict, Tfidf, can_pretrain=False),
}
