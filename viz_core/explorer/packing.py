"""Packs an explanation into the bytes that the explorer draws: text and numbers as JSON, weights as fixed point.

Layout: length of the header (uint32, little-endian); the header (JSON, UTF-8); thumbnails of all heads, `(L, H, side,
side)` uint8, omitted if all heads are included and small enough to serve as their own thumbnails; the exact weights of
the included heads, each as from `pack_heads`: `(T, T)` high bytes, then `(T, T)` low bytes, which compress better
separately. Other heads are fetched on demand.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from math import ceil

import numpy as np

from viz_core.explorer.prediction import prediction_fields
from viz_core.explorer.shared import appearance, describe
from viz_core.language import Translator
from viz_core.records import Encoding, Explanation, HeadStatistics, show_whitespace
from viz_core.rendering.labels import printable
from viz_core.rendering.theme import Theme

STEPS = 65_535  # a weight of 1
SIDE = 64  # cells per side of a thumbnail
SMALL_BYTES = 160_000  # exact weights of up to this size are sent all at once
SMALL_UPDATE = 32_000  # the same while a person types
MAX_SEPARATE = 8  # heads; as in source/explorer/matrices.js
Head = tuple[int, int]  # layer and head, from 0


def pack(
    explanation: Explanation,
    statistics: HeadStatistics,
    say: Translator,
    theme: Theme | None,
    selection: Mapping[str, str] | None = None,
    request: Mapping | None = None,
    **fields: object,
) -> bytes:
    """Everything that a drawing needs; all heads if they are small or cannot be fetched later.

    theme: None leaves out theme and messages, for a browser that has them already. selection: the initial selection, as
    in a link (source/explorer/selection.js). request: `url` and `body` of requests for further heads; None if there is
    no server, as in a file. fields: added to the header, in place of those made here.
    """
    attention, encoding = explanation.attention, explanation.encoding
    layers, heads, tokens, _ = attention.shape
    selection = dict(selection or {})
    limit = SMALL_BYTES if theme else SMALL_UPDATE
    complete = request is None or attention.size * 2 <= limit
    sent = all_heads(layers, heads) if complete else first_heads(selection.get("head", ""), layers, heads)
    if not complete and len(sent) * tokens**2 * 2 > limit:
        sent = sent[:1]
    thumbnails, peaks = pool(attention)
    derivable = complete and thumbnails.shape[-1] == tokens  # the browser can compute the thumbnails
    header = {
        **(appearance(say, theme, "explorer", "instrument") if theme else {}),
        **describe(explanation),
        **_text_fields(encoding),
        "id": _identity(explanation),
        "model": explanation.model,
        "pooling": explanation.pooling,
        "prediction": prediction_fields(explanation, say),
        "notices": [say(notice) for notice in encoding.notices],
        "statistics": {name: np.round(values, 4).tolist() for name, values in vars(statistics).items()},
        "side": thumbnails.shape[-1],
        "peaks": peaks.tolist(),
        "thumbnails": not derivable,
        "sent": sent,
        "selection": selection,
        "request": request,
        **fields,
    }
    return pack_header(header) + b"".join(
        [b"" if derivable else thumbnails.tobytes(), *(_planes(attention[head]) for head in sent)]
    )


def pack_header(header: Mapping) -> bytes:
    """The header alone, with its length: all there is for a text that the model cannot read."""
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":"))
    header_bytes = text.encode(errors="backslashreplace")  # half a character, which UTF-8 has not, as JSON writes it
    return len(header_bytes).to_bytes(4, "little") + header_bytes


def pack_heads(explanation: Explanation, heads: Sequence[Head]) -> bytes:
    """The exact weights of one head, or of the mean over several: high bytes, then low bytes of `(T, T)` fixed point.

    Raises ValueError if there are no heads, or if the model does not have one of them.
    """
    layers, count = explanation.attention.shape[:2]
    if not heads or not all(0 <= layer < layers and 0 <= head < count for layer, head in heads):
        raise ValueError(f"heads {list(heads)[:8]} are not among {layers} layers with {count} heads")
    weights = explanation.attention[heads[0]] if len(heads) == 1 else _mean(explanation.attention, heads)
    return _planes(weights)


def fixed_point(weights: np.ndarray) -> np.ndarray:
    """Weights `(T, T)` in steps of 1/65535, uint16.

    Rounds cumulative sums rather than weights: every weight, and every sum over a range of neighbouring keys, is less
    than a step from the exact value, and a row that sums to 1 sums to exactly 65535 steps.
    """
    sums = np.cumsum(weights, axis=-1, dtype=np.float64)
    sums *= STEPS
    np.rint(sums, out=sums)
    return np.diff(sums, axis=-1, prepend=0).clip(0, STEPS).astype(np.uint16)


def pool(attention: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Thumbnails `(L, H, side, side)` uint8 of attention `(L, H, T, T)`, and the largest weight of each head `(L, H)`.

    A cell is the square root of the largest weight in its block relative to the head's largest weight; up to 64 tokens
    a block is a single token. Means on a linear scale would make single strong cells disappear.
    """
    layers, heads, tokens, _ = attention.shape
    block = ceil(tokens / SIDE)
    side = ceil(tokens / block)
    padded = attention
    if side * block != tokens:
        padded = np.zeros((layers, heads, side * block, side * block), attention.dtype)
        padded[..., :tokens, :tokens] = attention
    largest = padded.reshape(layers, heads, side, block, side * block).max(3)
    largest = largest.reshape(layers, heads, side, side, block).max(4)
    peaks = largest.max((2, 3))
    shares = np.sqrt(largest / np.where(peaks > 0, peaks, 1)[..., None, None])
    return np.rint(shares * 255).astype(np.uint8), peaks


def all_heads(layers: int, heads: int) -> list[Head]:
    return [(layer, head) for layer in range(layers) for head in range(heads)]


def first_heads(link: str, layers: int, heads: int) -> list[Head]:
    """The heads that a link names as `layer.head`, counted from 1, `*` for all; the first head if any does not exist.

    Of more than MAX_SEPARATE heads, the browser fetches the mean, so that only the first is included.
    """
    selected = []
    for part in link.split(" "):
        names = part.split(".")
        matching = [
            (layer, head)
            for layer, head in all_heads(layers, heads)
            if len(names) == 2 and names[0] in ("*", str(layer + 1)) and names[1] in ("*", str(head + 1))
        ]
        if not matching:
            return [(0, 0)]
        selected += matching
    selected = list(dict.fromkeys(selected))
    return selected if len(selected) <= MAX_SEPARATE else [(0, 0)]


def _planes(weights: np.ndarray) -> bytes:
    """Weights `(T, T)` in fixed point: all high bytes, then all low bytes."""
    steps = fixed_point(weights)
    return (steps >> 8).astype(np.uint8).tobytes() + steps.astype(np.uint8).tobytes()


def _mean(attention: np.ndarray, heads: Sequence[Head]) -> np.ndarray:
    total = np.zeros(attention.shape[2:], np.float64)
    for head in heads:  # not all at once: a copy of 144 heads of 512 tokens would take 150 MB
        total += attention[head]
    return total / len(heads)


def _text_fields(encoding: Encoding) -> dict:
    """The words with their labels, and each text as pieces `[string, token or -1]`, in reading order."""
    starts = np.flatnonzero(np.diff(encoding.words, prepend=-1))
    ends = np.append(starts[1:], len(encoding.tokens))
    words = [
        _typed_text(encoding, start, end) if not encoding.special[start] else encoding.tokens[start]
        for start, end in zip(starts, ends, strict=True)
    ]
    return {
        "wordLabels": [printable(show_whitespace(word)) for word in words],
        "words": encoding.words.tolist(),
        "unknown": encoding.unknown.tolist(),
        "texts": [_pieces(encoding, number) for number in range(len(encoding.texts))],
    }


def _typed_text(encoding: Encoding, start: int, end: int) -> str:
    """The text of tokens `start` to `end - 1`, as typed."""
    return encoding.texts[encoding.segments[start]][encoding.offsets[start][0] : encoding.offsets[end - 1][1]]


def _pieces(encoding: Encoding, number: int) -> list[tuple[str, int]]:
    """A text as its tokens and the characters between them; special tokens are empty strings."""
    text, pieces, position = encoding.texts[number], [], 0
    for index in np.flatnonzero(encoding.segments == number).tolist():
        if encoding.special[index]:
            pieces.append(("", index))
            continue
        start, end = encoding.offsets[index].tolist()
        pieces += [(text[position:start], -1)] * (start > position) + [(text[start:end], index)]
        position = end
    return pieces + [(text[position:], -1)] * (position < len(text))


def _identity(explanation: Explanation) -> str:
    """A hash that identifies the input and its model."""
    content = repr(
        (
            explanation.task,
            explanation.model,
            explanation.encoding.texts,
            explanation.attention.shape,
            explanation.attention[..., -1, :8].tolist(),
        )
    )
    return hashlib.sha256(content.encode()).hexdigest()[:16]
