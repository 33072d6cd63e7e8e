"""Translations for the tests, with plausible attention: what stands for the same attends to it."""

from collections.abc import Sequence

import numpy as np

from viz_core.records import Candidate, Encoding, Step, Translation
from viz_core.text.joining import join_with_spans

SOURCE = ("我们", "明天", "去", "学校", "。")
TARGET = ("we", "go", "to", "school", "tomorrow", ".")
ALIGNED = (0, 2, 2, 3, 1, 4)  # the source word of each target word


def translation(
    source: Sequence[str] = SOURCE,
    target: Sequence[str] = TARGET,
    aligned: Sequence[int] = ALIGNED,
    layers: int = 2,
    heads: int = 4,
    complete: bool = True,
) -> Translation:
    """source: words, of which every character is a token. aligned: the source word of each target word."""
    read = list(target) if complete else list(target[:-1])
    outputs = [*target, "[SEP]"] if complete else list(target)
    source_encoding, target_encoding = encode_characters(source), encode_target(target, len(read))
    S, T = len(source_encoding.tokens), len(outputs)
    words = source_encoding.words - 1  # [CLS] is the first word
    matches = np.array([words == word for word in (*aligned, len(source))][:T], float)  # (T, S)
    attention = {
        "self": _heads(layers, heads, lambda seed, focus: _near(S, S, seed) + focus * _few(S, S, seed)),
        "causal": _heads(
            layers,
            heads,
            lambda seed, focus: np.where(np.tri(T, dtype=bool), _near(T, T, seed) + focus * _few(T, T, seed), -np.inf),
        ),
        "cross": _heads(
            layers, heads, lambda seed, focus: focus * (matches + _few(T, S, seed)) + _near(T, S, seed) / 4
        ),
    }
    for weights in attention.values():
        weights.flags.writeable = False
    return Translation(
        "tatoeba",
        "small",
        source_encoding,
        target_encoding,
        attention,
        tuple(_step(number, token) for number, token in enumerate(outputs)),
        complete,
    )


def of_length(sources: int, targets: int, **shape) -> Translation:
    """sources, targets: tokens with the special ones; words of two characters, aligned along the diagonal."""
    source = ["学校" if index % 2 else "明天" for index in range((sources - 2) // 2)] + ["去"] * (sources % 2)
    target = [TARGET[index % 5] for index in range(targets - 1)]
    return translation(source, target, [index * len(source) // (targets - 1) for index in range(targets - 1)], **shape)


def encode_characters(words: Sequence[str]) -> Encoding:
    """[CLS], the characters of the words, [SEP]."""
    text, numbers = "".join(words), np.repeat(np.arange(len(words)), [len(word) for word in words])
    return _encoding(
        text,
        ["[CLS]", *text, "[SEP]"],
        [(0, 0), *((index, index + 1) for index in range(len(text))), (0, 0)],
        [0, *(numbers + 1), len(words) + 1],
    )


def encode_target(words: Sequence[str], read: int) -> Encoding:
    """[CLS] and the first `read` words, in the text of all of them."""
    text, spans = join_with_spans(words)
    return _encoding(text, ["[CLS]", *words[:read]], [(0, 0), *spans[:read]], range(read + 1))


def _encoding(text: str, tokens: Sequence[str], spans: Sequence[tuple], words: Sequence[int]) -> Encoding:
    return Encoding(
        (text,),
        tuple(tokens),
        np.arange(len(tokens)),
        np.zeros(len(tokens), int),
        np.array(spans),
        np.array(words),
        np.array([token in ("[CLS]", "[SEP]") for token in tokens]),
        np.zeros(len(tokens), bool),
    )


def _step(number: int, token: str) -> Step:
    output = Candidate(number, token, 0.7)
    return Step((output, Candidate(99, "the", 0.2)), output, 1)


def _heads(layers: int, heads: int, scores) -> np.ndarray:
    """`(L, H, Q, K)` float32, rows sum to 1; sharper in later layers."""
    all_scores = np.array(
        [[scores(layer * heads + head, 2.0 + 2 * layer) for head in range(heads)] for layer in range(layers)]
    )
    weights = np.exp(all_scores - all_scores.max(-1, keepdims=True))
    return (weights / weights.sum(-1, keepdims=True)).astype(np.float32)


def _near(queries: int, keys: int, seed: int) -> np.ndarray:
    """Scores of tokens by their distance, relative to the length of their sentences."""
    rows, columns = np.arange(queries) * keys / queries, np.arange(keys)
    return -np.abs(np.subtract.outer(rows, columns + seed % 3 - 1)) * 0.6


def _few(queries: int, keys: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.random((queries, keys)) ** 6 + rng.normal(size=(1, keys)) / 4
