"""The tokenizers of a Marian folder (opus-mt), which has no `tokenizer.json`: two models of SentencePiece, `source.spm`
and `target.spm`, and `vocab.json`, the ids of the pieces of both. The library reads them only with its slow tokenizer;
here they become the contents of a `tokenizer.json` each.

Kudo 2018, "Subword Regularization", section 3.2: the likeliest pieces by the scores of a unigram model,
https://arxiv.org/abs/1804.10959. The format of the files is SentencePiece's `sentencepiece_model.proto`, a message of
protocol buffers (https://protobuf.dev/programming-guides/encoding).
"""

import json
import math
import struct
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from viz_core.adapters.folder import MARIAN_FILES
from viz_core.bounded_json import read_json_object, require_regular

SOURCE, TARGET, VOCABULARY = MARIAN_FILES
PAD, END, UNKNOWN = SPECIAL = ("<pad>", "</s>", "<unk>")
OF_OTHER = "\ue000"  # before the pieces of the other language, so that no text has them: of Unicode's private use
MOST_BYTES = 20_000_000  # of a model of SentencePiece; those of opus-mt have less than one million
_NORMAL, _UNIGRAM = 1, 1  # the type of a piece, and of a model


@dataclass(frozen=True)
class SentencePieceModel:
    """scores: the logarithm of the probability of each piece. normalisation: SentencePiece's own compiled map of
    characters, which the library `tokenizers` reads, too; empty for none."""

    scores: dict[str, float]
    normalisation: bytes


def tokenizer_file(folder: Path, file: str) -> str:
    """The contents of a `tokenizer.json` for one of both languages. file: SOURCE or TARGET. A piece that `vocab.json`
    lacks is never used, where the slow tokenizer makes it unknown. Raises OSError, or ValueError with a reason."""
    model, ids = read_model(folder / file), read_json_object(folder / VOCABULARY)
    tokens = sorted(ids, key=lambda token: ids[token] if type(ids[token]) is int else -1)
    if [ids[token] for token in tokens] != list(range(len(tokens))):
        raise ValueError(f"the ids in {VOCABULARY} are not 0, 1, 2 …")
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
    """Raises OSError, or ValueError with a reason."""
    if require_regular(file) > MOST_BYTES:
        raise ValueError(f"{file.name} has more than {MOST_BYTES:,} bytes")
    scores: dict[str, float] = {}
    kind: int | bytes = _UNIGRAM
    normalisation = b""
    for number, value in _fields(file.read_bytes()):
        match number, value:
            case 1, bytes():  # a piece: its text, its score, and its type, of which the first one is left out
                piece = dict(_fields(value))
                if piece.get(3, _NORMAL) == _NORMAL:
                    text, score = _read_piece(piece)
                    scores[text] = score
            case 2, bytes():
                kind = dict(_fields(value)).get(3, _UNIGRAM)
            case 3, bytes():
                compiled = dict(_fields(value)).get(2, b"")
                normalisation = compiled if isinstance(compiled, bytes) else b""
    if not scores or kind != _UNIGRAM:
        raise ValueError(f"{file.name} is no unigram model of SentencePiece")
    return SentencePieceModel(scores, normalisation)


def _read_piece(piece: Mapping[int, int | bytes]) -> tuple[str, float]:
    """Its text and its score. Raises ValueError."""
    text, score = piece.get(1), piece.get(2, bytes(4))
    if not isinstance(text, bytes) or not isinstance(score, bytes) or len(score) != 4:
        raise ValueError("it has a piece without a text or a score")
    (number,) = struct.unpack("<f", score)
    if not math.isfinite(number):
        raise ValueError("the score of a piece is no number")
    return text.decode("utf-8"), number


def _fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a message: number, and value, the bytes of a float as they are. Raises ValueError."""
    position = 0
    while position < len(message):
        key, position = _varint(message, position)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, position = _varint(message, position)
            yield number, value
            continue
        sizes = {1: 8, 5: 4}
        if wire == 2:
            size, position = _varint(message, position)
        elif wire in sizes:
            size = sizes[wire]
        else:
            raise ValueError("it is no message of protocol buffers")
        if position + size > len(message):
            raise ValueError("it is cut off")
        yield number, message[position : position + size]
        position += size


def _varint(message: bytes, position: int) -> tuple[int, int]:
    """A number of 7 bits a byte, the lowest first, and the position after it."""
    for count, byte in enumerate(message[position : position + 10]):
        if byte < 128:
            digits = message[position : position + count + 1]
            return sum((digit & 127) << 7 * place for place, digit in enumerate(digits)), position + count + 1
    raise ValueError("it is cut off")


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
