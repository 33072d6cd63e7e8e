"""Tiny random encoders with a decoder of `transformers`, and fast tokenizers for them."""

from pathlib import Path

import pytest
import torch
import transformers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import PreTrainedModel, PreTrainedTokenizerFast

PIECES = [
    "▁the",
    "▁cat",
    "▁sat",
    "▁on",
    "▁mat",
    "▁un",
    "bel",
    "iev",
    "ably",
    "▁",
    "s",
    "a",
    "b",
    ".",
    "▁die",
    "▁Katze",
    "e",
]
PAD, END, UNKNOWN, *_ = TOKENS = ["<pad>", "</s>", "<unk>", *PIECES]
SPARE = 3  # embeddings without a token, as those of T5
_T5 = dict(
    vocab_size=len(TOKENS) + SPARE,
    d_model=32,
    d_kv=6,  # the heads together are narrower than the model, as in Flan-T5
    d_ff=48,
    num_layers=3,
    num_heads=4,
    pad_token_id=0,
    eos_token_id=1,
    decoder_start_token_id=0,
)
_MARIAN = dict(
    vocab_size=len(TOKENS),
    d_model=32,
    encoder_layers=3,
    decoder_layers=3,
    encoder_attention_heads=4,
    decoder_attention_heads=4,
    encoder_ffn_dim=48,
    decoder_ffn_dim=48,
    max_position_embeddings=40,
    pad_token_id=0,
    eos_token_id=1,
    decoder_start_token_id=0,
    forced_eos_token_id=None,
)
# By family: the class of the library, its config, and sizes.
FAMILIES = {
    "marian": ("MarianMTModel", "MarianConfig", _MARIAN),
    "t5": ("T5ForConditionalGeneration", "T5Config", _T5),
    "mt5": ("MT5ForConditionalGeneration", "MT5Config", _T5),
}

# mT5 has the modules of T5.
T5_AND_MARIAN_FIRST = [pytest.param(name, marks=pytest.mark.slow) if name == "mt5" else name for name in FAMILIES]


def network(family: str, seed: int = 0, **sizes: object) -> PreTrainedModel:
    """A network in eval mode, its weights large enough that attention is far from uniform."""
    model, config, defaults = FAMILIES[family]
    torch.manual_seed(seed)
    result = getattr(transformers, model)(getattr(transformers, config)(**{**defaults, **sizes})).eval()
    for parameter in result.parameters():
        if parameter.dim() > 1 and parameter.requires_grad:
            torch.nn.init.normal_(parameter, std=0.3)
    return result


def pieces(max_tokens: int = 32) -> PreTrainedTokenizerFast:
    """As of T5: SentencePiece's unigrams, `a </s>`."""
    scores = [0.0, 0.0, -20.0, *(-10.0 if len(piece) == 1 else -float(5) for piece in PIECES)]
    tokenizer = Tokenizer(models.Unigram(list(zip(TOKENS, scores, strict=True)), unk_id=2))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Strip(), normalizers.Replace("  ", " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    names = dict(pad_token=PAD, eos_token=END, unk_token=UNKNOWN)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=max_tokens, **names)


def save_translator(path: Path, family: str = "t5", **sizes: object) -> Path:
    """The folder of a tiny model, as the library saves it."""
    network(family, **sizes).save_pretrained(path)
    pieces().save_pretrained(path)
    return path
