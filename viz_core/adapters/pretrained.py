"""A pre-trained encoder as the start of ours: its config in the words of our `EncoderConfig`, and its tokenizer, built
anew as one of ours. Nothing here loads torch or `transformers`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from reprlib import repr as shorten
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from viz_core.adapters.families import FAMILIES, Family, Parts, Start
from viz_core.adapters.folder import TOKENIZER, FolderSummary, read_folder
from viz_core.adapters.references import display_name, find_folder
from viz_core.bounded_json import read_json_object, require_regular
from viz_core.models.config import EncoderConfig
from viz_core.records import Failure, failing
from viz_core.text.building import SPECIAL, build_wordpiece_tokenizer
from viz_core.text.length import MAX_CHARACTERS

_CARD = "README.md"
_MAX_CARD = 100_000  # bytes
_ACTIVATIONS = ("gelu", "relu")  # those that are computed exactly as ours
# Our field of a config -> that of the library; families may call it otherwise.
_SIZES = {
    "vocabulary": "vocab_size",
    "max_tokens": "max_position_embeddings",
    "layers": "num_hidden_layers",
    "heads": "num_attention_heads",
    "width": "hidden_size",
    "feedforward": "intermediate_size",
    "activation": "hidden_act",
    "segments": "type_vocab_size",
    "norm_epsilon": "layer_norm_eps",
}
_COMMON = {
    "norm": "post",
    "embedding_norm": True,
    "norm_epsilon": 1e-12,
    "positions": "learned",
    "segments": 2,
    "overlap": False,
    "stem": "none",
}
_CHOICES = ("lowercase", "strip_accents", "handle_chinese_chars", "clean_text")


@dataclass(frozen=True)
class Pretrained:
    """A pre-trained encoder. files: its folder. config: the fields of `EncoderConfig` that its weights decide;
    max_tokens and vocabulary are the most that it has. name, licence: from its card, the latter empty if that names
    none."""

    reference: str
    files: FolderSummary
    parts: Parts
    start: Start
    config: Mapping
    name: str
    licence: str


def read_pretrained(reference: str) -> Pretrained:
    """The pre-trained encoder that a reference names (`adapters/references.py`). Raises Failure if there is none, or
    none that can be ours."""
    files = read_folder(find_folder(reference), display_name(reference))
    family = FAMILIES.get(files.family, Family())
    if family.parts is None or family.start is None:
        known = [family.start.name for family in FAMILIES.values() if family.start]
        raise Failure("pretrained.family", reference=reference, family=shorten(files.family), known=known)
    with failing(ValueError, "pretrained.bad_config", reference=reference):
        config = _our_config(family.parts, family.start, files.config)
    card = _read_card(files.path)
    name = _first(r"^# +(.+)$", card) or display_name(reference)
    return Pretrained(reference, files, family.parts, family.start, config, name, _first(r"^license: *(\S+)", card))


def _our_config(parts: Parts, start: Start, values: Mapping) -> dict:
    """Raises ValueError, naming the entry, if it cannot be ours."""
    for name, value in parts.fixed.items():
        if values.get(name, value) != value:
            raise ValueError(f"{name} is {shorten(values[name])}: only {value!r} is what our encoder computes")
    if values.get("embedding_size", values.get("hidden_size")) != values.get("hidden_size"):
        raise ValueError("its embeddings have another width than its layers, which our encoder cannot have")
    sizes = {ours: start.sizes.get(ours, theirs) for ours, theirs in _SIZES.items()}
    sizes = {ours: theirs for ours, theirs in sizes.items() if theirs}
    if missing := [name for name in sizes.values() if name not in values]:
        raise ValueError(f"{', '.join(missing)} is missing")
    config: dict[str, Any] = _COMMON | {ours: values[theirs] for ours, theirs in sizes.items()}
    if config["activation"] not in _ACTIVATIONS:
        raise ValueError(f"{sizes['activation']} is {shorten(config['activation'])}: our encoder has gelu and relu")
    EncoderConfig.from_dict(config)
    if config["segments"] < 2:
        raise ValueError("it has no segments to tell the sentences of a pair apart")
    return config


def _read_card(folder: Path) -> str:
    """The beginning of its card; empty if there is none that can be read."""
    try:
        require_regular(folder / _CARD)
        with (folder / _CARD).open("rb") as file:
            return file.read(_MAX_CARD).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""


def _first(pattern: str, text: str) -> str:
    """What the first match of a pattern names, of at most 100 characters; empty without a match."""
    match = re.search(pattern, text, re.MULTILINE)
    return match[1].strip()[:100] if match else ""


def convert_tokenizer(folder: Path, max_tokens: int) -> tuple[Tokenizer, np.ndarray]:
    """The tokenizer, which truncates texts to max_tokens, and for each of its ids, `(vocabulary,)`, that of the
    pre-trained encoder: our special tokens come first.

    Of the file only the vocabulary and the choices of the normalizer are read: nothing of it is run. Raises Failure
    unless it is a WordPiece tokenizer as BERT's.
    """
    with failing((ValueError, OSError), "pretrained.bad_tokenizer", name=folder.name):
        structure = read_json_object(folder / TOKENIZER)
        vocabulary, choices = _vocabulary(structure), _normalizer_choices(structure)
    special = [vocabulary.index(token) for token in SPECIAL]
    order = np.array([*special, *(number for number in range(len(vocabulary)) if number not in special)])
    return build_wordpiece_tokenizer([vocabulary[number] for number in order], max_tokens, **choices), order


def _vocabulary(structure: Mapping) -> list[str]:
    """The tokens by their ids. Raises ValueError with a reason."""
    match structure:
        case {
            "model": {"type": "WordPiece", "vocab": dict(ids), "unk_token": "[UNK]", "continuing_subword_prefix": "##"}
        }:
            pass
        case _:
            raise ValueError("it is no WordPiece tokenizer with [UNK] and ##, as that of BERT")
    if any(type(number) is not int for number in ids.values()) or sorted(ids.values()) != list(range(len(ids))):
        raise ValueError("the ids of its vocabulary are not 0, 1, 2 …")
    if missing := [token for token in SPECIAL if token not in ids]:
        raise ValueError(f"its vocabulary lacks {', '.join(missing)}")
    if (longest := max(map(len, ids))) > MAX_CHARACTERS:
        raise ValueError(f"a token of its vocabulary has {longest:,} characters")
    return sorted(ids, key=ids.__getitem__)


def _normalizer_choices(structure: Mapping) -> dict:
    """The choices of its BertNormalizer. Raises ValueError with a reason."""
    match structure:
        case {"normalizer": {"type": "BertNormalizer"} as normalizer, "pre_tokenizer": {"type": "BertPreTokenizer"}}:
            choices = {name: normalizer[name] for name in _CHOICES if name in normalizer}
        case _:
            raise ValueError("it does not normalise and split texts as BERT does")
    for name, value in choices.items():
        if not (isinstance(value, bool) or (name == "strip_accents" and value is None)):
            raise ValueError(f"{name} of its normalizer is neither true nor false")
    return choices
