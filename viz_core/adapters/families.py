"""What families of models do otherwise than `network.prepare` expects, by the `model_type` of their config.json.

A family whose attention goes through the attention interface of `transformers` needs no record.
With `parts`, a model is followed step by step; and where its layers are those of our encoder, a
training can start from its weights.

BERT: Devlin et al. 2019, https://arxiv.org/abs/1810.04805. DistilBERT: Sanh et al. 2019,
https://arxiv.org/abs/1910.01108. ELECTRA: Clark et al. 2020, https://arxiv.org/abs/2003.10555.
RoBERTa: Liu et al. 2019, https://arxiv.org/abs/1907.11692. ALBERT: Lan et al. 2020,
https://arxiv.org/abs/1909.11942. MPNet: Song et al. 2020, https://arxiv.org/abs/2004.09297. GPT-2:
Radford et al. 2019.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class Parts:
    """The modules of a Transformer whose every step is known, by our names (`models/encoder.py`).

    Attributes:
        embeddings: Our name -> path in the base model; those that a model has not are left out.
        layer: Our name -> path in a layer, followed by `/n` where n counts the equal parts of one
            for several of ours.
        embedded: Path in the base model of the module whose output the first layer, or the mapping,
            reads.
        mapping: Of what maps narrower embeddings to the width of the layers.
        bias: Of the embedding of distances.
        hidden, activation, output: The two layers of the classifier, by their paths in the whole
            network, and what is between them; empty if it is the output layer for tokens.
        fixed: Entries of their config that must have this value, where they have one.
    """

    layer: Mapping[str, str]
    embeddings: Mapping[str, str]
    embedded: str = "embeddings"
    norm: Literal["pre", "post"] = "post"
    mapping: str = ""
    bias: str = ""
    hidden: str = "classifier.dense"
    activation: str = "tanh"
    output: str = "classifier.out_proj"
    fixed: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Start:
    """name: of the family.

    Attributes:
        layers: Path of the list of layers in the base model.
        sizes: Our field of the config -> theirs, where that is not the library's usual one; empty
            if a family has none.
    """

    name: str
    layers: str
    sizes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Family:
    """attention: how ours comes in: by the library's `interface`; in place of a `module` that does not go through it (mpnet.py); or, where only the weights can be seen, after the `dropout` that applies to them, whose path ends with these names.

    Attributes:
        layers: The name of the list of layers, where it is not the outermost one.
        lacks: Keys of sentences about what cannot be shown.
        refusal: Key of the sentence why it is not followed step by step.
        start: How a training starts from it, None if it cannot.
    """

    parts: Parts | None = None
    attention: Literal["interface", "module", "dropout"] = "interface"
    dropout: str = ""
    layers: str = ""
    lacks: tuple[str, ...] = ()
    refusal: str = "inside.elsewhere"
    start: Start | None = None


_LAYER = {
    "attention.query": "attention.self.query",
    "attention.key": "attention.self.key",
    "attention.value": "attention.self.value",
    "attention.output": "attention.output.dense",
    "attention_norm": "attention.output.LayerNorm",
    "feedforward.0": "intermediate.dense",
    "feedforward.3": "output.dense",
    "feedforward_norm": "output.LayerNorm",
}
_EMBEDDINGS = {
    "embedding.token": "embeddings.word_embeddings",
    "embedding.position": "embeddings.position_embeddings",
    "embedding.segment": "embeddings.token_type_embeddings",
    "embedding.norm": "embeddings.LayerNorm",
}
_FIXED = {"position_embedding_type": "absolute", "is_decoder": False, "add_cross_attention": False}
_ROBERTA = Family(Parts(_LAYER, _EMBEDDINGS, fixed=_FIXED))
_DEBERTA = Family(
    attention="dropout", dropout="attention.self.dropout", lacks=("adapters.lacks_values",), refusal="inside.deberta"
)
_T5 = Family(lacks=("adapters.position_bias",))

FAMILIES: Mapping[str, Family] = {
    "bert": Family(
        Parts(_LAYER, _EMBEDDINGS, hidden="bert.pooler.dense", output="classifier", fixed=_FIXED),
        start=Start("BERT", "encoder.layer"),
    ),
    "electra": Family(
        Parts(_LAYER, _EMBEDDINGS, mapping="embeddings_project", activation="gelu", fixed=_FIXED),
        start=Start("ELECTRA", "encoder.layer"),
    ),
    "distilbert": Family(
        Parts(
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
            {ours: theirs for ours, theirs in _EMBEDDINGS.items() if ours != "embedding.segment"},
            hidden="pre_classifier",
            activation="relu",
            output="classifier",
        ),
        start=Start(
            "DistilBERT",
            "transformer.layer",
            {
                "layers": "n_layers",
                "heads": "n_heads",
                "width": "dim",
                "feedforward": "hidden_dim",
                "activation": "activation",
                "segments": "",
                "norm_epsilon": "",
            },
        ),
    ),
    "roberta": _ROBERTA,
    "xlm-roberta": _ROBERTA,
    "camembert": _ROBERTA,
    "albert": Family(
        Parts(
            {
                "attention.query": "attention.query",
                "attention.key": "attention.key",
                "attention.value": "attention.value",
                "attention.output": "attention.dense",
                "attention_norm": "attention.LayerNorm",
                "feedforward.0": "ffn",
                "feedforward.3": "ffn_output",
                "feedforward_norm": "full_layer_layer_norm",
            },
            _EMBEDDINGS,
            mapping="encoder.embedding_hidden_mapping_in",
            hidden="albert.pooler",
            output="classifier",
        ),
        layers="albert_layers",  # in groups that share their weights
    ),
    "mpnet": Family(
        Parts(
            _LAYER
            | {
                "attention.query": "attention.attn.q",
                "attention.key": "attention.attn.k",
                "attention.value": "attention.attn.v",
                "attention.output": "attention.attn.o",
                "attention_norm": "attention.LayerNorm",
            },
            {ours: theirs for ours, theirs in _EMBEDDINGS.items() if ours != "embedding.segment"},
            bias="encoder.relative_attention_bias",
        ),
        attention="module",
    ),
    "gpt2": Family(
        Parts(
            {
                "attention.query": "attn.c_attn/0",
                "attention.key": "attn.c_attn/1",
                "attention.value": "attn.c_attn/2",
                "attention.output": "attn.c_proj",
                "attention_norm": "ln_1",
                "feedforward.0": "mlp.c_fc",
                "feedforward.3": "mlp.c_proj",
                "feedforward_norm": "ln_2",
            },
            {"embedding.token": "wte", "embedding.position": "wpe", "norm": "ln_f"},
            embedded="drop",
            norm="pre",
            hidden="",
            output="",
            fixed={"scale_attn_weights": True, "scale_attn_by_inverse_layer_idx": False},
        )
    ),
    "deberta": _DEBERTA,
    "deberta-v2": _DEBERTA,
    "t5": _T5,
    "mt5": _T5,
}
