"""The weights of an external model by function (`models/anatomy.py`), for families whose modules are known."""

from typing import Any

from torch import Tensor, nn

from viz_core.adapters.families import Parts
from viz_core.adapters.network import Prepared
from viz_core.adapters.points import has_module, matrix
from viz_core.models.anatomy import Anatomy, AttentionParts, FeedForwardParts, LayerParts, Linear, Norm, Stack
from viz_core.models.protocol import AttentionKind
from viz_core.records import Failure

# The library's names of activations -> ours; all names of GELU's approximation compute the same.
_ACTIVATIONS = {"relu": "relu", "gelu": "gelu", "silu": "silu", "swish": "silu"} | dict.fromkeys(
    ("gelu_new", "gelu_fast", "gelu_pytorch_tanh"), "gelu_tanh"
)


def anatomy_of(prepared: Prepared, max_tokens: int, second_segment: int, classes: int) -> Anatomy:
    """Collect the weights of a prepared model.

    Args:
        prepared: The model.
        max_tokens: Length of the longest text that it reads here.
        second_segment: Token type of the second text of a pair.
        classes: Number of classes, 0 without a classifier.

    Raises:
        Failure: If the steps of the model are not known; the message says what differs.
    """
    config, parts, family = prepared.network.config, prepared.family.parts, prepared.family
    name = prepared.name
    if parts is None:
        raise Failure(family.refusal, name=name, family=config.model_type)
    for entry, value in parts.fixed.items():
        if getattr(config, entry, value) != value:
            raise Failure("inside.entry", name=name, entry=entry, value=str(getattr(config, entry)))
    window = getattr(config, "sliding_window", None)
    if window and window < max_tokens and "sliding_attention" in getattr(config, "layer_types", ["sliding_attention"]):
        raise Failure("inside.window", name=name, window=window)
    activation = activation_name(config)
    if activation not in _ACTIVATIONS:
        raise Failure("inside.activation", name=name, activation=activation)
    ((kind, heads),) = prepared.heads.items()
    stack = _stack(prepared, parts, second_segment)
    hidden = output = None
    if classes:
        network = prepared.network
        output = _linear(network.get_submodule(parts.output) if parts.output else network.get_output_embeddings())
        hidden = _linear(prepared.network.get_submodule(parts.hidden)) if parts.hidden else None
    return Anatomy(
        heads=heads,
        key_heads=getattr(config, "num_key_value_heads", None) or heads,
        norm=parts.norm,
        activation=_ACTIVATIONS[activation],
        positions="rotary" if parts.rotation else "learned",
        pooling="last" if kind == "causal" else "cls",
        encoder=stack if kind == "self" else None,
        decoder=stack if kind == "causal" else None,
        classifier=output,
        classifier_hidden=hidden,
        classifier_activation=parts.activation if hidden else "",
    )


def activation_name(config: object) -> str:
    """Return the library's name of the feed-forward activation, whose entry differs between configs."""
    names = ("hidden_act", "activation_function", "activation")
    return str(next((getattr(config, name) for name in names if hasattr(config, name)), ""))


def _stack(prepared: Prepared, parts: Parts, second_segment: int) -> Stack:
    base = prepared.network.base_model
    tables = {
        ours.removeprefix("embedding."): base.get_submodule(theirs).weight.detach()
        for ours, theirs in parts.embeddings.items()
        if ours not in ("embedding.norm", "norm") and has_module(base, theirs)
    }
    if "position" in tables:
        tables["position"] = tables["position"][prepared.offset :]
    if "segment" in tables:
        second = min(second_segment, len(tables["segment"]) - 1)
        tables["segment"] = tables["segment"][[0, second] if second else [0]]
    norms = {
        ours: _norm(base.get_submodule(parts.embeddings[ours]))
        for ours in ("embedding.norm", "norm")
        if ours in parts.embeddings
    }
    kind = prepared.points[0][1]
    bias = base.get_submodule(parts.bias).weight.detach() if parts.bias else None
    return Stack(
        embeddings=tables,
        layers=[_layer(layer, kind, parts, bias) for layer in prepared.modules],
        embedding_norm=norms.get("embedding.norm"),
        mapping=_linear(base.get_submodule(parts.mapping)) if has_module(base, parts.mapping) else None,
        final_norm=norms.get("norm"),
    )


def _layer(layer: nn.Module, kind: AttentionKind, parts: Parts, bias: Tensor | None) -> LayerParts:
    """Collect the weights of a layer; `bias` is the position bias shared by all layers."""

    def linear(ours: str) -> Linear:
        path, _, part = parts.layer[ours].partition("/")
        return _linear(layer.get_submodule(path), part)

    def norm(ours: str) -> Norm:
        return _norm(layer.get_submodule(parts.layer[ours]))

    query, key, value, output = (linear(f"attention.{name}") for name in ("query", "key", "value", "output"))
    head_norms = (
        norm(name) if name in parts.layer else None for name in ("attention.query_norm", "attention.key_norm")
    )
    attention = AttentionParts(norm("attention_norm"), query, key, value, output, bias, *head_norms)
    gate = linear("feedforward.gate") if "feedforward.gate" in parts.layer else None
    feedforward = FeedForwardParts(norm("feedforward_norm"), linear("feedforward.0"), linear("feedforward.3"), gate)
    return LayerParts({kind: attention}, feedforward)


def _linear(module: Any, part: str = "") -> Linear:
    """Take the weights of a linear module, or those of one third of it, by number, if it fuses three layers."""
    linear = Linear(matrix(module), None if module.bias is None else module.bias.detach())
    size = len(linear.weight) // 3
    return linear.rows(slice(int(part) * size, (int(part) + 1) * size)) if part else linear


def _norm(module: Any) -> Norm:
    """Take the parameters of a layer normalisation, or of the library's RMS normalisation of any family."""
    if isinstance(module, nn.LayerNorm):
        return Norm(module.weight.detach(), module.bias.detach(), module.eps)
    return Norm(module.weight.detach(), None, module.variance_epsilon, centred=False)
