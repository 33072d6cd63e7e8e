"""Call the hook of a pass at the points of a network of `transformers`, by torch's forward hooks on its modules.

These are registered once, when the network is prepared, and do nothing outside an AttentionPass.
Names, shapes and order of the points are in `models/protocol.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from viz_core.adapters.attention import AttentionPass, current_pass
from viz_core.models.protocol import PointName

if TYPE_CHECKING:
    from viz_core.adapters.families import Parts
    from viz_core.adapters.network import Prepared

_See = Callable[[AttentionPass, Tensor], Tensor]


def watch_layers(prepared: Prepared) -> None:
    """Watch the points known in every network: the input of a layer, the output of its heads, the end of the last."""
    is_single = not prepared.network.config.is_encoder_decoder
    if prepared.without:  # the first layer with attention may not read the embeddings
        _on_output(prepared.network.get_input_embeddings(), lambda current, x: current.embed(x))
    for module in dict.fromkeys(prepared.modules if is_single else ()):
        _on_input(module, lambda current, x: current.start_layer(x))
    for module in dict.fromkeys(module for modules in prepared.outputs.values() for module in modules):
        module.register_forward_hook(_project)
    if prepared.final_norm and not prepared.family.parts:
        _on_input(prepared.final_norm, lambda current, x: current.at("residual_after")("residual_after", x))
    head = prepared.network.get_output_embeddings()
    if head is not None and is_single:
        _on_input(head, lambda current, x: current.pool(x))


def watch_parts(prepared: Prepared, parts: Parts) -> None:
    """Watch the points of a network whose every module is known."""
    network, base = prepared.network, prepared.network.base_model
    for ours, theirs in parts.embeddings.items():
        if ours.startswith("embedding.") and ours != "embedding.norm":
            name: Any = ours.removeprefix("embedding.")  # a PointName
            if has_module(base, theirs):
                _on_output(base.get_submodule(theirs), _at(name))
    embedded = base.get_submodule(parts.embedded)
    if parts.embedded == parts.embeddings["embedding.token"]:
        _on_output(embedded, _at("embedding_sum"))
    else:
        _on_input(base.get_submodule(parts.embeddings.get("embedding.norm", parts.embedded)), _at("embedding_sum"))
    _on_output(embedded, lambda current, x: current.embed(x))
    if has_module(base, parts.mapping):
        _on_output(base.get_submodule(parts.mapping), _at("stem"))
    if parts.rotation:
        base.get_submodule(parts.rotation).register_forward_hook(_see_rotation)
    ((_, heads),) = prepared.heads.items()
    for module in dict.fromkeys(prepared.modules):
        _watch_layer(module, parts, heads)
    if parts.norm == "pre":
        _on_output(base.get_submodule(parts.embeddings["norm"]), _at("final"))
    if parts.hidden and has_module(network, parts.output) and has_module(network, parts.hidden):
        hidden, output = network.get_submodule(parts.hidden), network.get_submodule(parts.output)
        _on_input(hidden, _at("pooled"))
        _on_output(hidden, _at("classifier_hidden"))
        _on_input(output, _at("classifier_activated"))


def _watch_layer(layer: nn.Module, parts: Parts, heads: int) -> None:
    """Watch the points of a layer with so many query heads."""
    ours = {name: layer.get_submodule(theirs.partition("/")[0]) for name, theirs in parts.layer.items()}
    _on_same_input((ours[f"attention.{name}"] for name in ("query", "key", "value")), "attention_input")
    if parts.rotation:
        _watch_rotated(ours, "query", ("unnormed_queries", "unrotated_queries"), heads)
        _watch_rotated(ours, "key", ("unnormed_keys", "unrotated_keys"), heads)
    gate, first, second = ours.get("feedforward.gate"), ours["feedforward.0"], ours["feedforward.3"]
    _on_same_input(filter(None, (gate, first)), "feedforward_input")
    if gate:
        _on_output(gate, _at("feedforward_gate"))
    _on_output(first, _at("feedforward_hidden"))
    _on_input(second, _at("feedforward_activated"))
    _on_output(second, _at("feedforward_output"))
    if parts.norm == "pre":
        _on_output(ours["attention.output"], lambda current, x: current.add(x, "residual_middle"))
        _on_output(second, lambda current, x: current.add(x, "residual_after"))
    else:
        _on_input(ours["attention_norm"], _at("attention_sum"))
        _on_output(ours["attention_norm"], _at("residual_middle"))
        _on_input(ours["feedforward_norm"], _at("feedforward_sum"))
        _on_output(ours["feedforward_norm"], lambda current, x: current.end_layer(x))


def _watch_rotated(ours: Mapping[str, nn.Module], name: str, points: tuple[PointName, PointName], heads: int) -> None:
    """Watch the queries or the keys before they are normalised, in families that do so, and before they are rotated."""
    projection, norm = ours[f"attention.{name}"], ours.get(f"attention.{name}_norm")
    width = len(matrix(ours["attention.query"])) // heads
    unnormed, unrotated = points
    if norm:
        _on_output(projection, _of_heads(unnormed, width))
    _on_output(norm or projection, _of_heads(unrotated, width))


def _of_heads(name: PointName, width: int) -> _See:
    """Call the hook with vectors `(B, T, H d)` or `(B, T, H, d)` of heads of this width, as `(B, H, T, d)`."""

    def see(current: AttentionPass, x: Tensor) -> Tensor:
        at = current.at(name)
        if not at.wants(name):
            return x
        per_head = x.reshape(*x.shape[:2], -1, width).transpose(1, 2)
        seen = at(name, per_head)
        return x if seen is per_head else seen.transpose(1, 2).reshape(x.shape)

    return see


def _see_rotation(module: nn.Module, inputs: tuple, output: tuple[Tensor, Tensor]) -> tuple[Tensor, ...]:
    """Call the hook with the cosines and sines `(B, T, d)` by which queries and keys are rotated."""
    current = current_pass()
    if current is None or not current.at("rotation").wants("rotation"):
        return output
    return current.at("rotation")("rotation", torch.stack(output, 1)).unbind(1)


def _at(name: PointName) -> _See:
    return lambda current, x: current.at(name)(name, x)


def _on_same_input(modules: Iterable[nn.Module], name: PointName) -> None:
    """Call the hook once with what all these modules read, in the order in which they are computed."""
    first, *others = dict.fromkeys(modules)
    _on_input(first, lambda current, x: current.read(x, name))
    for module in others:
        _on_input(module, lambda current, x: current.was_read)


def _on_input(module: nn.Module, see: _See) -> None:
    """Call `see` with the first argument of a module, its hidden states, and replace them by the result."""

    def change(module: nn.Module, inputs: tuple, keywords: dict) -> tuple[tuple, dict] | None:
        current = current_pass()
        if current is None:
            return None
        if inputs:
            return (see(current, inputs[0]), *inputs[1:]), keywords
        return inputs, {**keywords, "hidden_states": see(current, keywords["hidden_states"])}

    module.register_forward_pre_hook(change, with_kwargs=True)


def _on_output(module: nn.Module, see: _See) -> None:
    """Call `see` with the output of a module, and replace it by the result."""

    def change(module: nn.Module, inputs: tuple, output: Tensor) -> Tensor:
        current = current_pass()
        return output if current is None else see(current, output)

    module.register_forward_hook(change)


def matrix(module: Any) -> Tensor:
    """Return the weight of a linear module, outputs first; GPT-2's Conv1D stores inputs first."""
    weight = module.weight.detach()
    return weight if isinstance(module, nn.Linear) else weight.T


def _project(module: Any, inputs: tuple, output: Tensor) -> Tensor:
    """Call the hook after the output projection of an attention, for each head and for all together."""
    current = current_pass()
    if current is None:
        return output
    at = current.place
    if at.wants("head_outputs"):
        context = inputs[0].unflatten(-1, (current.heads, -1))
        matrices = matrix(module).unflatten(1, (current.heads, -1))
        computed = torch.einsum("bthd,ohd->bhto", context, matrices)
        per_head = at("head_outputs", computed)
        if per_head is not computed:
            output = per_head.sum(1) if module.bias is None else per_head.sum(1) + module.bias
    return at("attention_output", output)


def has_module(network: nn.Module, path: str) -> bool:
    """Whether a network has a module at this path; False for an empty path."""
    try:
        return bool(path) and network.get_submodule(path) is not None
    except AttributeError:
        return False
