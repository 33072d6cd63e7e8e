"""Tokenizers of a Marian folder (opus-mt) without `tokenizer.json`.

Such a folder has two SentencePiece models, `source.spm` and `target.spm`, and `vocab.json` with the
ids of the pieces of both. The library reads them only with its slow tokenizer; here each becomes
the contents of a `tokenizer.json`.

A text is split into the likeliest pieces by the scores of a unigram model: Kudo 2018, "Subword
Regularization", section 3.2, https://arxiv.org/abs/1804.10959.
"""

import json
import math
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from google.protobuf.message import DecodeError
from transformers.utils.sentencepiece_model_pb2_new import ModelProto

from viz_core.adapters.folder import MARIAN_FILES
from viz_core.bounded_json import read_json_object, require_regular

SOURCE, TARGET, VOCABULARY = MARIAN_FILES
PAD, END, UNKNOWN = SPECIAL = ("<pad>", "</s>", "<unk>")
OF_OTHER = "\ue000"  # prefix of the other language's pieces, so that no text contains them: a private-use character
MOST_BYTES = 20_000_000  # of a SentencePiece model; those of opus-mt have less than one million


@dataclass(frozen=True)
class SentencePieceModel:
    """A unigram model of SentencePiece.

    Attributes:
        scores: Log-probability of each piece.
        normalisation: SentencePiece's compiled map of characters, which the library `tokenizers`
            reads as well; empty without one.
    """

    scores: dict[str, float]
    normalisation: bytes


def tokenizer_file(folder: Path, file: str) -> str:
    """Build the contents of a `tokenizer.json` for one of the two languages.

    A piece that `vocab.json` lacks is never used; the slow tokenizer would make it unknown.

    Args:
        folder: The Marian folder.
        file: SOURCE or TARGET.

    Raises:
        OSError: If a file cannot be read.
        ValueError: With a reason, if a file is invalid.
    """
    model, ids = read_model(folder / file), read_json_object(folder / VOCABULARY)
    tokens = sorted(ids, key=lambda token: ids[token] if type(ids[token]) is int else -1)
    if [ids[token] for token in tokens] != list(range(len(tokens))):
        raise ValueError(f"the ids in {VOCABULARY} are not 0, 1, 2 … {len(tokens) - 1:,}, each once")
    if missing := [token for token in SPECIAL if token not in ids]:
        raise ValueError(f"{VOCABULARY} lacks {', '.join(missing)}")
    lowest = min(model.scores.values())
    languages = [token for token in tokens if token.startswith(">>") and token.endswith("<<")]  # to translate into
    own = {*model.scores, *SPECIAL, *languages}
    return json.dumps(
        {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": [_added_token(token, ids[token]) for token in (*SPECIAL, *languages)],
            "normalizer": {"type": "Sequence", "normalizers": _normalizers(model.normalisation)},
            "pre_tokenizer": _SPACES,
            "post_processor": _end_after_text(ids[END]),
            "decoder": {"type": "Sequence", "decoders": [_without_mark(), _SPACES]},
            "model": {
                "type": "Unigram",
                "unk_id": ids[UNKNOWN],
                "vocab": [
                    [token if token in own else OF_OTHER + token, model.scores.get(token, lowest)] for token in tokens
                ],
                "byte_fallback": False,
            },
        }
    )


def read_model(file: Path) -> SentencePieceModel:
    """Read a SentencePiece model.

    Raises:
        OSError: If the file cannot be read.
        ValueError: With a reason, if it is not a valid unigram model.
    """
    if (size := require_regular(file)) > MOST_BYTES:
        raise ValueError(f"{file.name} has {size:,} bytes, more than {MOST_BYTES:,}")
    model = ModelProto()
    try:
        model.ParseFromString(file.read_bytes())
    except DecodeError as error:
        raise ValueError(f"{file.name} cannot be read: {error}") from error
    scores = {piece.piece: piece.score for piece in model.pieces if piece.type == piece.NORMAL}
    if not scores or model.trainer_spec.model_type != model.trainer_spec.UNIGRAM:
        raise ValueError(f"{file.name} is not a unigram SentencePiece model")
    if not all(text and isinstance(text, str) and math.isfinite(score) for text, score in scores.items()):
        raise ValueError(f"{file.name} has a piece without a text or a score")
    return SentencePieceModel(scores, model.normalizer_spec.precompiled_charsmap)


_SPACES = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}


def _normalizers(normalisation: bytes) -> Sequence[dict]:
    compiled = {"type": "Precompiled", "precompiled_charsmap": b64encode(normalisation).decode()}
    return [
        *([compiled] if normalisation else []),
        {"type": "Strip", "strip_left": True, "strip_right": True},
        {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
    ]


def _without_mark() -> dict:
    return {"type": "Replace", "pattern": {"String": OF_OTHER}, "content": ""}


def _end_after_text(end: int) -> dict:
    text = {"Sequence": {"id": "A", "type_id": 0}}
    return {
        "type": "TemplateProcessing",
        "single": [text, {"SpecialToken": {"id": END, "type_id": 0}}],
        "pair": [text, {"Sequence": {"id": "B", "type_id": 0}}, {"SpecialToken": {"id": END, "type_id": 0}}],
        "special_tokens": {END: {"id": END, "ids": [end], "tokens": [END]}},
    }


def _added_token(token: str, index: int) -> dict:
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": index, "content": token, **flags, "special": True}
