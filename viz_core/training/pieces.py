"""Pieces of texts: short inputs beside long ones, cut alike from the tokens of a student and from the text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from viz_core.text.tokenizer import TextEncoder

SHORTEST, LONGEST = 3, 80  # tokens
_TEXTS_AT_ONCE = 500  # the offsets of all tokens of a corpus would be gigabytes

Piece = tuple[int, int]  # its first token and the one after its last, in `[CLS] … [SEP]`


def draw_pieces(ids: Sequence[np.ndarray], seed: int) -> list[Piece]:
    """A random piece of each text; as many have 3 to 9 tokens as 9 to 27."""
    random = np.random.default_rng(seed)
    lengths = np.exp(random.uniform(np.log(SHORTEST), np.log(LONGEST + 1), len(ids))).astype(int)
    offsets = random.random(len(ids))
    pieces = []
    for row, length, offset in zip(ids, lengths, offsets, strict=True):
        tokens = len(row) - 2
        length = min(length, tokens)
        start = 1 + int(offset * (tokens - length + 1))
        pieces.append((start, start + length))
    return pieces


def piece_ids(ids: Sequence[np.ndarray], pieces: Sequence[Piece]) -> list[np.ndarray]:
    """`[CLS] … [SEP]` of each piece."""
    return [np.concatenate([row[:1], row[start:end], row[-1:]]) for row, (start, end) in zip(ids, pieces, strict=True)]


def piece_texts(texts: Sequence[str], pieces: Sequence[Piece], encoder: TextEncoder) -> list[str]:
    """Each piece as it is written, from its first token to its last. encoder: that of the ids they were drawn from."""
    result = []
    for first in range(0, len(texts), _TEXTS_AT_ONCE):
        part = slice(first, first + _TEXTS_AT_ONCE)
        for text, (start, end), spans in zip(texts[part], pieces[part], encoder.offsets(texts[part]), strict=True):
            result.append(text[spans[start][0] : spans[end - 1][1]] if start < end else "")
    return result
