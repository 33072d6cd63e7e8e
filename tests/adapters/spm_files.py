"""Files of Marian's tokenizers, written by hand: messages of protocol buffers."""

import json
import struct
from collections.abc import Mapping
from pathlib import Path

CONTROL, UNKNOWN, BPE = 3, 2, 2
SOURCE = {"▁the": -3.0, "▁cat": -3.0, "▁c": -4.0, "at": -4.0, "▁": -5.0, "s": -6.0, "a": -8.0, "t": -8.0}
TARGET = {"▁die": -3.0, "▁Katze": -3.0, "▁": -5.0, "s": -6.0, "花": -7.0}
VOCABULARY = ["</s>", "<unk>", *dict.fromkeys([*SOURCE, *TARGET]), ">>deu<<", "<pad>"]


def sentencepiece(scores: Mapping[str, float], kind: int = 1) -> bytes:
    """A model of SentencePiece with these pieces, and the control pieces that each has. kind: 1 unigram, 2 BPE."""
    pieces = [
        _piece("<unk>", 0.0, UNKNOWN),
        _piece("</s>", 0.0, CONTROL),
        *(_piece(*entry) for entry in scores.items()),
    ]
    return b"".join(field(1, piece) for piece in pieces) + field(2, field(3, kind))


def field(number: int, value: bytes | int | float) -> bytes:
    if isinstance(value, float):
        return _varint(number << 3 | 5) + struct.pack("<f", value)
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def save_marian_tokenizers(folder: Path) -> None:
    (folder / "source.spm").write_bytes(sentencepiece(SOURCE))
    (folder / "target.spm").write_bytes(sentencepiece(TARGET))
    (folder / "vocab.json").write_text(json.dumps({token: index for index, token in enumerate(VOCABULARY)}))


def _piece(text: str, score: float, kind: int = 1) -> bytes:
    return field(1, text.encode()) + field(2, score) + (field(3, kind) if kind != 1 else b"")


def _varint(number: int) -> bytes:
    more = b""
    while number > 127:
        more += bytes([number & 127 | 128])
        number >>= 7
    return more + bytes([number])
