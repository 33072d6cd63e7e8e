"""The blocks of a Transformer in the order of the computation, with the weights of each: the boxes of its diagram."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from torch import nn

from viz_core.models.classifier import HiddenClassifier
from viz_core.models.encoder import EmbeddingProjection, Encoder
from viz_core.models.encoder_decoder import EncoderDecoder
from viz_core.models.layers import Layer
from viz_core.records.inside import Block, Stack


class _Part(NamedTuple):
    """A block with its parameters themselves, by name."""

    name: str
    stack: Stack
    layer: int | None
    weights: list[tuple[str, nn.Parameter]]


def model_blocks(model: Encoder | EncoderDecoder) -> tuple[Block, ...]:
    """The blocks, whose parameters add up to those of the model."""
    counted: set[nn.Parameter] = set()
    parts = _encoder(model) if isinstance(model, Encoder) else _encoder_decoder(model)
    return tuple(_block(part, counted) for part in parts)


def _encoder(model: Encoder) -> Iterator[_Part]:
    yield _part("embedding", "encoder", None, [("", model.embedding)])
    if model.stem is not None:
        name = "mapping" if isinstance(model.stem, EmbeddingProjection) else "stem"
        yield _part(name, "encoder", None, [("", model.stem)])
    yield from _layers(model.layers, "encoder")
    yield from _final_norm(model.norm, "encoder")
    if isinstance(model.classifier, HiddenClassifier):
        yield _part("classifier_hidden", "encoder", None, [("", model.classifier.hidden)])
        yield _part("classifier", "encoder", None, [("", model.classifier.output)])
    elif model.config.classes:
        yield _part("classifier", "encoder", None, [("", model.classifier)])


def _encoder_decoder(model: EncoderDecoder) -> Iterator[_Part]:
    embedding = [("token.", model.token_embedding), ("", model.source_positions)]
    yield _part("embedding", "encoder", None, embedding)
    yield from _layers(model.encoder_layers, "encoder")
    yield from _final_norm(model.encoder_norm, "encoder")
    yield _part("embedding", "decoder", None, [("", model.target_positions)])  # its tokens are those of the source
    yield from _layers(model.decoder_layers, "decoder")
    yield from _final_norm(model.decoder_norm, "decoder")
    bias = model.output_bias  # the weights are the token embeddings
    yield _Part("classifier", "decoder", None, [("bias", bias)])


def _layers(layers: Iterable[Layer], stack: Stack) -> Iterator[_Part]:
    for number, layer in enumerate(layers):
        yield _part("attention", stack, number, [("", layer.attention), ("norm.", layer.attention_norm)])
        if stack == "decoder":
            cross = [("", layer.cross_attention), ("norm.", layer.cross_attention_norm)]
            yield _part("cross_attention", stack, number, cross)
        yield _part("feedforward", stack, number, [("", layer.feedforward), ("norm.", layer.feedforward_norm)])


def _final_norm(norm: nn.Module, stack: Stack) -> Iterator[_Part]:
    if not isinstance(norm, nn.Identity):
        yield _part("norm", stack, None, [("", norm)])


def _part(name: str, stack: Stack, layer: int | None, modules: Iterable[tuple[str, nn.Module]]) -> _Part:
    """modules: with what precedes the names of their weights."""
    weights = [
        (prefix + weight, parameter) for prefix, module in modules for weight, parameter in module.named_parameters()
    ]
    return _Part(name, stack, layer, weights)


def _block(part: _Part, counted: set[nn.Parameter]) -> Block:
    """counted: the parameters of earlier blocks, to which its own are added."""
    parameters = {parameter for _, parameter in part.weights} - counted
    counted |= parameters
    return Block(
        part.name,
        part.stack,
        part.layer,
        sum(parameter.numel() for parameter in parameters),
        tuple((name, tuple(parameter.shape)) for name, parameter in part.weights),
    )
