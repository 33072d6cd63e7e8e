"""Packed records of one head, of every configuration that ships and of models from elsewhere, from tiny models that
were never trained."""

from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace

import numpy as np
import torch
from transformers import GPT2Config, GPT2LMHeadModel

from tests.adapters.test_language_model import network as language_model
from tests.adapters.tiny_networks import network
from tests.tiny import config, encoder, text_encoder
from tests.tiny_translation import SOURCE, translation_checkpoint
from viz_core.adapters.model import AdaptedModel
from viz_core.adapters.network import prepare
from viz_core.analysis.explain import encode
from viz_core.analysis.inside.head_changes import HeadChanges
from viz_core.analysis.inside.inside import inside, inside_translation
from viz_core.analysis.inside.passes import Selected
from viz_core.analysis.translation.explain_translation import explain_translation
from viz_core.analysis.translation.live import translate_stepwise
from viz_core.checkpoints import Checkpoint, Settings
from viz_core.explorer.inside import pack_inside
from viz_core.language import Translator
from viz_core.records import OTHER, Encoding, Metrics, Translation
from viz_core.records.inside import Inside
from viz_core.records.translation import Kind
from viz_core.tasks import get_task

CONFIGURATIONS = {
    "pre": {},
    "post": {"norm": "post", "activation": "relu"},
    "overlap": {"overlap": True},
    "stem": {"stem": "convolution"},
    "sinusoidal": {"positions": "sinusoidal"},
    "turning": {"positions": "rotary", "pooling": "mean"},
    "mean": {"pooling": "mean"},
    "bert": {"norm": "post", "embedding_norm": True, "norm_epsilon": 0.1, "pooling": "mean"},
    "small": {"layers": 1, "heads": 1},
}
# Classes of models from elsewhere: with a hidden layer in the classifier, without a classifier, with narrower
# embeddings, with a bias for the distance. `next` has causal attention, and its classes are the tokens; so have those
# with rotary positions: `rotary`; `headed`, whose heads also normalise queries and keys and are wider than D/H;
# `parallel`, attention and feed-forward, with a rotation of half the numbers; `bounded`, scores and logits, with a
# window and with normalised outputs; `joint`, heads that are normalised together; `unlearned` normalisations; and
# `unturned`, whose first layer has no rotation.
ROTARY: dict[str, tuple[str, dict]] = {
    "rotary": ("Llama", dict(hidden_size=32)),
    "headed": ("Qwen3", dict(head_dim=4)),
    "parallel": ("GPTNeoX", dict(hidden_size=32, rotary_pct=0.5)),
    "bounded": ("Gemma2", dict(head_dim=4, query_pre_attn_scalar=7, sliding_window=3)),
    "joint": ("Olmo2", dict(hidden_size=32)),
    "unlearned": ("Olmo", dict(hidden_size=32)),
    "unturned": ("SmolLM3", dict(hidden_size=32, no_rope_layers=[0, 1])),
}
ELSEWHERE = {"hidden": "bert", "bare": "bert", "narrow": "electra", "biased": "mpnet", "next": "gpt2", **ROTARY}
KINDS = ("self", "causal", "cross")
TEXTS = ("花呗怎么还款", "借呗如何还钱")


@cache
def classifier(name: str) -> tuple[Checkpoint, Encoding]:
    """A checkpoint with this configuration, and a pair of texts. Shared: not to be changed."""
    text = text_encoder("afqmc", max_tokens=16)
    if name in ELSEWHERE:
        model = _model_from_elsewhere(name, text.vocabulary)
        settings = _Uncalibrated(OTHER, model.config)
        task = SimpleNamespace(name=OTHER, labels=model.labels)
        return Checkpoint("tiny", task, settings, model, text, Metrics({})), text.encode(*TEXTS)
    values = {"vocabulary": text.vocabulary, "max_tokens": 16, **CONFIGURATIONS[name]}
    settings = Settings("afqmc", config(**values), temperature=2.0, threshold=0.4)
    checkpoint = Checkpoint("tiny", get_task("afqmc"), settings, encoder(**values), text, Metrics({}))
    return checkpoint, encode(checkpoint, *TEXTS)


@dataclass(frozen=True)
class _Uncalibrated(Settings):
    """As of models from elsewhere."""

    threshold: float | None = None

    def __post_init__(self) -> None:
        """Whatever the task is called."""

    def probabilities(self, logits: np.ndarray) -> np.ndarray:
        return super().probabilities(logits) if self.config.classes else logits


def _model_from_elsewhere(name: str, vocabulary: int) -> AdaptedModel:
    """A tiny network of the library; only `hidden` and `biased` classify."""
    sizes = dict(vocab_size=vocabulary, hidden_size=8, num_hidden_layers=2, num_attention_heads=2, intermediate_size=16)
    if name == "next":
        torch.manual_seed(0)
        sizes = dict(vocab_size=vocabulary, n_embd=8, n_layer=2, n_head=2, n_positions=16)
        return AdaptedModel(prepare(GPT2LMHeadModel(GPT2Config(**sizes)).eval()), 16)
    if name in ROTARY:
        shared = dict(num_attention_heads=4, num_key_value_heads=2, pad_token_id=None)
        family, different = ROTARY[name]
        return AdaptedModel(prepare(language_model(family, **{**sizes, **shared, **different})), 16)
    embeddings = {"embedding_size": 4} if name == "narrow" else {}
    kind = "ForSequenceClassification" if name in ("hidden", "biased") else "Model"
    return AdaptedModel(prepare(network(ELSEWHERE[name], kind, **sizes, **embeddings)), 16, second_segment=1)


@cache
def translation() -> tuple[Checkpoint, Translation]:
    """A checkpoint that translates, and its translation. Shared: not to be changed."""
    checkpoint = translation_checkpoint(end=3)
    source = checkpoint.text_encoder.encode(SOURCE)
    outputs = [step.output.id for step in translate_stepwise(checkpoint, source)]
    return checkpoint, explain_translation(checkpoint, source, outputs)


def inside_record(name: str, changes: HeadChanges | None = None, layer: int = 0, head: int = 0) -> Inside:
    """name: of CONFIGURATIONS, or of KINDS, for that attention of the translation; of the query 1 and the key 1."""
    if name in KINDS:
        return inside_translation(*translation(), Selected(name, layer, head, 1, 1), changes)
    return inside(*classifier(name), Selected(first_kind(name), layer, head, 1, 1), changes)


def first_kind(name: str) -> Kind:
    """The attention of a model that is followed first."""
    return name if name in KINDS else classifier(name)[0].model.attention_kinds[0]


def inside_packet(name: str, language: str = "en", **fields: object) -> bytes:
    """The record as bytes. fields: `changes`, `layer` and `head` as of `inside_record`; others are of the header."""
    record = inside_record(name, **{key: fields.pop(key) for key in ("changes", "layer", "head") if key in fields})
    say = Translator(language)
    if name in KINDS:
        _, translated = translation()
        labels = translated.queries(name), translated.keys(name)
        return pack_inside(record, translated.sides(name), labels, say, kinds=list(KINDS), **fields)
    _, encoding = classifier(name)
    return pack_inside(record, (encoding, encoding), ((), ()), say, kinds=[record.kind], **fields)
