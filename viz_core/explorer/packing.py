"""An explanation as the bytes that the explorer draws: text and numbers as JSON, weights as fixed point.

Layout: length of the header (uint32, little-endian), the header (JSON, UTF-8), then thumbnails of all heads (`(L, H, side,
side)` uint8; none where every head is sent and small enough to be its own thumbnail) and the exact weights of the heads
that are sent along, each as `pack_heads` makes it: `(T, T)` high bytes, then `(T, T)` low bytes, which deflate better apart.
Heads that are not sent are fetched one by one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from math import ceil

import numpy as np

from viz_core.explorer.shared import describe
from viz_core.language import Translator
from viz_core.records import Encoding, Explanation, HeadStatistics, visible
from viz_core.rendering.labels import printable
from viz_core.rendering.theme import Theme

STEPS = 65_535  # a weight of 1
SIDE = 64  # cells of a thumbnail, a side
SMALL_BYTES = 160_000  # of exact weights: so much is sent at once, rather than a head at a time
Head = tuple[int, int]


def pack(
    explanation: Explanation,
    statistics: HeadStatistics,
    say: Translator,
    theme: Theme,
    selection: Mapping[str, str] | None = None,
    request: Mapping | None = None,
) -> bytes:
    """Everything that the first drawing needs; all heads where they are few bytes or nobody could send them later.

    selection: what the explorer begins with, in the short form of a link (source/explorer/selection.js). request: `url`
    and `body` to ask for more heads with; None where the bytes have to do for themselves, as in a file.
    """
    attention, encoding = explanation.attention, explanation.encoding
    layers, heads, tokens, _ = attention.shape
    selection = dict(selection or {})
    everything = [(layer, head) for layer in range(layers) for head in range(heads)]
    whole = request is None or attention.size * 2 <= SMALL_BYTES
    sent = everything if whole else first_heads(selection.get("head", ""), layers, heads)
    thumbnails, peaks = pool(attention)
    own = whole and thumbnails.shape[-1] == tokens  # thumbnails that the browser can make itself
    header = {
        **describe(explanation, say, theme, "explorer"),
        **_texts(encoding),
        "id": _identity(explanation),
        "model": explanation.model,
        "pooling": explanation.pooling,
        "statistics": {name: np.round(values, 4).tolist() for name, values in vars(statistics).items()},
        "side": thumbnails.shape[-1],
        "peaks": peaks.tolist(),
        "thumbnails": not own,
        "sent": sent,
        "selection": selection,
        "request": request,
    }
    described = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    return b"".join(
        [
            len(described).to_bytes(4, "little"),
            described,
            b"" if own else thumbnails.tobytes(),
            *(_planes(attention[head]) for head in sent),
        ]
    )


def pack_heads(explanation: Explanation, heads: Sequence[Head]) -> bytes:
    """The exact weights of one head, or of the mean over several: high bytes, then low bytes of `(T, T)` fixed point.

    Raises ValueError where there is no head, or one that the model does not have.
    """
    layers, count = explanation.attention.shape[:2]
    if not heads or not all(0 <= layer < layers and 0 <= head < count for layer, head in heads):
        raise ValueError(f"heads {list(heads)[:8]} are not some of {layers} layers with {count} heads")
    chosen = explanation.attention[heads[0]] if len(heads) == 1 else _mean(explanation.attention, heads)
    return _planes(chosen)


def fixed_point(weights: np.ndarray) -> np.ndarray:
    """Weights `(T, T)` in steps of 1/65535, uint16.

    It is the running sums that are rounded: every weight is less than a step from the true one, and so is the sum over
    any range of neighbouring keys; a row that sums to 1 sums to exactly 65535 steps.
    """
    sums = np.cumsum(weights, axis=-1, dtype=np.float64)
    sums *= STEPS
    np.rint(sums, out=sums)
    return np.diff(sums, axis=-1, prepend=0).clip(0, STEPS).astype(np.uint16)


def pool(attention: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Thumbnails `(L, H, side, side)` uint8 of attention `(L, H, T, T)`, and the largest weight of each head `(L, H)`.

    A cell holds the largest weight of its block (blocks of one token up to 64 tokens), as the square root of its share of
    the head's largest: plain averages on a linear scale would make single strong cells disappear.
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


def first_heads(link: str, layers: int, heads: int) -> list[Head]:
    """The head that a link names as `layer.head`, counted from 1; the first one where it names none, or more than one."""
    named = {f"{layer + 1}.{head + 1}": (layer, head) for layer in range(layers) for head in range(heads)}
    return [named.get(link, (0, 0))]


def _planes(weights: np.ndarray) -> bytes:
    steps = fixed_point(weights)
    return (steps >> 8).astype(np.uint8).tobytes() + steps.astype(np.uint8).tobytes()


def _mean(attention: np.ndarray, heads: Sequence[Head]) -> np.ndarray:
    total = np.zeros(attention.shape[2:], np.float64)
    for head in heads:  # one by one: a copy of 144 heads of 512 tokens would take 150 MB
        total += attention[head]
    return total / len(heads)


def _texts(encoding: Encoding) -> dict:
    """Words with their labels, and each text cut into `[string, token or -1]`, as it is read."""
    starts = np.flatnonzero(np.diff(encoding.words, prepend=-1))
    ends = np.append(starts[1:], len(encoding.tokens))
    words = [
        "".join(_between(encoding, start, end)) if not encoding.special[start] else encoding.tokens[start]
        for start, end in zip(starts, ends, strict=True)
    ]
    return {
        "wordLabels": [printable(visible(word)) for word in words],
        "words": encoding.words.tolist(),
        "unknown": encoding.unknown.tolist(),
        "texts": [_pieces(encoding, number) for number in range(len(encoding.texts))],
    }


def _between(encoding: Encoding, start: int, end: int) -> str:
    """The text from the first to the last of these tokens, as it was typed."""
    return encoding.texts[encoding.segments[start]][encoding.offsets[start][0] : encoding.offsets[end - 1][1]]


def _pieces(encoding: Encoding, number: int) -> list[tuple[str, int]]:
    """One text as its tokens and what stands between them; a special token is an empty string where it stands."""
    text, pieces, at = encoding.texts[number], [], 0
    for index in np.flatnonzero(encoding.segments == number).tolist():
        if encoding.special[index]:
            pieces.append(("", index))
            continue
        start, end = encoding.offsets[index].tolist()
        pieces += [(text[at:start], -1)] * (start > at) + [(text[start:end], index)]
        at = end
    return pieces + [(text[at:], -1)] * (at < len(text))


def _identity(explanation: Explanation) -> str:
    """Tells one input (of one model) from another."""
    given = repr(
        (
            explanation.task,
            explanation.model,
            explanation.encoding.texts,
            explanation.attention.shape,
            explanation.attention[..., -1, :8].tolist(),
        )
    )
    return hashlib.sha256(given.encode()).hexdigest()[:16]
