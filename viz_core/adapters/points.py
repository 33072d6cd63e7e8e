"""Call the hook of a pass at the points of a network of `transformers`, by torch's forward hooks on its modules.

These are registered once, when the network is prepared, and do nothing outside an AttentionPass.
Names, shapes and order of the points are in `models/protocol.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from viz_core.adapters.attention import AttentionPass, current_pass
from viz_core.adapters.slots import Slot, is_parallel, rotates
from viz_core.models.protocol import AttentionKind, PointName

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
    if not is_single:
        _watch_sides(prepared.network)
        return
    if (head := prepared.network.get_output_embeddings()) is not None:
        _on_input(head, lambda current, x: current.pool(x))


def _watch_sides(network: PreTrainedModel) -> None:
    """Watch the token embeddings of an encoder and its decoder, which may share them."""
    sides: dict[AttentionKind, Any] = {"self": network.get_encoder(), "causal": network.get_decoder()}
    for kind, side in sides.items():
        _on_start(side, kind)
    for module in dict.fromkeys(side.get_input_embeddings() for side in sides.values()):
        _on_output(module, _at("token"))


def _on_start(side: nn.Module, kind: AttentionKind) -> None:
    """Let what follows belong to a side."""

    def start(module: nn.Module, inputs: tuple) -> None:
        if current := current_pass():
            current.kind = kind

    side.register_forward_pre_hook(start)


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
    config, seen = network.config, set[nn.Module]()
    ((_, heads),) = prepared.heads.items()
    for number, (layer, slots) in enumerate(zip(prepared.modules, prepared.slots(parts), strict=True)):
        if layer not in seen:
            width = _query_width(slots, heads) if rotates(parts, config, number) else 0
            _watch_layer(layer, parts, slots, width, is_parallel(parts, config))
        seen.add(layer)
    if parts.norm == "pre":
        _on_output(base.get_submodule(parts.embeddings["norm"]), _at("final"))
    if getattr(config, "final_logit_softcapping", None) and prepared.predicts_next:
        _on_output(network.get_output_embeddings(), _at("uncapped"))
    if parts.hidden and has_module(network, parts.output) and has_module(network, parts.hidden):
        hidden, output = network.get_submodule(parts.hidden), network.get_submodule(parts.output)
        _on_input(hidden, _at("pooled"))
        _on_output(hidden, _at("classifier_hidden"))
        _on_input(output, _at("classifier_activated"))


def _watch_layer(layer: nn.Module, parts: Parts, slots: Mapping[str, Slot], turned: int, parallel: bool) -> None:
    """Watch the points of a layer.

    Args:
        layer: The layer.
        parts: Of its family.
        slots: Its modules.
        turned: Width of its heads if they are rotated, else 0.
        parallel: Whether attention and feed-forward are added together.
    """
    attended, second = slots["attention.output"], slots["feedforward.3"]
    _on_same_input((slots[f"attention.{name}"].module for name in ("query", "key", "value")), "attention_input")
    if turned:
        layer.register_forward_pre_hook(_see_rotation, with_kwargs=True)
        _watch_rotated(slots, "query", ("unnormed_queries", "unrotated_queries"), turned, parts.heads_first)
        _watch_rotated(slots, "key", ("unnormed_keys", "unrotated_keys"), turned, parts.heads_first)
    first = [slots[name] for name in ("feedforward.gate", "feedforward.0") if name in slots]
    _on_same_input((slot.module for slot in first), "feedforward_input")
    if "feedforward.gate" in slots:
        _on_part(slots["feedforward.gate"], _at("feedforward_gate"))
    _on_part(slots["feedforward.0"], _at("feedforward_hidden"))
    _on_input(second.module, _at("feedforward_activated"))
    _on_output(second.module, _at("feedforward_output"))
    if parts.norm == "pre":
        attended = _watch_output_norm(slots, "attention_output_norm", "attention_normed") or attended
        second = _watch_output_norm(slots, "feedforward_output_norm", "feedforward_normed") or second
        _on_output(attended.module, lambda current, x: current.add(x, None if parallel else "residual_middle"))
        _on_output(second.module, lambda current, x: current.add(x, "residual_after"))
    else:
        _on_input(slots["attention_norm"].module, _at("attention_sum"))
        _on_output(slots["attention_norm"].module, _at("residual_middle"))
        _on_input(slots["feedforward_norm"].module, _at("feedforward_sum"))
        _on_output(slots["feedforward_norm"].module, lambda current, x: current.end_layer(x))


def _watch_output_norm(slots: Mapping[str, Slot], ours: str, name: PointName) -> Slot | None:
    """Watch the normalisation of what a sub-layer adds; return it, or None without one."""
    if ours in slots:
        _on_output(slots[ours].module, _at(name))
    return slots.get(ours)


def _query_width(slots: Mapping[str, Slot], heads: int) -> int:
    """Width of a head."""
    query = slots["attention.query"]
    return query.of(matrix(query.module), 0)[..., 0].numel() // heads


def _watch_rotated(
    slots: Mapping[str, Slot], name: str, points: tuple[PointName, PointName], width: int, heads_first: bool
) -> None:
    """Watch the queries or the keys before they are normalised, in families that do so, and before they are rotated."""
    projection, norm = slots[f"attention.{name}"], slots.get(f"attention.{name}_norm")
    unnormed, unrotated = points
    if norm:
        _on_part(projection, _of_heads(unnormed, width))
    _on_part(norm or projection, _of_heads(unrotated, width, heads_first and norm is not None))


def _of_heads(name: PointName, width: int, heads_first: bool = False) -> _See:
    """Call the hook with vectors of heads as `(B, H, T, d)`.

    Args:
        name: The point.
        width: Of a head, d.
        heads_first: Whether they are so already, and not `(B, T, H d)` or `(B, T, H, d)`.
    """

    def see(current: AttentionPass, x: Tensor) -> Tensor:
        at = current.at(name)
        if heads_first or not at.wants(name):
            return at(name, x)
        per_head = x.reshape(*x.shape[:2], -1, width).transpose(1, 2)
        seen = at(name, per_head)
        return x if seen is per_head else seen.transpose(1, 2).reshape(x.shape)

    return see


def _see_rotation(module: nn.Module, inputs: tuple, keywords: dict) -> tuple[tuple, dict] | None:
    """Call the hook with the cosines and sines `(B, T, r)` by which a layer rotates queries and keys."""
    current = current_pass()
    if current is None or not current.at("rotation").wants("rotation"):
        return None
    seen = current.at("rotation")("rotation", torch.stack(keywords["position_embeddings"], 1))
    return inputs, {**keywords, "position_embeddings": seen.unbind(1)}


def _at(name: PointName) -> _See:
    return lambda current, x: current.at(name)(name, x) if current.has_hook else x


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
        x = inputs[0] if inputs else keywords["hidden_states"]
        seen = see(current, x)
        if seen is x:
            return None
        return ((seen, *inputs[1:]), keywords) if inputs else (inputs, {**keywords, "hidden_states": seen})

    module.register_forward_pre_hook(change, with_kwargs=True)


def _on_output(module: nn.Module, see: _See) -> None:
    """Call `see` with the output of a module, and replace it by the result."""

    def change(module: nn.Module, inputs: tuple, output: Tensor) -> Tensor:
        current = current_pass()
        return output if current is None else see(current, output)

    module.register_forward_hook(change)


def _on_part(slot: Slot, see: _See) -> None:
    """Call `see` with what a module gives of one of our maps, and replace it by the result."""

    def see_part(current: AttentionPass, x: Tensor) -> Tensor:
        if not current.has_hook:
            return x
        part = slot.of(x)
        seen = see(current, part)
        if seen is part:
            return x
        changed = x.clone()
        slot.of(changed).copy_(seen)
        return changed

    _on_output(slot.module, see_part)


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
