"""A model from elsewhere as our Encoder, where both compute the same, so that every step of it is known: the page about
the inside of attention follows it as any of ours.

These are the families whose layers are BERT's: BERT, DistilBERT, ELECTRA, and RoBERTa with its multilingual and French
relatives (Liu et al. 2019, https://arxiv.org/abs/1907.11692), whose positions begin after the id of padding. Their
tensors are shared, but for two rows of segments; on top of them is their own classifier.
tests/pretrained/test_as_encoder.py compares both to 1e-5.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from viz_core.checkpoints import Checkpoint
from viz_core.models.classifier import HiddenActivation, HiddenClassifier, NoClassifier
from viz_core.models.config import EncoderConfig
from viz_core.models.encoder import Encoder
from viz_core.pretrained.config import ACTIVATIONS, COMMON
from viz_core.pretrained.families import FAMILIES, Family
from viz_core.pretrained.weights import tensor_names
from viz_core.records import OTHER, Failure

if TYPE_CHECKING:
    from viz_core.adapters.model import AdaptedModel


@dataclass(frozen=True)
class ConvertedConfig(EncoderConfig):
    """classes: 0 without a classifier. segments: as many embeddings of them as are read, 0 without any."""

    parameter_count: int = 0

    def __post_init__(self) -> None:
        """Its values were judged when the model was opened."""

    def parameters(self) -> int:
        return self.parameter_count


@dataclass(frozen=True)
class _Head:
    """What a network has on top: of the paths of its modules, those of the hidden layer and of the output."""

    hidden: str
    activation: HiddenActivation
    output: str

    def of(self, network: nn.Module) -> HiddenClassifier:
        return HiddenClassifier(network.get_submodule(self.hidden), self.activation, network.get_submodule(self.output))


_ROBERTA = FAMILIES["bert"], _Head("classifier.dense", "tanh", "classifier.out_proj")
_KNOWN: dict[str, tuple[Family, _Head]] = {
    "bert": (FAMILIES["bert"], _Head("bert.pooler.dense", "tanh", "classifier")),
    "distilbert": (FAMILIES["distilbert"], _Head("pre_classifier", "relu", "classifier")),
    "electra": (FAMILIES["electra"], _Head("classifier.dense", "gelu", "classifier.out_proj")),
    "roberta": _ROBERTA,
    "xlm-roberta": _ROBERTA,
    "camembert": _ROBERTA,
}
# What the other families compute that our encoder does not.
_DIFFERENT = {
    "albert": "inside.albert",
    "mpnet": "inside.mpnet",
    "deberta": "inside.deberta",
    "deberta-v2": "inside.deberta",
    "gpt2": "inside.gpt2",
}


def as_transformer(checkpoint: Checkpoint) -> Checkpoint:
    """The checkpoint with a model whose every step is known: as it is, or, of a model from elsewhere, as our Encoder.
    Raises Failure, with what is different, if our encoder does not compute the same."""
    if checkpoint.task.name != OTHER:
        return checkpoint
    encoder = as_encoder(checkpoint.model, checkpoint.name)
    return replace(checkpoint, model=encoder, settings=replace(checkpoint.settings, model=encoder.config))


def as_encoder(model: AdaptedModel, name: str) -> Encoder:
    """Our Encoder with the tensors of a model from elsewhere. Raises Failure."""
    values, family = model.network.config.to_dict(), model.network.config.model_type
    if family not in _KNOWN:
        raise Failure(_DIFFERENT.get(family, "inside.elsewhere"), name=name, family=family)
    names, head = _KNOWN[family]
    fields = {ours: values[theirs] for ours, theirs in names.sizes.items()}
    if values.get("embedding_size", fields["width"]) != fields["width"]:
        raise Failure("inside.embedding_width", name=name, size=values["embedding_size"], width=fields["width"])
    if fields["activation"] not in ACTIVATIONS:
        raise Failure("inside.activation", name=name, activation=str(fields["activation"]))
    tensors = _tensors(model, names, fields["layers"])
    sizes = {
        "max_tokens": len(tensors["embedding.position.weight"]),
        "segments": len(tensors.get("embedding.segment.weight", ())),
    }
    config = ConvertedConfig(**{**COMMON, **fields, **sizes, "classes": model.config.classes, "dropout": 0.0})
    with torch.device("meta"):  # shapes without memory
        encoder = Encoder(replace(config, classes=1))
    encoder.classifier = nn.Identity()
    encoder.load_state_dict(tensors, assign=True)
    encoder.classifier = head.of(model.network) if config.classes else NoClassifier()
    count = sum(parameter.numel() for parameter in encoder.parameters())
    encoder.config = replace(config, parameter_count=count)
    return encoder.eval()


def _tensors(model: AdaptedModel, names: Family, layers: int) -> dict[str, Tensor]:
    """Those of the encoder by our names; of positions and segments the rows that are read."""
    theirs = model.network.base_model.state_dict()
    tensors = {ours: theirs[key] for ours, key in tensor_names(names, layers)}
    positions, segments = "embedding.position.weight", "embedding.segment.weight"
    tensors[positions] = tensors[positions][model.family.position_offset(model.network.config.pad_token_id or 0) :]
    if segments in tensors:
        second = min(model.second_segment, len(tensors[segments]) - 1)
        tensors[segments] = tensors[segments][[0, second] if second else [0]]
    return tensors
