"""The weights of an external model by function (`models/anatomy.py`), for families whose modules are known."""

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from viz_core.adapters.families import Parts
from viz_core.adapters.network import Prepared
from viz_core.adapters.points import has_module, matrix
from viz_core.adapters.slots import Slot, is_parallel
from viz_core.models.anatomy import (
    Anatomy,
    AttentionParts,
    FeedForwardParts,
    LayerParts,
    Linear,
    Norm,
    ScoreRule,
    Stack,
)
from viz_core.records import Failure

# The library's names of activations -> ours; all names of GELU's approximation compute the same.
_ACTIVATIONS = {"relu": "relu", "gelu": "gelu", "silu": "silu", "swish": "silu"} | dict.fromkeys(
    ("gelu_new", "gelu_fast", "gelu_pytorch_tanh"), "gelu_tanh"
)

_EPSILON = 1e-5  # of a normalisation that does not say it: OLMo's
Slots = Mapping[str, Slot]


def anatomy_of(prepared: Prepared, second_segment: int, classes: int) -> Anatomy:
    """Collect the weights of a prepared model.

    Args:
        prepared: The model.
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
        if (getattr(config, entry, value) or None) != (value or None):  # None and False are the same
            raise Failure("inside.entry", name=name, entry=entry, value=str(getattr(config, entry)))
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
        key_heads=prepared.key_heads,
        norm=parts.norm,
        activation=_ACTIVATIONS[activation],
        positions="rotary" if parts.rotary else "learned",
        pooling="last" if kind == "causal" else "cls",
        encoder=stack if kind == "self" else None,
        decoder=stack if kind == "causal" else None,
        classifier=output,
        classifier_hidden=hidden,
        classifier_activation=parts.activation if hidden else "",
        parallel=is_parallel(parts, config),
        logit_cap=getattr(config, "final_logit_softcapping", None),
    )


def activation_name(config: object) -> str:
    """Return the library's name of the feed-forward activation, whose entry differs between configs."""
    names = ("hidden_activation", "hidden_act", "activation_function", "activation")
    return str(next(filter(None, (getattr(config, name, None) for name in names)), ""))


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
        ours: _norm(base.get_submodule(parts.embeddings[ours]), parts.norm_offset)
        for ours in ("embedding.norm", "norm")
        if ours in parts.embeddings
    }
    kind = prepared.points[0][1]
    bias = base.get_submodule(parts.bias).weight.detach() if parts.bias else None
    layers = zip(prepared.slots(parts), prepared.rules, strict=True)
    return Stack(
        embeddings=tables,
        layers=[
            LayerParts({kind: _attention(slots, parts, bias, rule)}, _feedforward(slots, parts))
            for slots, rule in layers
        ],
        embedding_scale=float(getattr(prepared.network.get_input_embeddings(), "embed_scale", 1.0)),
        embedding_norm=norms.get("embedding.norm"),
        mapping=_linear(base.get_submodule(parts.mapping)) if has_module(base, parts.mapping) else None,
        final_norm=norms.get("norm"),
    )


def _attention(slots: Slots, parts: Parts, bias: Tensor | None, rule: ScoreRule) -> AttentionParts:
    """Collect the weights of an attention; `bias` is the position bias shared by all layers."""
    query, key, value, output = (_map(slots[f"attention.{name}"]) for name in ("query", "key", "value", "output"))
    names = ("attention_norm", "attention.query_norm", "attention.key_norm", "attention_output_norm")
    norm, query_norm, key_norm, output_norm = (_optional_norm(slots, name, parts) for name in names)
    return AttentionParts(norm, query, key, value, output, bias, query_norm, key_norm, output_norm, rule)


def _feedforward(slots: Slots, parts: Parts) -> FeedForwardParts:
    norm, output_norm = (_optional_norm(slots, name, parts) for name in ("feedforward_norm", "feedforward_output_norm"))
    gate = _map(slots["feedforward.gate"]) if "feedforward.gate" in slots else None
    return FeedForwardParts(norm, _map(slots["feedforward.0"]), _map(slots["feedforward.3"]), gate, output_norm)


def _map(slot: Slot) -> Linear:
    """Take the weights of a linear map."""
    whole = _linear(slot.module)
    return Linear(slot.of(whole.weight, 0), None if whole.bias is None else slot.of(whole.bias, 0))


def _linear(module: Any) -> Linear:
    """Take the weights of a linear module."""
    return Linear(matrix(module), None if module.bias is None else module.bias.detach())


def _optional_norm(slots: Slots, name: str, parts: Parts) -> Norm | None:
    return _norm(slots[name].module, parts.norm_offset) if name in slots else None


def _norm(module: Any, offset: float) -> Norm:
    """Take the parameters of a layer normalisation, or of an RMS normalisation, of any family.

    Args:
        module: The normalisation.
        offset: Added to its stored weight.
    """
    weight, bias = (
        None if getattr(module, name, None) is None else getattr(module, name).detach() for name in ("weight", "bias")
    )
    epsilon = next((getattr(module, name) for name in ("eps", "variance_epsilon") if hasattr(module, name)), _EPSILON)
    centred = "RMS" not in type(module).__name__
    return Norm(weight + offset if weight is not None and offset else weight, bias, epsilon, centred)
