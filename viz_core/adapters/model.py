"""A model of `transformers` that implements `models.protocol.Model`.

Shapes: B batch, L layers, H heads, T tokens, D model width, C classes.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from viz_core.adapters.attention import NAME, AttentionPass, change_weights, exchange_embeddings
from viz_core.adapters.families import FAMILIES, Family
from viz_core.adapters.mpnet import replace_attention
from viz_core.models.protocol import AttentionKind, Hook, Output


@dataclass(frozen=True)
class AdaptedConfig:
    """Sizes of a model from elsewhere, as `protocol.ClassifierConfig`; it is never trained here. classes: C, of
    a causal model the tokens that may come next, 0 without a classifier. pooling: `cls`; empty without a classifier."""

    family: str
    vocabulary: int
    max_tokens: int
    classes: int
    layers: int
    heads: int
    width: int
    pooling: str
    parameter_count: int

    def parameters(self) -> int:
        return self.parameter_count


class AdaptedModel(nn.Module):
    """network: of the library, with or without a classifier; its weights are shared, the network itself stays as it is.

    second_segment: the token type of the second text of a pair, as its tokenizer has it. blank: the id that stands for
    no token, as the baseline of integrated gradients. classes: C, 0 if what is on top of the network is not a
    classifier of our kind.
    """

    def __init__(
        self, network: PreTrainedModel, max_tokens: int, classes: int, second_segment: int = 0, blank: int = 0
    ) -> None:
        super().__init__()
        self.family: Family = FAMILIES[network.config.model_type]
        self.network = _prepare(share_weights(network), self.family).eval()
        self.second_segment, self.blank = second_segment, blank
        settings = network.config
        self.attention_kinds: tuple[AttentionKind, ...] = (self.family.kind,)
        self.config = AdaptedConfig(
            family=settings.model_type,
            vocabulary=settings.vocab_size,
            max_tokens=max_tokens,
            classes=classes,
            layers=settings.num_hidden_layers,
            heads=settings.num_attention_heads,
            width=settings.hidden_size,
            pooling="cls" if classes and self.family.kind == "self" else "",
            parameter_count=sum(parameter.numel() for parameter in network.parameters()),
        )

    @property
    def token_embedding(self) -> nn.Embedding:
        return self.network.get_input_embeddings()

    @cached_property
    def output_projections(self) -> Mapping[AttentionKind, Sequence[Tensor]]:
        """By kind, of each layer `(D, D)`; empty where the family does not let us see the values."""
        projections = self.family.projections(self.network.base_model)
        return {self.family.kind: projections} if projections else {}

    def forward(
        self, ids: Tensor, segments: Tensor, mask: Tensor, need_attention: bool = False, hook: Hook | None = None
    ) -> Output:
        return self._run(self._inputs(ids, segments, mask), need_attention, hook)

    def embed(self, ids: Tensor, segments: Tensor, mask: Tensor) -> Tensor:
        """What the first layer reads, `(B, T, D)`."""
        current = self._pass()
        with current.active():
            self.network.base_model(**self._inputs(ids, segments, mask))
        return current.embedded

    def from_embeddings(
        self, x: Tensor, mask: Tensor, need_attention: bool = False, hook: Hook | None = None
    ) -> Output:
        ids = torch.zeros(mask.shape, dtype=torch.long)  # whatever they are: x takes the place of their embeddings
        return self._run(self._inputs(ids, ids, mask), need_attention, hook, x)

    def encode(self, ids: Tensor, segments: Tensor, mask: Tensor, hook: Hook | None = None) -> Tensor:
        """The last layer's output `(B, T, D)`."""
        with self._pass(False, hook).active():
            return self.network.base_model(**self._inputs(ids, segments, mask)).last_hidden_state

    def _pass(self, *arguments: object) -> AttentionPass:
        return AttentionPass([(layer, self.family.kind) for layer in range(self.config.layers)], *arguments)

    def _run(
        self, inputs: Mapping[str, Tensor], need_attention: bool, hook: Hook | None, embedded: Tensor | None = None
    ) -> Output:
        current = self._pass(need_attention, hook, embedded)
        network = self.network if self.config.classes else self.network.base_model
        with current.active():
            result = network(**inputs)
        batch = len(inputs["input_ids"])
        logits = result.logits.float().cpu() if self.config.classes else torch.zeros(batch, 0)
        if logits.dim() == 3:  # (B, T, C), of which the last real token's predict what comes next
            positions = torch.arange(logits.shape[1]) * inputs["attention_mask"].cpu()
            logits = logits[torch.arange(batch), positions.argmax(1)]
        return Output(logits, current.attention())

    def _inputs(self, ids: Tensor, segments: Tensor, mask: Tensor) -> dict[str, Tensor | bool]:
        """The arguments of the library, on the device of the model. Positions are given: the library would count those
        of RoBERTa from the ids, so that a masked token moved the others."""
        device, settings = self.network.device, self.network.config
        offset = self.family.position_offset(settings.pad_token_id or 0)
        inputs = {
            "input_ids": ids,
            "attention_mask": mask.long(),
            "position_ids": (torch.arange(ids.shape[1]) + offset).expand(ids.shape),
        }
        if types := getattr(settings, "type_vocab_size", 0):
            inputs["token_type_ids"] = segments * min(self.second_segment, types - 1)
        options = {"use_cache": False} if self.family.kind == "causal" else {}
        return {name: tensor.to(device) for name, tensor in inputs.items()} | options


def share_weights(network: PreTrainedModel) -> PreTrainedModel:
    """A copy whose weights are the same tensors, so that modules can be changed in it and memory is not taken twice."""
    tensors = [*network.parameters(), *network.buffers()]
    return copy.deepcopy(network, {id(tensor): tensor for tensor in tensors})


def _prepare(network: PreTrainedModel, family: Family) -> PreTrainedModel:
    """Makes its attentions and its embeddings belong to an AttentionPass."""
    base = network.base_model
    match family.through:
        case "interface":
            network.set_attn_implementation(NAME)
        case "module":
            network.set_attn_implementation("eager")
            replace_attention(base)
        case "dropout":
            for layer in family.layers(base):
                layer.get_submodule(family.dropout).register_forward_hook(change_weights)
    base.get_submodule(family.embeddings).register_forward_hook(exchange_embeddings)
    return network
