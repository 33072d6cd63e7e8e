"""A model of `transformers` that implements `models.protocol.Model`.

Shapes: B batch, L layers, H heads, T tokens, D model width, C classes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel
from transformers.models.auto.modeling_auto import MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES

from viz_core.adapters.anatomy import anatomy_of
from viz_core.adapters.attention import AttentionPass
from viz_core.adapters.network import Prepared
from viz_core.adapters.scoring import defer
from viz_core.models.anatomy import Anatomy, Linear, ReadOut
from viz_core.models.protocol import AttentionKind, Hook, Output
from viz_core.records import DeferredWeights

_CLASSIFIERS = set(MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES.values())
_POOLINGS = {"cls": "cls", "bos": "cls"}  # names in ModernBERT and EuroBERT; all others are means


@dataclass(frozen=True)
class AdaptedConfig:
    """Sizes of an external model, as a `protocol.ClassifierConfig`; it is never trained here.

    Attributes:
        family: The `model_type` of its config.
        classes: C; for a model that predicts the next token, the size of the vocabulary; 0 without
            a classifier.
        pooling: `cls` or `mean`; `last` for a model that predicts the next token; empty without a
            classifier.
        group: Number of neighbouring heads that share keys and values (Ainslie et al. 2023, "GQA",
            https://arxiv.org/abs/2305.13245).
    """

    family: str
    vocabulary: int
    max_tokens: int
    classes: int
    layers: int
    heads: int
    width: int
    pooling: str
    parameter_count: int
    group: int = 1

    def parameters(self) -> int:
        """Number of parameters."""
        return self.parameter_count


class AdaptedModel(nn.Module):
    """A network of the library, with or without a classifier, as a `protocol.Model`.

    Attributes:
        second_segment: Token type of the second text of a pair, from the tokenizer.
        blank: Id that stands for no token, the baseline of integrated gradients.
        labels: Class names by index; empty if it does not choose one class for a whole text.
    """

    def __init__(self, prepared: Prepared, max_tokens: int, second_segment: int = 0, blank: int = 0) -> None:
        super().__init__()
        self.prepared, self.network, settings = prepared, prepared.network, prepared.network.config
        self.second_segment, self.blank = second_segment, blank
        kind = prepared.points[0][1]
        self.attention_kinds: tuple[AttentionKind, ...] = (kind,)
        self.labels = () if kind == "causal" else _class_labels(self.network)
        self.config = AdaptedConfig(
            family=settings.model_type,
            vocabulary=settings.vocab_size,
            max_tokens=max_tokens,
            classes=settings.vocab_size if prepared.predicts_next else len(self.labels),
            layers=prepared.layers[kind],
            heads=prepared.heads[kind],
            width=settings.hidden_size,
            pooling="last" if prepared.predicts_next else self._pooling(),
            parameter_count=sum(parameter.numel() for parameter in self.network.parameters()),
            group=prepared.heads[kind] // prepared.key_heads,
        )

    def _pooling(self) -> str:
        return _POOLINGS.get(getattr(self.network.config, "classifier_pooling", "cls"), "mean") if self.labels else ""

    @property
    def token_embedding(self) -> nn.Embedding:
        """Token embeddings, one row per token id."""
        return self.network.get_input_embeddings()

    @cached_property
    def anatomy(self) -> Anatomy:
        """The weights of the model by function.

        Raises:
            Failure: If the steps of the model are not known; the message says what differs.
        """
        return anatomy_of(self.prepared, self.second_segment, self.config.classes)

    @property
    def read_out(self) -> ReadOut | None:
        """What maps the end of the residual stream to the logits of the next token, if all parts are added up there."""
        norm, output = self.prepared.final_norm, self.network.get_output_embeddings()
        return ReadOut(norm, Linear.of(output)) if norm and self.prepared.predicts_next else None

    @cached_property
    def output_projections(self) -> Mapping[AttentionKind, Sequence[Tensor]]:
        """Output projection of each layer, `(D, H d)`, by kind of attention; empty if values cannot be seen."""
        return self.prepared.projections()

    def forward(
        self, ids: Tensor, segments: Tensor, mask: Tensor, need_attention: bool = False, hook: Hook | None = None
    ) -> Output:
        """Compute logits and, if requested, attention; arguments as in `protocol.Model`."""
        return self._run(self._inputs(ids, segments, mask), self._pass(mask, need_attention, hook))

    @property
    def can_defer(self) -> bool:
        """Whether attention weights can be computed later, from queries and keys: where our attention has both."""
        return self.prepared.family.attention == "interface"

    def deferred(
        self, ids: Tensor, segments: Tensor, mask: Tensor, hook: Hook | None = None
    ) -> tuple[Output, list[DeferredWeights]]:
        """Compute logits, and for each text what its attention weights `(L, H, T, T)` are computed from.

        Args:
            ids, segments, mask: As in `forward`.
            hook: As in `forward`, for other points than scores and weights.
        """
        current = self._pass(mask, hook=hook, defers=True)
        output = self._run(self._inputs(ids, segments, mask), current)
        return output, [
            defer([scoring.of_text(number, tokens) for scoring in current.scorings])
            for number, tokens in enumerate(mask.sum(1).tolist())
        ]

    def embed(self, ids: Tensor, segments: Tensor, mask: Tensor, hook: Hook | None = None) -> Tensor:
        """Compute the input of the first layer, or of a mapping before it, `(B, T, E)`."""
        current = AttentionPass(self.prepared.points, hook=hook)
        with current.active():
            self.network.base_model(**self._inputs(ids, segments, mask))
        assert current.embedded is not None  # noqa: S101 - called in every pass
        return current.embedded

    def from_embeddings(
        self, x: Tensor, mask: Tensor, need_attention: bool = False, hook: Hook | None = None
    ) -> Output:
        """Compute the output from embeddings `(B, T, E)`."""
        ids = torch.zeros(mask.shape, dtype=torch.long)  # any ids: x takes the place of their embeddings
        return self._run(self._inputs(ids, ids, mask), self._pass(mask, need_attention, hook, x))

    def encode(self, ids: Tensor, segments: Tensor, mask: Tensor, hook: Hook | None = None) -> Tensor:
        """Compute the output of the last layer, `(B, T, D)`."""
        with AttentionPass(self.prepared.points, hook=hook).active():
            return self.network.base_model(**self._inputs(ids, segments, mask)).last_hidden_state

    def _pass(
        self,
        mask: Tensor,
        need_attention: bool = False,
        hook: Hook | None = None,
        embedded: Tensor | None = None,
        defers: bool = False,
    ) -> AttentionPass:
        last = (torch.arange(mask.shape[1], device=mask.device) * mask).argmax(1).to(self.network.device)  # (B,)
        return AttentionPass(self.prepared.points, need_attention, hook, embedded, last, defers)

    def _run(self, inputs: Mapping[str, Any], current: AttentionPass) -> Output:
        network = self.network if self.config.classes else self.network.base_model
        with current.active():
            result = network(**inputs)
            if not self.config.classes:
                return Output(torch.zeros(len(inputs["input_ids"]), 0), current.attention())
            logits = result.logits[:, 0] if self.prepared.predicts_next else result.logits  # of the last token alone
            logits = current.at("logits")("logits", logits.float()).cpu()
        return Output(logits, current.attention())

    def _inputs(self, ids: Tensor, segments: Tensor, mask: Tensor) -> dict[str, Any]:
        """Return the arguments for the library, on the device of the model.

        Positions are given explicitly: for RoBERTa the library would count them from the ids, so that
        a masked token would shift the others.
        """
        inputs = {
            "input_ids": ids,
            "attention_mask": mask.long(),
            "position_ids": (torch.arange(ids.shape[1]) + self.prepared.offset).expand(ids.shape),
        }
        if types := getattr(self.network.config, "type_vocab_size", 0):
            inputs["token_type_ids"] = segments * min(self.second_segment, types - 1)
        on_device = {name: tensor.to(self.network.device) for name, tensor in inputs.items()}
        return {n: value for n, value in {**on_device, "use_cache": False}.items() if n in self.prepared.arguments}


def _class_labels(network: PreTrainedModel) -> tuple[str, ...]:
    settings = network.config
    if (
        type(network).__name__ not in _CLASSIFIERS
        or settings.num_labels < 2
        or settings.problem_type not in (None, "single_label_classification")
    ):
        return ()
    return tuple(str(settings.id2label[number]) for number in range(settings.num_labels))
