"""The tokenizer of a pre-trained encoder, built anew as one of ours: the same pieces, our ids for special tokens."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from viz_core.adapters.folder import TOKENIZER
from viz_core.bounded_json import read_json_object
from viz_core.records import Failure
from viz_core.text.building import SPECIAL, build_wordpiece_tokenizer
from viz_core.text.length import MAX_CHARACTERS

_CHOICES = ("lowercase", "strip_accents", "handle_chinese_chars", "clean_text")


def convert_tokenizer(folder: Path, max_tokens: int) -> tuple[Tokenizer, np.ndarray]:
    """The tokenizer, which truncates texts to max_tokens, and for each of its ids, `(vocabulary,)`, that of the
    pre-trained encoder: our special tokens come first.

    Of the file only the vocabulary and the choices of the normalizer are read: nothing of it is run. Raises Failure
    unless it is a WordPiece tokenizer as BERT's.
    """
    try:
        structure = read_json_object(folder / TOKENIZER)
        vocabulary, choices = _vocabulary(structure), _normalizer_choices(structure)
    except (ValueError, OSError) as error:
        raise Failure("pretrained.bad_tokenizer", name=folder.name, reason=str(error)) from error
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
