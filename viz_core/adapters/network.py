"""Replace the attentions of a network of `transformers` by ours, and locate them by running it once.

Shapes: B batch, H heads, T queries, S keys, D model width, d width of a head.
"""

import copy
import inspect
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TypeVar

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from viz_core.adapters.attention import NAME, AttentionPass, change_weights
from viz_core.adapters.cache import layers_without_attention
from viz_core.adapters.families import FAMILIES, Family, Parts
from viz_core.adapters.mpnet import replace_attention
from viz_core.adapters.points import matrix, watch_layers, watch_parts
from viz_core.adapters.residual import Calls
from viz_core.adapters.scoring import Scoring
from viz_core.adapters.slots import Slot, slots_of
from viz_core.models.anatomy import ScoreRule
from viz_core.models.protocol import NO_HOOK, AttentionKind, HookCaller
from viz_core.records import Failure

SOURCE, TARGET = 5, 3  # tokens of the trial run: attentions are told apart by their numbers of queries and keys
T = TypeVar("T")
_TOLERANCE = 1e-3  # of the trial run, relative to the largest number: the order of summation differs, in 32 bits


@dataclass(frozen=True)
class Prepared:
    """A network whose attentions belong to an AttentionPass.

    Attributes:
        network: The network.
        name: Of the model, in messages.
        family: Spec of its family.
        points: Layer and kind of each attention, in the order of computation.
        modules: The layer of each attention, in the same order; repeated if layers share weights.
        layers: Number of layers with such an attention, by kind.
        heads: Number of heads, by kind.
        key_heads: Number of heads of keys and values, of the first kind.
        outputs: By kind, the module of each layer that writes its heads into the residual stream;
            empty if the values cannot be seen.
        final_norm: The normalisation at the end of the residual stream, if all that attentions and
            feed-forward layers write is added up until there; else None.
        arguments: Names of the arguments of the network.
        offset: Position of the first token.
        rules: What becomes of the scores of each attention, in the same order; empty if they cannot be seen.
        without: Layers of the network, from 0, that have no attention; the others are numbered among themselves.
    """

    network: PreTrainedModel
    name: str
    family: Family
    points: tuple[tuple[int, AttentionKind], ...]
    modules: tuple[nn.Module, ...]
    layers: Mapping[AttentionKind, int]
    heads: Mapping[AttentionKind, int]
    key_heads: int
    outputs: Mapping[AttentionKind, Sequence[nn.Module]]
    final_norm: nn.Module | None
    arguments: frozenset[str]
    offset: int
    rules: tuple[ScoreRule, ...]
    without: tuple[int, ...] = ()

    def slots(self, parts: Parts) -> list[Mapping[str, Slot]]:
        """The modules of the layer of each attention."""
        ((_, heads),) = self.heads.items()
        return [slots_of(layer, parts, heads, self.key_heads) for layer in self.modules]

    @property
    def predicts_next(self) -> bool:
        """Whether it predicts the token after the last one: C is then the size of the vocabulary."""
        return self.points[0][1] == "causal" and self.network.get_output_embeddings() is not None

    def of(self, *kinds: AttentionKind) -> list[tuple[int, AttentionKind]]:
        """Return the points of these kinds."""
        return [point for point in self.points if point[1] in kinds]

    def projections(self) -> dict[AttentionKind, list[Tensor]]:
        """Return the output projection of each layer, `(D, H d)`, outputs first, by kind of attention."""
        return {kind: [matrix(module) for module in modules] for kind, modules in self.outputs.items()}


def is_supported(family: str, network: type[PreTrainedModel]) -> bool:
    """Whether the attention of a class can be replaced by ours, as far as the class says."""
    return family in FAMILIES or network._can_set_attn_implementation()


def prepare(network: PreTrainedModel, name: str = "") -> Prepared:
    """Prepare a copy that shares all weights; the network itself is not changed.

    Raises:
        Failure: If a layer has no attention that can be replaced, or the result with ours differs.
    """
    family, prepared = FAMILIES.get(network.config.model_type, Family()), _share_weights(network).eval()
    unknown = Failure("adapters.unknown_family", name=name, family=network.config.model_type)
    if not is_supported(network.config.model_type, type(network)):
        raise unknown
    if family.attention == "interface":
        prepared.set_attn_implementation("eager")
    trial, calls = _Trial(), Calls()
    arguments, offset = _arguments(prepared) & _arguments(prepared.base_model), position_offset(prepared)
    expected = _run(prepared)
    _make_ours(prepared, family)
    prepared.eval()  # including modules of ours
    with calls.watching(prepared.base_model), trial.watching(prepared), trial.active():
        computed = _run(prepared, offset if "position_ids" in arguments else None)
    layers, heads = trial.layers_by_kind(), trial.heads_by_kind()
    config = prepared.config
    without = () if config.is_encoder_decoder else layers_without_attention(config)
    if layers and next(iter(layers.values())) + len(without) != config.num_hidden_layers or 0 in heads.values():
        raise unknown
    if not layers:
        raise Failure("adapters.no_attention", name=name, family=config.model_type) if without else unknown
    modules = _layers(prepared, trial.modules, family)
    difference, largest = float((computed - expected).abs().max()), float(expected.abs().max())
    if difference > _TOLERANCE * max(1.0, largest):  # False for NaN, which is refused elsewhere
        raise Failure("adapters.computes_otherwise", name=name, family=network.config.model_type)
    outputs, final_norm = trial.outputs(), None
    if set(outputs) == {"causal"} and not without and calls.add_up(modules, outputs["causal"]):
        final_norm = calls.last_before(computed, modules)
    result = Prepared(
        prepared,
        name,
        family,
        tuple(trial.points),
        modules,
        layers,
        heads,
        trial.key_heads or next(iter(heads.values())),
        outputs,
        final_norm,
        arguments,
        offset,
        tuple(trial.rules),
        without,
    )
    watch_layers(result)
    if family.parts:
        watch_parts(result, family.parts)
    return result


def _make_ours(network: PreTrainedModel, family: Family) -> None:
    match family.attention:
        case "interface":
            network.set_attn_implementation(NAME)
        case "module":
            replace_attention(network.base_model)
        case "dropout":
            for path, module in network.named_modules():
                if path.endswith(family.dropout):
                    module.register_forward_hook(change_weights)


def _layers(network: nn.Module, attentions: Sequence[nn.Module], family: Family) -> tuple[nn.Module, ...]:
    """Return the layer of each attention.

    That is the element of the outermost list of modules around it, or of the list that its family
    names.
    """
    paths = {module: path.split(".") for path, module in network.named_modules()}
    layers = []
    for path in (paths[attention] for attention in attentions):
        prefixes = [path[:i] for i in range(1, len(path)) if path[i].isdigit()]
        nearest = next((prefix for prefix in prefixes if family.layers in ("", prefix[-1])), path)
        layers.append(network.get_submodule(".".join(path[: len(nearest) + 1])))
    return tuple(layers)


def _arguments(network: PreTrainedModel) -> frozenset[str]:
    return frozenset(inspect.signature(network.forward).parameters)


def position_offset(network: PreTrainedModel) -> int:
    """Return the position of the first token: the id of padding plus 1 in models from fairseq (RoBERTa), else 0."""
    tables = (module for path, module in network.base_model.named_modules() if path.endswith("position_embeddings"))
    paddings = [table.padding_idx for table in tables if getattr(table, "padding_idx", None) is not None]
    return paddings[0] + 1 if paddings else 0


def _run(network: PreTrainedModel, offset: int | None = None) -> Tensor:
    """Run the network on a few tokens; return the last hidden states, or the logits of the target.

    Args:
        network: The network.
        offset: Position of the first token; None leaves positions to the network.
    """
    padding = getattr(network.config, "pad_token_id", None)
    ids = torch.tensor([[i for i in range(SOURCE + 1) if i != padding][:SOURCE]], device=network.device)
    inputs = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
    with torch.no_grad():
        if network.config.is_encoder_decoder:
            return network(**inputs, decoder_input_ids=ids[:, :TARGET], use_cache=False)[0]
        positions = (
            {} if offset is None else {"position_ids": torch.arange(SOURCE, device=network.device)[None] + offset}
        )
        return network.base_model(**inputs, **positions)[0]


class _Trial(AttentionPass):
    """A pass that notes each attention, and the module that reads its output."""

    def __init__(self) -> None:
        super().__init__((), need_attention=True)
        self.points: list[tuple[int, AttentionKind]] = []
        self.modules: list[nn.Module] = []
        self.rules: list[ScoreRule] = []
        self.key_heads = 0  # unknown
        self._heads: list[int] = []
        self._readers: list[nn.Module | None] = []
        self._context: Tensor | None = None

    def next_hook(self, module: nn.Module, heads: int) -> HookCaller:
        self.modules.append(module)
        return NO_HOOK

    def record(self, weights: Tensor) -> None:
        kind = _kind(weights[0])
        self.points.append((sum(known == kind for _, known in self.points), kind))
        self._heads.append(weights.shape[1])
        self._readers.append(None)

    def defer(self, scoring: Scoring) -> None:
        self.rules.append(ScoreRule(round(scoring.scaling**-2, 6), scoring.softcap, scoring.sliding_window))
        self.key_heads = self.key_heads or scoring.key.shape[1]

    def write(self, context: Tensor) -> None:
        self._context = context

    @contextmanager
    def watching(self, network: nn.Module) -> Iterator[None]:
        def note(module: nn.Module, inputs: tuple) -> None:
            x = inputs[0] if inputs else None
            if self._context is not None and isinstance(x, Tensor) and x.data_ptr() == self._context.data_ptr():
                self._readers[-1], self._context = module, None

        with ExitStack() as stack:
            for module in network.modules():
                if getattr(module, "weight", None) is not None:
                    stack.callback(module.register_forward_pre_hook(note).remove)
            yield

    def layers_by_kind(self) -> dict[AttentionKind, int]:
        return {kind: len(result) for kind, result in self._by_kind(self.points).items()}

    def heads_by_kind(self) -> dict[AttentionKind, int]:
        """Return the number of heads by kind; 0 if layers differ."""
        numbers = {kind: set(result) for kind, result in self._by_kind(self._heads).items()}
        return {kind: result.pop() if len(result) == 1 else 0 for kind, result in numbers.items()}

    def outputs(self) -> dict[AttentionKind, list[nn.Module]]:
        """Return the output projections by kind; empty if an output is not read by a module with a weight."""
        readers = [reader for reader in self._readers if reader is not None]
        return self._by_kind(readers) if len(readers) == len(self._readers) else {}

    def _by_kind(self, values: Sequence[T]) -> dict[AttentionKind, list[T]]:
        result: dict[AttentionKind, list[T]] = {}
        for (_, kind), value in zip(self.points, values, strict=True):
            result.setdefault(kind, []).append(value)
        return result


def _kind(weights: Tensor) -> AttentionKind:
    """Return the kind of an attention of the trial run from its weights, `(H, T, S)`."""
    if weights.shape[1] != weights.shape[2]:
        return "cross"
    return "self" if weights.triu(1).any() else "causal"


def _share_weights(network: PreTrainedModel) -> PreTrainedModel:
    """Copy a network, sharing its weights, so that modules can be changed without taking memory twice."""
    tensors = [*network.parameters(), *network.buffers()]
    return copy.deepcopy(network, {id(tensor): tensor for tensor in tensors})
