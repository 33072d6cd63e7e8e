"""The blocks of a Transformer in the order of the computation, with the weights of each: the boxes of its diagram."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from torch import nn

from viz_core.models.classifier import HiddenClassifier
from viz_core.models.encoder import Encoder
from viz_core.models.encoder_decoder import EncoderDecoder
from viz_core.models.layers import Layer
from viz_core.records.inside import Block, Stack


def model_blocks(model: Encoder | EncoderDecoder) -> tuple[Block, ...]:
    """The blocks, whose parameters add up to those of the model."""
    return tuple(_encoder(model) if isinstance(model, Encoder) else _encoder_decoder(model))


def _encoder(model: Encoder) -> Iterator[Block]:
    yield _block("embedding", "encoder", None, [("", model.embedding)])
    if model.stem is not None:
        yield _block("stem", "encoder", None, [("", model.stem)])
    yield from _layers(model.layers, "encoder")
    yield from _final_norm(model.norm, "encoder")
    if isinstance(model.classifier, HiddenClassifier):
        yield _block("classifier_hidden", "encoder", None, [("", model.classifier.hidden)])
        yield _block("classifier", "encoder", None, [("", model.classifier.output)])
    elif model.config.classes:
        yield _block("classifier", "encoder", None, [("", model.classifier)])


def _encoder_decoder(model: EncoderDecoder) -> Iterator[Block]:
    embedding = [("token.", model.token_embedding), ("", model.source_positions)]
    yield _block("embedding", "encoder", None, embedding)
    yield from _layers(model.encoder_layers, "encoder")
    yield from _final_norm(model.encoder_norm, "encoder")
    yield _block("embedding", "decoder", None, [("", model.target_positions)])  # its tokens are those of the source
    yield from _layers(model.decoder_layers, "decoder")
    yield from _final_norm(model.decoder_norm, "decoder")
    bias = model.output_bias  # the weights are the token embeddings
    yield Block("classifier", "decoder", None, bias.numel(), (("bias", tuple(bias.shape)),))


def _layers(layers: Iterable[Layer], stack: Stack) -> Iterator[Block]:
    for number, layer in enumerate(layers):
        yield _block("attention", stack, number, [("", layer.attention), ("norm.", layer.attention_norm)])
        if stack == "decoder":
            cross = [("", layer.cross_attention), ("norm.", layer.cross_attention_norm)]
            yield _block("cross_attention", stack, number, cross)
        yield _block("feedforward", stack, number, [("", layer.feedforward), ("norm.", layer.feedforward_norm)])


def _final_norm(norm: nn.Module, stack: Stack) -> Iterator[Block]:
    if not isinstance(norm, nn.Identity):
        yield _block("norm", stack, None, [("", norm)])


def _block(name: str, stack: Stack, layer: int | None, modules: Iterable[tuple[str, nn.Module]]) -> Block:
    """modules: with what precedes the names of their weights."""
    weights = [
        (prefix + weight, parameter) for prefix, module in modules for weight, parameter in module.named_parameters()
    ]
    return Block(
        name,
        stack,
        layer,
        sum(parameter.numel() for _, parameter in weights),
        tuple((weight, tuple(parameter.shape)) for weight, parameter in weights),
    )
