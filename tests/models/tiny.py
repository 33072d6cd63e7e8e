"""Tiny encoders with decoders, decoders alone, and batches of pairs."""

from typing import TypeVar

import torch
from torch import nn

from viz_core.models.decoder import Decoder
from viz_core.models.decoder_config import DecoderConfig
from viz_core.models.encoder_decoder import EncoderDecoder
from viz_core.models.encoder_decoder_config import EncoderDecoderConfig

M = TypeVar("M", bound=nn.Module)


def encoder_decoder_config(**values) -> EncoderDecoderConfig:
    sizes = dict(vocabulary=30, max_tokens=16, layers=2, heads=2, width=8, feedforward=16, dropout=0.0)
    return EncoderDecoderConfig(**{**sizes, **values})


def encoder_decoder(seed: int = 0, **values) -> EncoderDecoder:
    """A model in eval mode, with weights large enough for clearly non-uniform attention."""
    torch.manual_seed(seed)
    return _spread(EncoderDecoder(encoder_decoder_config(**values)))


def sequences(*lengths: int, vocabulary: int = 30, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """Random ids and mask, `(B, T)` each, for rows of these lengths; the padding is random too."""
    generator = torch.Generator().manual_seed(seed)
    mask = torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]
    return torch.randint(4, vocabulary, mask.shape, generator=generator), mask


def decoder_config(**values) -> DecoderConfig:
    sizes = dict(vocabulary=30, max_tokens=16, layers=2, heads=2, width=8, feedforward=16, dropout=0.0)
    return DecoderConfig(**{**sizes, **values})


def decoder(seed: int = 0, **values) -> Decoder:
    """A decoder-only model, likewise."""
    torch.manual_seed(seed)
    return _spread(Decoder(decoder_config(**values)))


def _spread(model: M) -> M:
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.5)
    return model.eval()
