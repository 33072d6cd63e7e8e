"""The families of pre-trained encoders whose computation is exactly that of `models/encoder.py`: what their configs and
their tensors call what we have.

BERT: Devlin et al. 2019, https://arxiv.org/abs/1810.04805. DistilBERT: Sanh et al. 2019,
https://arxiv.org/abs/1910.01108, without segments. ELECTRA: Clark et al. 2020, https://arxiv.org/abs/2003.10555, where
its embeddings have the width of its layers. Their poolers and heads are left out: the classifier is ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Family:
    """sizes: our field of a config -> theirs. fixed: entries of their config that must have this value, where they have
    one. embeddings, layer: our name of a tensor, or of a module with weight and bias -> theirs, of a layer below
    `layers` and its number. segments: whether it has an embedding of segments."""

    name: str
    sizes: Mapping[str, str]
    fixed: Mapping[str, object]
    layers: str
    layer: Mapping[str, str]
    segments: bool = True


BERT_SIZES = {
    "vocabulary": "vocab_size",
    "max_tokens": "max_position_embeddings",
    "layers": "num_hidden_layers",
    "heads": "num_attention_heads",
    "width": "hidden_size",
    "feedforward": "intermediate_size",
    "segments": "type_vocab_size",
    "activation": "hidden_act",
    "norm_epsilon": "layer_norm_eps",
}
_BERT_LAYER = {
    "attention.query": "attention.self.query",
    "attention.key": "attention.self.key",
    "attention.value": "attention.self.value",
    "attention.output": "attention.output.dense",
    "attention_norm": "attention.output.LayerNorm",
    "feedforward.0": "intermediate.dense",
    "feedforward.3": "output.dense",
    "feedforward_norm": "output.LayerNorm",
}
_BERT_FIXED = {"position_embedding_type": "absolute", "is_decoder": False, "add_cross_attention": False}

FAMILIES = {
    "bert": Family("BERT", BERT_SIZES, _BERT_FIXED, "encoder.layer", _BERT_LAYER),
    "electra": Family("ELECTRA", BERT_SIZES, _BERT_FIXED, "encoder.layer", _BERT_LAYER),
    "distilbert": Family(
        "DistilBERT",
        {
            "vocabulary": "vocab_size",
            "max_tokens": "max_position_embeddings",
            "layers": "n_layers",
            "heads": "n_heads",
            "width": "dim",
            "feedforward": "hidden_dim",
            "activation": "activation",
        },
        {},
        "transformer.layer",
        {
            "attention.query": "attention.q_lin",
            "attention.key": "attention.k_lin",
            "attention.value": "attention.v_lin",
            "attention.output": "attention.out_lin",
            "attention_norm": "sa_layer_norm",
            "feedforward.0": "ffn.lin1",
            "feedforward.3": "ffn.lin2",
            "feedforward_norm": "output_layer_norm",
        },
        segments=False,
    ),
}
EMBEDDINGS = {
    "embedding.token.weight": "embeddings.word_embeddings.weight",
    "embedding.position.weight": "embeddings.position_embeddings.weight",
    "embedding.segment.weight": "embeddings.token_type_embeddings.weight",
    "embedding.norm.weight": "embeddings.LayerNorm.weight",
    "embedding.norm.bias": "embeddings.LayerNorm.bias",
}
