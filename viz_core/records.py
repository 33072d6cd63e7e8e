"""Results that cross rooms: frozen records of NumPy arrays with labels aligned to them.

Shapes: L layers, H heads, T tokens. Attention is `(L, H, T, T)`, row = query, column = key.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Message:
    """Something to be said to a person: a key of the message catalogues and the values that fill it.

    It becomes a Chinese or an English sentence only where it is shown (`viz_core.language.Translator`).
    """

    key: str
    values: Mapping[str, object] = field(default_factory=dict)


class Failure(Exception):
    """An error that a person can understand and mend; carries the Message that says so."""

    def __init__(self, key: str, **values: object) -> None:
        self.message = Message(key, values)
        super().__init__(f"{key} {dict(values)}")


_VISIBLE = str.maketrans({" ": "␣", "\u3000": "␣", "\n": "↵", "\r": "↵", "\t": "⇥"})


def visible(token: str) -> str:
    """A token with its white space made visible."""
    return token.translate(_VISIBLE)


@dataclass(frozen=True, eq=False)
class Encoding:
    """A text (or a pair) as the encoder sees it; every array is aligned with `tokens`.

    texts: the one or two texts as typed. tokens: as they are looked up in the vocabulary. ids, segments: `(T,)` int64.
    offsets: `(T, 2)` start and end in the text of the token's segment, `(0, 0)` for special tokens.
    words: `(T,)` number of the word group that a token belongs to, growing from left to right.
    special, unknown: `(T,)` bool. notices: what was cut or not known, for the reader.
    """

    texts: tuple[str, ...]
    tokens: tuple[str, ...]
    ids: np.ndarray
    segments: np.ndarray
    offsets: np.ndarray
    words: np.ndarray
    special: np.ndarray
    unknown: np.ndarray
    notices: tuple[Message, ...] = ()

    def surface(self, index: int) -> str:
        """The token as the person typed it; a special token as it is named."""
        if self.special[index]:
            return self.tokens[index]
        start, end = self.offsets[index]
        return self.texts[self.segments[index]][start:end]

    def label(self, index: int) -> str:
        """The token as typed, white space made visible."""
        return visible(self.surface(index))


@dataclass(frozen=True, eq=False)
class Examples:
    """Tokenised rows of a corpus: ids and segments, one array a row, and labels `(N,)` aligned with them."""

    ids: list[np.ndarray]
    segments: list[np.ndarray]
    labels: np.ndarray

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def lengths(self) -> np.ndarray:
        return np.array([len(row) for row in self.ids])


@dataclass(frozen=True, eq=False)
class Explanation:
    """What a model made of one input.

    labels: names of the classes, aligned with `probabilities` `(C,)` (calibrated). threshold: probability of the last
    class from which on it is the answer. attention: `(L, H, T, T)` float32, rows sum to 1. pooling: `cls` or `mean`.
    """

    model: str
    task: str
    encoding: Encoding
    labels: tuple[str, ...]
    probabilities: np.ndarray
    threshold: float
    attention: np.ndarray
    pooling: str
    notices: tuple[Message, ...] = ()

    @property
    def predicted(self) -> int:
        """Index of the answer: the last class from the threshold on, else the likeliest of the others."""
        if self.probabilities[-1] >= self.threshold:
            return len(self.labels) - 1
        return int(np.argmax(self.probabilities[:-1]))


@dataclass(frozen=True, eq=False)
class AttentionMap:
    """Attention from queries (rows) to keys (columns), ready to be drawn.

    weights: `(Q, K)`. queries, keys: the labels of rows and columns; query_groups, key_groups: the segment number of
    each, -1 for a special token. title: what it shows. renormalised: whether rows were scaled back to sum 1.
    """

    queries: tuple[str, ...]
    keys: tuple[str, ...]
    weights: np.ndarray
    query_groups: np.ndarray
    key_groups: np.ndarray
    title: Message
    renormalised: bool = False


@dataclass(frozen=True, eq=False)
class TokenWeights:
    """One number per token (or word): attention given by [CLS], or received from all tokens.

    labels: the tokens or words; weights: `(N,)`; groups: `(N,)` segment, -1 for special tokens; spans: `(N, 2)` start
    and end in the text of the segment, `(0, 0)` for special tokens; texts: as typed; title: what the numbers are.
    """

    labels: tuple[str, ...]
    weights: np.ndarray
    groups: np.ndarray
    spans: np.ndarray
    texts: tuple[str, ...]
    title: Message


@dataclass(frozen=True, eq=False)
class HeadStatistics:
    """What each head does with one input, a number a head: every array is `(L, H)` float32, a mean over all queries.

    entropy: how evenly a query spreads its weight, from 0 (all on one key) to 1 (the same on each). distance: how many
    tokens away from the query its weight lies. cls, sep: the share of the weight on [CLS], and on all [SEP] together.
    """

    entropy: np.ndarray
    distance: np.ndarray
    cls: np.ndarray
    sep: np.ndarray


@dataclass(frozen=True, eq=False)
class Curve:
    """One figure of a training, evaluation by evaluation.

    run: the name that the training was given. kind: what was measured, on what: `train`, `validation`, `auc`, `mcc`, `lr`.
    epochs, values: `(N,)`; NaN where nothing was measured.
    """

    run: str
    kind: str
    epochs: np.ndarray
    values: np.ndarray
