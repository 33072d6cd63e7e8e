"""Convert config and tokenizer of a pre-trained encoder, so that training can start from it.

The config becomes fields of our `EncoderConfig`, and the tokenizer is rebuilt as one of ours.
Neither torch nor `transformers` is loaded.
"""

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
_ACTIVATIONS = ("gelu", "relu")  # computed exactly as ours
# Our config fields -> the library's; families may have other names.
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
    """A pre-trained encoder.

    Attributes:
        reference: Names the encoder (`adapters/references.py`).
        files: Its folder.
        parts: Modules of its family.
        start: How training starts from its family.
        config: The fields of `EncoderConfig` that its weights determine; `max_tokens` and
            `vocabulary` are upper limits.
        name: From its model card, or else from the reference.
        licence: From its model card; empty if that names none.
    """

    reference: str
    files: FolderSummary
    parts: Parts
    start: Start
    config: Mapping
    name: str
    licence: str


def read_pretrained(reference: str) -> Pretrained:
    """Read the pre-trained encoder that a reference names (`adapters/references.py`).

    Raises:
        Failure: If there is none, or our encoder cannot start from it.
    """
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
    """Convert a config to fields of `EncoderConfig`.

    Raises:
        ValueError: If our encoder does not support it; the message names the entry.
    """
    for name, value in parts.fixed.items():
        if values.get(name, value) != value:
            raise ValueError(f"{name} is {shorten(values[name])}: only {value!r} is what our encoder computes")
    if values.get("embedding_size", values.get("hidden_size")) != values.get("hidden_size"):
        widths = shorten(values["embedding_size"]), shorten(values.get("hidden_size"))
        raise ValueError("embedding_size is {}, hidden_size {}: our encoder needs the same".format(*widths))
    sizes = {ours: start.sizes.get(ours, theirs) for ours, theirs in _SIZES.items()}
    sizes = {ours: theirs for ours, theirs in sizes.items() if theirs}
    if missing := [name for name in sizes.values() if name not in values]:
        raise ValueError(f"{', '.join(missing)} is missing: our encoder needs it")
    config: dict[str, Any] = _COMMON | {ours: values[theirs] for ours, theirs in sizes.items()}
    if config["activation"] not in _ACTIVATIONS:
        raise ValueError(f"{sizes['activation']} is {shorten(config['activation'])}: our encoder has gelu and relu")
    EncoderConfig.from_dict(config)
    if config["segments"] < 2:
        raise ValueError(f"{sizes['segments']} is {config['segments']}: the sentences of a pair need 2 segments")
    return config


def _read_card(folder: Path) -> str:
    """Read the beginning of the model card; empty if there is none that can be read."""
    try:
        require_regular(folder / _CARD)
        with (folder / _CARD).open("rb") as file:
            return file.read(_MAX_CARD).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""


def _first(pattern: str, text: str) -> str:
    """Return the first group of the first match, up to 100 characters; empty without a match."""
    match = re.search(pattern, text, re.MULTILINE)
    return match[1].strip()[:100] if match else ""


def convert_tokenizer(folder: Path, max_tokens: int) -> tuple[Tokenizer, np.ndarray]:
    """Rebuild a WordPiece tokenizer as one of ours, whose special tokens come first.

    Only the vocabulary and the choices of the normalizer are read from the file, and nothing in it is
    run.

    Returns:
        The tokenizer, which truncates texts to `max_tokens`, and for each of its ids the id of the
        pre-trained encoder, `(vocabulary,)`.

    Raises:
        Failure: If it is not a WordPiece tokenizer like BERT's.
    """
    with failing((ValueError, OSError), "pretrained.bad_tokenizer", name=folder.name):
        structure = read_json_object(folder / TOKENIZER)
        vocabulary, choices = _vocabulary(structure), _normalizer_choices(structure)
    special = [vocabulary.index(token) for token in SPECIAL]
    order = np.array([*special, *(number for number in range(len(vocabulary)) if number not in special)])
    return build_wordpiece_tokenizer([vocabulary[number] for number in order], max_tokens, **choices), order


def _vocabulary(structure: Mapping) -> list[str]:
    """Return the tokens in the order of their ids.

    Raises:
        ValueError: With a reason, if the vocabulary is not that of a tokenizer like BERT's.
    """
    match structure:
        case {
            "model": {"type": "WordPiece", "vocab": dict(ids), "unk_token": "[UNK]", "continuing_subword_prefix": "##"}
        }:
            pass
        case _:
            raise ValueError("not a WordPiece tokenizer like BERT's (with [UNK] and ##)")
    if any(type(number) is not int for number in ids.values()) or sorted(ids.values()) != list(range(len(ids))):
        raise ValueError(f"the ids of its vocabulary are not 0, 1, 2 … {len(ids) - 1:,}, each once")
    if missing := [token for token in SPECIAL if token not in ids]:
        raise ValueError(f"its vocabulary lacks {', '.join(missing)}")
    if (longest := max(map(len, ids))) > MAX_CHARACTERS:
        raise ValueError(f"a token of its vocabulary has {longest:,} characters, more than {MAX_CHARACTERS:,}")
    return sorted(ids, key=ids.__getitem__)


def _normalizer_choices(structure: Mapping) -> dict:
    """Return the options of the BertNormalizer.

    Raises:
        ValueError: With a reason, if there is another normalizer or an invalid option.
    """
    match structure:
        case {"normalizer": {"type": "BertNormalizer"} as normalizer, "pre_tokenizer": {"type": "BertPreTokenizer"}}:
            choices = {name: normalizer[name] for name in _CHOICES if name in normalizer}
        case _:
            raise ValueError("it does not normalise and split texts as BERT does")
    for name, value in choices.items():
        if not (isinstance(value, bool) or (name == "strip_accents" and value is None)):
            raise ValueError(f"{name} of its normalizer is {shorten(value)}: it must be true or false")
    return choices
