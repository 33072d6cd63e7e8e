"""Tokens of a text as the browser needs them: one side of an attention, queries or keys."""

from collections.abc import Sequence

import numpy as np

from viz_core.records import Encoding, show_whitespace
from viz_core.rendering.labels import printable


def token_fields(encoding: Encoding, labels: Sequence[str] = ()) -> dict:
    """Tokens with their labels, by default as typed.

    Group -1 is special, 0 and 1 are text A and B.
    """
    names = labels or encoding.labels
    return {
        "tokens": len(encoding.tokens),
        "labels": [printable(name) for name in names],
        "groups": encoding.groups.tolist(),
        "segments": encoding.segments.tolist(),
    }


def text_fields(encoding: Encoding) -> dict:
    """Words with their labels, and each text as pieces `[string, token or -1]`, in reading order."""
    starts = np.flatnonzero(np.diff(encoding.words, prepend=-1)).tolist()
    ends = [*starts[1:], len(encoding.tokens)]
    words = [
        _without_space_before(_typed_text(encoding, start, end))
        if not encoding.special[start]
        else encoding.tokens[start]
        for start, end in zip(starts, ends, strict=True)
    ]
    return {
        "wordLabels": [printable(show_whitespace(word)) for word in words],
        "words": encoding.words.tolist(),
        "unknown": encoding.unknown.tolist(),
        "texts": [_pieces(encoding, number) for number in range(len(encoding.texts))],
    }


def _without_space_before(word: str) -> str:
    """Strip the space before a word, which byte-level tokenizers count as its first character."""
    return word.lstrip() or word


def _typed_text(encoding: Encoding, start: int, end: int) -> str:
    """Text of tokens `start` to `end - 1`, as typed."""
    return encoding.texts[encoding.segments[start]][encoding.offsets[start][0] : encoding.offsets[end - 1][1]]


def _pieces(encoding: Encoding, number: int) -> list[tuple[str, int]]:
    """A text as its tokens and the characters between them; tokens that are not in it are empty strings."""
    text, pieces, position = encoding.texts[number], [], 0
    for index in np.flatnonzero(encoding.segments == number).tolist():
        if not encoding.typed[index]:
            pieces.append(("", index))
            continue
        start, end = encoding.offsets[index].tolist()
        pieces += [(text[position:start], -1)] * (start > position) + [(text[start:end], index)]
        position = end
    return pieces + [(text[position:], -1)] * (position < len(text))
