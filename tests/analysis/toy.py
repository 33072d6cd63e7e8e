"""An encoder with results to compute by hand: a head attends uniformly and averages a number per token."""

import numpy as np
import torch
from torch import nn

from viz_core.models.config import EncoderConfig
from viz_core.models.encoder import Encoder
from viz_core.records import Encoding

CLS, SEP, PAD = 2, 3, 0


def toy(values: dict[int, float], pooling: str = "cls", attend: bool = True) -> Encoder:
    """One layer, one head, no normalisation. values: the number of each token id, 0 by default.

    With `attend`, the log-odds of class 1 are the number at [CLS] plus the mean number of all tokens; with mean
    pooling, twice that mean. Without it the layer adds nothing: the number at [CLS], or with mean pooling the mean.
    """
    encoder = Encoder(
        EncoderConfig(
            vocabulary=12, max_tokens=12, layers=1, heads=1, width=2, feedforward=2, dropout=0.0, pooling=pooling
        )
    ).eval()
    (layer,) = encoder.layers
    layer.attention_norm = layer.feedforward_norm = encoder.norm = encoder.embedding.norm = nn.Identity()
    with torch.no_grad():
        for parameter in encoder.parameters():
            parameter.zero_()
        for token, value in values.items():
            encoder.embedding.token.weight[token, 0] = value
        layer.attention.value.weight.copy_(torch.eye(2) * attend)
        layer.attention.output.weight.copy_(torch.eye(2))
        encoder.classifier.weight[1, 0] = 1.0
    return encoder


def input_of(ids: list[int], segments: list[int] | None = None) -> Encoding:
    """An input of these tokens, of which those below 4 are special."""
    numbers, T = np.array(ids), len(ids)
    zeros = np.zeros(T, int)
    return Encoding(
        texts=("",),
        tokens=tuple(map(str, ids)),
        ids=numbers,
        segments=zeros if segments is None else np.array(segments),
        offsets=np.zeros((T, 2), int),
        words=np.arange(T),
        special=numbers < 4,
        unknown=zeros.astype(bool),
    )
