"""Realistic records for the tests: a review, a pair of questions, hostile text, a long text."""

import re

import numpy as np

from viz_core.records import AttentionMap, Encoding, Explanation, Message, TokenWeights

REVIEW = "The plot is not good, but I loved it: the actors are wonderful!"
PAIR = ("花呗怎么还款", "花呗如何还钱")
HOSTILE = "<b>bold</b> <script>alert(1)</script> %{z} &amp; $x^2$ {0} <br> \u202ekcab " + "long" * 75
TITLE = Message("rendering.weight")  # any entry of the catalogues


def encoding(*texts: str) -> Encoding:
    """As from the tokenizer, with made-up ids: English words, Chinese characters, [CLS] and [SEP]."""
    pattern = (
        r"[\u4e00-\u9fff]|\w+"
        if any("\u4e00" <= c <= "\u9fff" for c in texts[0])
        else r"\S+"
        if "<" in texts[0]
        else r"[A-Za-z]+"
    )
    tokens, segments, offsets = ["[CLS]"], [0], [(0, 0)]
    for number, text in enumerate(texts):
        for match in re.finditer(pattern, text):
            tokens.append(match.group().lower())
            segments.append(number)
            offsets.append(match.span())
        tokens.append("[SEP]")
        segments.append(number)
        offsets.append((0, 0))
    special = np.array([token in ("[CLS]", "[SEP]") for token in tokens])
    unknown = np.array([token in ("wonderful", "呗") for token in tokens])
    vocabulary = tuple("[UNK]" if missing else token for token, missing in zip(tokens, unknown, strict=True))
    ids = np.array([sum(map(ord, token)) % 20000 for token in tokens])
    return Encoding(
        tuple(texts), vocabulary, ids, np.array(segments), np.array(offsets), np.arange(len(tokens)), special, unknown
    )


def groups(encoding: Encoding) -> np.ndarray:
    """`(T,)`: -1 for special tokens, else the segment."""
    return np.where(encoding.special, -1, encoding.segments)


def labels(encoding: Encoding) -> tuple[str, ...]:
    return tuple(encoding.label(index) for index in range(len(encoding.tokens)))


def attention(tokens: int, seed: int = 0, focus: float = 3.0) -> np.ndarray:
    """`(T, T)` float32, rows sum to 1: each token attends to its neighbours and to a few other tokens."""
    rng = np.random.default_rng(seed)
    near = -np.abs(np.subtract.outer(np.arange(tokens), np.arange(tokens) + seed % 3 - 1)) * 0.6
    scores = near + rng.normal(size=(1, tokens)) + focus * rng.random((tokens, tokens)) ** 6
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)


def attention_map(encoding: Encoding, seed: int = 0, **changes) -> AttentionMap:
    token_groups, tokens = groups(encoding), labels(encoding)
    return AttentionMap(
        **{
            **dict(
                queries=tokens,
                keys=tokens,
                weights=attention(len(tokens), seed),
                query_groups=token_groups,
                key_groups=token_groups,
                title=TITLE,
            ),
            **changes,
        }
    )


def token_weights(encoding: Encoding, **changes) -> TokenWeights:
    received = attention(len(encoding.tokens)).mean(axis=0)
    return TokenWeights(
        **{
            **dict(
                labels=labels(encoding),
                weights=received,
                groups=groups(encoding),
                spans=encoding.offsets,
                texts=encoding.texts,
                title=TITLE,
            ),
            **changes,
        }
    )


def long_text(tokens: int) -> Encoding:
    words = REVIEW.replace(":", "").split()
    return encoding(" ".join(words[index % len(words)] for index in range(tokens - 2)))


def explanation(*texts: str, last: float = 0.83, threshold: float = 0.5) -> Explanation:
    encoded = encoding(*texts)
    pair = len(texts) > 1
    return Explanation(
        "small",
        "afqmc" if pair else "imdb",
        encoded,
        ("different", "same") if pair else ("negative", "positive"),
        np.array([1 - last, last]),
        threshold,
        attention(len(encoded.tokens))[None, None],
        "cls",
    )
