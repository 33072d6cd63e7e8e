"""Explanations with plausible attention, and texts that are hard to display."""

from dataclasses import replace

import numpy as np

from tests.rendering.examples import PAIR, REVIEW, attention, encoding, long_text
from viz_core.analysis.heads.statistics import head_statistics
from viz_core.explorer.packing import pack
from viz_core.language import Translator
from viz_core.records import Encoding, Explanation
from viz_core.rendering.theme import theme

# Each is a token: markup, entities, quotes, templates, right-to-left, zero-width, a five-part emoji, a long word.
HOSTILE = (
    "</script><script>alert(1)</script>",
    "<img/src=x/onerror=alert(2)>",
    "&amp;&lt;",
    '"double"',
    "'single'",
    "`back`",
    "${key}{0}",
    "</style>",
    "-->",
    "\u202ekcab",
    "שלום",
    "zero\u200bwidth",
    "👩🏽\u200d🚀",
    "$&$1",
    "javascript:alert(3)",
    "long" * 75,
)


def explanation(
    encoding: Encoding, layers: int = 2, heads: int = 4, pooling: str = "cls", model: str = "small"
) -> Explanation:
    """Every head attends elsewhere, more sharply in later layers; deterministic."""
    tokens, pair = len(encoding.tokens), len(encoding.texts) == 2
    weights = np.stack(
        [
            [attention(tokens, layer * heads + head, focus=2.0 + 2 * layer) for head in range(heads)]
            for layer in range(layers)
        ]
    )
    labels = ("different", "same") if pair else ("negative", "positive")
    return Explanation(
        model, "afqmc" if pair else "imdb", encoding, labels, np.array([0.2, 0.8]), 0.5, weights, pooling
    )


def review(**shape) -> Explanation:
    return explanation(encoding(REVIEW), **shape)


def pair(**shape) -> Explanation:
    """A Chinese pair, in words of two characters."""
    return explanation(two_character_words(encoding(*PAIR)), **shape)


def of_length(tokens: int, **shape) -> Explanation:
    return explanation(long_text(tokens), **shape)


def hostile(**shape) -> Explanation:
    return explanation(encode_by_spaces(" ".join(HOSTILE)), **shape)


def norms(explanation: Explanation) -> np.ndarray:
    """Norms of the values `(L, H, T)` between 0.5 and 3.5, another order in each head; 0 of the first token."""
    layers, heads, tokens, _ = explanation.attention.shape
    steps = (np.arange(layers * heads)[:, None] * 3 + np.arange(tokens) * 5) % 7
    values = (0.5 + steps / 2).astype(np.float32)
    values[:, 0] = 0
    return values.reshape(layers, heads, tokens)


def two_character_words(encoding: Encoding) -> Encoding:
    """The same tokens in words of two; special tokens stay alone."""
    words, number, run = [], -1, 0
    for special in encoding.special:
        run = 0 if special else run + 1
        number += special or run % 2
        words.append(number)
    return replace(encoding, words=np.array(words))


def encode_by_spaces(*texts: str, keep_empty: bool = True) -> Encoding:
    """A token for everything between spaces. keep_empty: also for nothing, between two of them."""
    tokens, segments, offsets = ["[CLS]"], [0], [(0, 0)]
    for number, text in enumerate(texts):
        start = 0
        for word in text.split(" "):
            if word or keep_empty:
                tokens.append(word)
                segments.append(number)
                offsets.append((start, start + len(word)))
            start += len(word) + 1
        tokens.append("[SEP]")
        segments.append(number)
        offsets.append((0, 0))
    count = len(tokens)
    special = np.array([token in ("[CLS]", "[SEP]") for token in tokens])
    return Encoding(
        texts,
        tuple(tokens),
        np.arange(count),
        np.array(segments),
        np.array(offsets),
        np.arange(count),
        special,
        np.zeros(count, bool),
    )


def encode_bytes() -> Encoding:
    """A character of two tokens, in one word with the space before the text that SentencePiece puts there."""
    special = np.array([True, False, False, False, True])
    offsets = np.array([(0, 0), (0, 0), (0, 1), (1, 1), (0, 0)])
    tokens = ("[CLS]", "▁", "<0xC3>", "<0xA9>", "[SEP]")
    words = np.array([0, 1, 1, 1, 2])
    return Encoding(("é",), tokens, np.arange(5), np.zeros(5, int), offsets, words, special, np.zeros(5, bool))


def pack_example(
    explanation: Explanation, selection: dict | None = None, request: dict | None = None, language: str = "en"
) -> bytes:
    return pack(explanation, head_statistics(explanation), Translator(language), theme("light"), selection, request)
