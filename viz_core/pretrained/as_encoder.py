"""A model from elsewhere as our Encoder, where both compute the same, so that every step of it is known: the page about
the inside of attention follows it as any of ours.

BERT, DistilBERT, ELECTRA, and RoBERTa with its multilingual and French relatives (Liu et al. 2019,
https://arxiv.org/abs/1907.11692), whose positions begin after the id of padding, have layers as ours. ALBERT has
narrower embeddings, as has the small ELECTRA, and layers that are one and the same (Lan et al. 2020,
https://arxiv.org/abs/1909.11942); MPNet adds to the scores a bias for the distance (Song et al. 2020,
https://arxiv.org/abs/2004.09297); of GPT-2 (Radford et al. 2019) attention is causal, and the classes are the next
tokens. Their tensors are shared, but for two rows of segments; on top of them is their own classifier.
tests/pretrained/test_as_encoder.py compares both to 1e-5.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from viz_core.checkpoints import Checkpoint
from viz_core.models.attention import PositionBias
from viz_core.models.causal import CausalEncoder
from viz_core.models.classifier import HiddenActivation, HiddenClassifier, NoClassifier
from viz_core.models.config import EncoderConfig
from viz_core.models.embedding import Embedding
from viz_core.models.encoder import EmbeddingProjection, Encoder
from viz_core.pretrained.config import COMMON
from viz_core.pretrained.families import BERT_SIZES, EMBEDDINGS, FAMILIES
from viz_core.records import OTHER, Failure

if TYPE_CHECKING:
    from viz_core.adapters.model import AdaptedModel

# Their names of activations -> ours; those of GELU's approximation compute the same.
_ACTIVATIONS = {"relu": "relu", "gelu": "gelu"} | dict.fromkeys(
    ("gelu_new", "gelu_fast", "gelu_pytorch_tanh"), "gelu_tanh"
)


@dataclass(frozen=True)
class ConvertedConfig(EncoderConfig):
    """classes: 0 without a classifier. segments: as many embeddings of them as are read, 0 without any. activation,
    pooling: also `gelu_tanh` and `last` (records/inside.py)."""

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


@dataclass(frozen=True)
class _Architecture:
    """What the config and the modules of a family call what we have.

    sizes: our field of the config -> theirs. layer: our module of a layer -> the path of theirs, followed by `/n` where
    n counts the equal parts of one for several of ours. embeddings: our tensor outside the layers -> theirs, in the
    base model; those that a model has not are left out. projection: path of what maps narrower embeddings to the width
    of the layers. bias: path of the embedding of distances. common: fields of every config of the family. fixed:
    entries of their config that must have this value.
    """

    sizes: Mapping[str, str]
    layer: Mapping[str, str]
    head: _Head | None
    embeddings: Mapping[str, str]
    projection: str = ""
    bias: str = ""
    common: Mapping[str, object] = field(default_factory=lambda: COMMON)
    fixed: Mapping[str, object] = field(default_factory=dict)


def _like(name: str, head: _Head, **others: object) -> _Architecture:
    """Of a family whose layers are those of BERT or DistilBERT."""
    family = FAMILIES[name]
    return _Architecture(
        **{"sizes": family.sizes, "layer": family.layer, "head": head, "embeddings": EMBEDDINGS} | others
    )


_ROBERTA = _like("bert", _Head("classifier.dense", "tanh", "classifier.out_proj"))
_KNOWN = {
    "bert": _like("bert", _Head("bert.pooler.dense", "tanh", "classifier")),
    "distilbert": _like("distilbert", _Head("pre_classifier", "relu", "classifier")),
    "electra": _like(
        "electra", _Head("classifier.dense", "gelu", "classifier.out_proj"), projection="embeddings_project"
    ),
    "roberta": _ROBERTA,
    "xlm-roberta": _ROBERTA,
    "camembert": _ROBERTA,
    "albert": _like(
        "bert",
        _Head("albert.pooler", "tanh", "classifier"),
        layer={
            "attention.query": "attention.query",
            "attention.key": "attention.key",
            "attention.value": "attention.value",
            "attention.output": "attention.dense",
            "attention_norm": "attention.LayerNorm",
            "feedforward.0": "ffn",
            "feedforward.3": "ffn_output",
            "feedforward_norm": "full_layer_layer_norm",
        },
        projection="encoder.embedding_hidden_mapping_in",
    ),
    "mpnet": _like(
        "bert",
        _Head("classifier.dense", "tanh", "classifier.out_proj"),
        sizes={ours: theirs for ours, theirs in BERT_SIZES.items() if ours != "segments"},
        layer=FAMILIES["bert"].layer
        | {
            "attention.query": "attention.attn.q",
            "attention.key": "attention.attn.k",
            "attention.value": "attention.attn.v",
            "attention.output": "attention.attn.o",
            "attention_norm": "attention.LayerNorm",
        },
        bias="encoder.relative_attention_bias",
    ),
    "gpt2": _Architecture(
        sizes={
            "vocabulary": "vocab_size",
            "max_tokens": "n_positions",
            "layers": "n_layer",
            "heads": "n_head",
            "width": "n_embd",
            "feedforward": "n_inner",
            "activation": "activation_function",
            "norm_epsilon": "layer_norm_epsilon",
        },
        layer={
            "attention.query": "attn.c_attn/0",
            "attention.key": "attn.c_attn/1",
            "attention.value": "attn.c_attn/2",
            "attention.output": "attn.c_proj",
            "attention_norm": "ln_1",
            "feedforward.0": "mlp.c_fc",
            "feedforward.3": "mlp.c_proj",
            "feedforward_norm": "ln_2",
        },
        head=None,
        embeddings={
            "embedding.token.weight": "wte.weight",
            "embedding.position.weight": "wpe.weight",
            "norm.weight": "ln_f.weight",
            "norm.bias": "ln_f.bias",
        },
        common=COMMON | {"norm": "pre", "embedding_norm": False, "segments": 0, "pooling": "last"},
        fixed={"scale_attn_weights": True, "scale_attn_by_inverse_layer_idx": False},
    ),
}
# What the other families compute that our encoder does not.
_DIFFERENT = {"deberta": "inside.deberta", "deberta-v2": "inside.deberta"}


def as_transformer(checkpoint: Checkpoint) -> Checkpoint:
    """The checkpoint with a model whose every step is known: as it is, or, of a model from elsewhere, as our Encoder.
    Raises Failure, with what is different, if our encoder does not compute the same."""
    if checkpoint.task.name != OTHER:
        return checkpoint
    encoder = as_encoder(checkpoint.model, checkpoint.name)
    return replace(checkpoint, model=encoder, settings=replace(checkpoint.settings, config=encoder.config))


def as_encoder(model: AdaptedModel, name: str) -> Encoder:
    """Our Encoder with the tensors of a model from elsewhere. Raises Failure."""
    values, family = model.network.config.to_dict(), model.network.config.model_type
    if family not in _KNOWN:
        raise Failure(_DIFFERENT.get(family, "inside.elsewhere"), name=name, family=family)
    known = _KNOWN[family]
    fields = {ours: values[theirs] for ours, theirs in known.sizes.items()}
    if fields["activation"] not in _ACTIVATIONS:
        raise Failure("inside.activation", name=name, activation=str(fields["activation"]))
    for entry, value in known.fixed.items():
        if values[entry] != value:
            raise Failure("inside.entry", name=name, entry=entry, value=str(values[entry]))
    tensors = _embedding_tensors(model, known)
    fields |= {
        "activation": _ACTIVATIONS[fields["activation"]],
        "feedforward": fields["feedforward"] or 4 * fields["width"],  # GPT-2's, where its config does not say
        "max_tokens": len(tensors["embedding.position.weight"]),
        "segments": len(tensors.get("embedding.segment.weight", ())),
        "classes": model.config.classes,
        "dropout": 0.0,
    }
    config = ConvertedConfig(**{**known.common, **fields})
    encoder = _empty(model, replace(config, classes=1), tensors["embedding.token.weight"].shape[1])
    modules = model.prepared.modules
    for number, module in enumerate(modules):
        tensors |= {f"layers.{number}.{ours}": tensor for ours, tensor in _layer_tensors(module, known.layer)}
    encoder.load_state_dict(tensors, assign=True)
    for number, module in enumerate(modules):  # those that are the same module there are the same here
        encoder.layers[number] = encoder.layers[modules.index(module)]
    _add_parts(encoder, model, known)
    count = sum(parameter.numel() for parameter in encoder.parameters())
    encoder.config = replace(config, parameter_count=count)
    return encoder.eval()


def _empty(model: AdaptedModel, config: ConvertedConfig, embedding_width: int) -> Encoder:
    """The encoder without numbers and without a classifier."""
    with torch.device("meta"):  # shapes without memory
        encoder = (CausalEncoder if model.attention_kinds == ("causal",) else Encoder)(config)
        if embedding_width != config.width:
            encoder.embedding = Embedding(replace(config, width=embedding_width))
    if not config.embedding_norm:
        encoder.embedding.norm = nn.Identity()
    encoder.classifier = nn.Identity()
    return encoder


def _add_parts(encoder: Encoder, model: AdaptedModel, known: _Architecture) -> None:
    """What not every encoder has: the mapping of narrower embeddings, the bias for the distance, the classifier."""
    network, base = model.network, model.network.base_model
    if encoder.embedding.token.embedding_dim != encoder.config.width:
        mapping = base.get_submodule(known.projection)
        with torch.device("meta"):
            encoder.stem = EmbeddingProjection(mapping.in_features, mapping.out_features)
        encoder.stem.weight, encoder.stem.bias = mapping.weight, mapping.bias
    if known.bias:
        bias = PositionBias(base.get_submodule(known.bias).weight, base.encoder.relative_position_bucket)
        for layer in encoder.layers:
            layer.attention.position_bias = bias
    encoder.classifier = NoClassifier()
    if model.config.classes:
        encoder.classifier = known.head.of(network) if known.head else _output_layer(encoder.token_embedding)


def _output_layer(embedding: nn.Embedding) -> nn.Linear:
    """An output layer whose weights are those of the token embeddings, without a bias."""
    with torch.device("meta"):
        output = nn.Linear(embedding.embedding_dim, embedding.num_embeddings)
    output.weight = embedding.weight
    del output.bias
    output.register_buffer("bias", torch.zeros(embedding.num_embeddings))
    return output


def _embedding_tensors(model: AdaptedModel, known: _Architecture) -> dict[str, Tensor]:
    """Those outside the layers by our names; of positions and segments the rows that are read."""
    theirs = model.network.base_model.state_dict()
    tensors = {ours: theirs[key] for ours, key in known.embeddings.items() if key in theirs}
    positions, segments = "embedding.position.weight", "embedding.segment.weight"
    tensors[positions] = tensors[positions][model.prepared.offset :]
    if segments in tensors:
        second = min(model.second_segment, len(tensors[segments]) - 1)
        tensors[segments] = tensors[segments][[0, second] if second else [0]]
    return tensors


def _layer_tensors(layer: nn.Module, names: Mapping[str, str]) -> Iterator[tuple[str, Tensor]]:
    """Our name of each tensor of a layer, and theirs."""
    for ours, theirs in names.items():
        path, _, part = theirs.partition("/")
        module = layer.get_submodule(path)
        # GPT-2's Conv1D has its inputs first.
        weight, bias = module.weight.detach(), module.bias.detach()
        weight = weight if isinstance(module, (nn.Linear, nn.LayerNorm)) else weight.T
        if part:
            weight, bias = (tensor.chunk(3)[int(part)] for tensor in (weight, bias))
        yield f"{ours}.weight", weight
        yield f"{ours}.bias", bias
