"""Tiny encoders with decoders, and batches of pairs."""

import torch

from viz_core.models.encoder_decoder import EncoderDecoder
from viz_core.models.encoder_decoder_config import EncoderDecoderConfig


def encoder_decoder_config(**values) -> EncoderDecoderConfig:
    sizes = dict(vocabulary=30, max_tokens=16, layers=2, heads=2, width=8, feedforward=16, dropout=0.0)
    return EncoderDecoderConfig(**{**sizes, **values})


def encoder_decoder(seed: int = 0, **values) -> EncoderDecoder:
    """A model in eval mode, with weights large enough for clearly non-uniform attention."""
    torch.manual_seed(seed)
    model = EncoderDecoder(encoder_decoder_config(**values)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.5)
    return model


def sequences(*lengths: int, vocabulary: int = 30, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """Random ids and mask, `(B, T)` each, for rows of these lengths; the padding is random too."""
    generator = torch.Generator().manual_seed(seed)
    mask = torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]
    return torch.randint(4, vocabulary, mask.shape, generator=generator), mask
