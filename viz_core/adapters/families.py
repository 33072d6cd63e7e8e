"""Specs of families of models, by the `model_type` in their config.json.

A family whose attention uses the attention interface of `transformers` needs no spec. A family with
`parts` can be followed step by step; if its layers are those of our encoder, training can start
from its weights.

Sources:

- BERT: Devlin et al. 2019, https://arxiv.org/abs/1810.04805
- DistilBERT: Sanh et al. 2019, https://arxiv.org/abs/1910.01108
- ELECTRA: Clark et al. 2020, https://arxiv.org/abs/2003.10555
- RoBERTa: Liu et al. 2019, https://arxiv.org/abs/1907.11692
- ALBERT: Lan et al. 2020, https://arxiv.org/abs/1909.11942
- MPNet: Song et al. 2020, https://arxiv.org/abs/2004.09297
- GPT-2: Radford et al. 2019
- Llama: Touvron et al. 2023, https://arxiv.org/abs/2302.13971
- Mistral: Jiang et al. 2023, https://arxiv.org/abs/2310.06825
- Qwen2, Qwen3: Yang et al. 2024, https://arxiv.org/abs/2407.10671; 2025, https://arxiv.org/abs/2505.09388
- GPT-NeoX: Black et al. 2022, https://arxiv.org/abs/2204.06745; Pythia: Biderman et al. 2023,
  https://arxiv.org/abs/2304.01373
- Phi: Li et al. 2023, https://arxiv.org/abs/2309.05463; Phi-3: Abdin et al. 2024, https://arxiv.org/abs/2404.14219
- OLMo, OLMo 2: Groeneveld et al. 2024, https://arxiv.org/abs/2402.00838; 2025, https://arxiv.org/abs/2501.00656
- SmolLM3: Bakouch et al. 2025, https://huggingface.co/blog/smollm3
- Gemma 1 to 3: Gemma Team 2024, https://arxiv.org/abs/2403.08295, https://arxiv.org/abs/2408.00118; 2025,
  https://arxiv.org/abs/2503.19786
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal


@dataclass(frozen=True)
class Parts:
    """The modules of a Transformer whose every step is known, by our names (`models/encoder.py`).

    Attributes:
        layer: Maps our names to paths in a layer, with `/n` appended for the n-th of the parts of a
            module that stands for several of ours; modules that a layer lacks are left out.
        embeddings: Maps our names to paths in the base model; embeddings that a model lacks are
            left out.
        embedded: Path in the base model of the module whose output the first layer, or the mapping,
            reads; that of the tokens if nothing is added to them.
        norm: Normalisation before (`pre`) or after (`post`) each sub-layer.
        mapping: Path in the base model of the mapping from narrower embeddings to the width of the
            layers; empty without one.
        bias: Path in the base model of the embedding of distances; empty without one.
        interleaved: Whether the parts of such a module alternate from head to head.
        rotary: Whether queries and keys are rotated, by the argument `position_embeddings` of a layer.
        rotates: Config entry that says for each layer whether it does so; empty if all do.
        heads_first: Whether normalisations of heads read `(B, H, T, d)`, and not `(B, T, H, d)`.
        parallel: Whether attention and feed-forward read the same residual stream and are added
            together (Wang and Komatsuzaki 2021, GPT-J); or the config entry that says so.
        norm_offset: Added to the stored weights of normalisations.
        hidden: Path in the whole network of the first layer of the classifier; empty without one.
        activation: After that layer.
        output: Path in the whole network of the second layer of the classifier; empty if the model
            has the output layer for tokens instead.
        fixed: Config entries that must have this value if they are present.
    """

    layer: dict[str, str]
    embeddings: Mapping[str, str]
    embedded: str = "embeddings"
    norm: Literal["pre", "post"] = "post"
    mapping: str = ""
    bias: str = ""
    interleaved: bool = False
    rotary: bool = False
    rotates: str = ""
    heads_first: bool = False
    parallel: bool | str = False
    norm_offset: float = 0.0
    hidden: str = "classifier.dense"
    activation: str = "tanh"
    output: str = "classifier.out_proj"
    fixed: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Start:
    """How training starts from the weights of a family.

    Attributes:
        name: Name of the family.
        layers: Path of the list of layers in the base model.
        sizes: Maps our config fields to theirs, if these are not the library's usual ones; an empty
            string if the family has no such field.
    """

    name: str
    layers: str
    sizes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Family:
    """Spec of a family.

    Attributes:
        parts: Its modules, if every step is known; else None.
        attention: How our attention is inserted: through the library's `interface`; in place of a
            `module` that does not use that (mpnet.py); or after the `dropout` of the weights, if only
            these can be seen.
        dropout: End of the path of that dropout.
        layers: Name of the list of layers, if it is not the outermost list.
        lacks: Keys of sentences about what cannot be shown.
        refusal: Key of the sentence why it cannot be followed step by step.
        start: How training starts from it; None if it cannot.
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
_LLAMA = Parts(
    {
        "attention.query": "self_attn.q_proj",
        "attention.key": "self_attn.k_proj",
        "attention.value": "self_attn.v_proj",
        "attention.output": "self_attn.o_proj",
        "attention_norm": "input_layernorm",
        "feedforward.gate": "mlp.gate_proj",
        "feedforward.0": "mlp.up_proj",
        "feedforward.3": "mlp.down_proj",
        "feedforward_norm": "post_attention_layernorm",
    },
    {"embedding.token": "embed_tokens", "norm": "norm"},
    embedded="embed_tokens",
    norm="pre",
    rotary=True,
    hidden="",
    output="",
)
_HEAD_NORMS = {"attention.query_norm": "self_attn.q_norm", "attention.key_norm": "self_attn.k_norm"}
_OUTPUT_NORMS = {
    "attention_output_norm": "post_attention_layernorm",
    "feedforward_output_norm": "post_feedforward_layernorm",
}
_GEMMA = replace(_LLAMA, norm_offset=1.0, fixed={"use_bidirectional_attention": None})
_GEMMA2 = replace(_GEMMA, layer=_LLAMA.layer | _OUTPUT_NORMS | {"feedforward_norm": "pre_feedforward_layernorm"})
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
    "llama": Family(_LLAMA),
    "mistral": Family(_LLAMA),
    "qwen2": Family(_LLAMA),
    "qwen3": Family(replace(_LLAMA, layer=_LLAMA.layer | _HEAD_NORMS)),
    "smollm3": Family(replace(_LLAMA, rotates="no_rope_layers")),
    "olmo": Family(replace(_LLAMA, fixed={"clip_qkv": None})),
    "olmo2": Family(
        replace(
            _LLAMA,
            layer={name: path for name, path in _LLAMA.layer.items() if not name.endswith("_norm")}
            | _HEAD_NORMS
            | _OUTPUT_NORMS,
        )
    ),
    "gemma": Family(_GEMMA),
    "gemma2": Family(_GEMMA2),
    "gemma3_text": Family(replace(_GEMMA2, layer=_GEMMA2.layer | _HEAD_NORMS, heads_first=True)),
    "phi3": Family(
        replace(
            _LLAMA,
            layer=_LLAMA.layer
            | {
                "attention.query": "self_attn.qkv_proj/0",
                "attention.key": "self_attn.qkv_proj/1",
                "attention.value": "self_attn.qkv_proj/2",
                "feedforward.gate": "mlp.gate_up_proj/0",
                "feedforward.0": "mlp.gate_up_proj/1",
            },
        )
    ),
    "phi": Family(
        Parts(
            {
                "attention.query": "self_attn.q_proj",
                "attention.key": "self_attn.k_proj",
                "attention.value": "self_attn.v_proj",
                "attention.query_norm": "self_attn.q_layernorm",
                "attention.key_norm": "self_attn.k_layernorm",
                "attention.output": "self_attn.dense",
                "attention_norm": "input_layernorm",
                "feedforward.0": "mlp.fc1",
                "feedforward.3": "mlp.fc2",
            },
            {"embedding.token": "embed_tokens", "norm": "final_layernorm"},
            embedded="embed_tokens",
            norm="pre",
            rotary=True,
            heads_first=True,
            parallel=True,
            hidden="",
            output="",
        )
    ),
    "gpt_neox": Family(
        Parts(
            {
                "attention.query": "attention.query_key_value/0",
                "attention.key": "attention.query_key_value/1",
                "attention.value": "attention.query_key_value/2",
                "attention.output": "attention.dense",
                "attention_norm": "input_layernorm",
                "feedforward.0": "mlp.dense_h_to_4h",
                "feedforward.3": "mlp.dense_4h_to_h",
                "feedforward_norm": "post_attention_layernorm",
            },
            {"embedding.token": "embed_in", "norm": "final_layer_norm"},
            embedded="embed_in",
            norm="pre",
            interleaved=True,
            rotary=True,
            parallel="use_parallel_residual",
            hidden="",
            output="",
        )
    ),
    "deberta": _DEBERTA,
    "deberta-v2": _DEBERTA,
    "t5": _T5,
    "mt5": _T5,
}
