"""What goes into a model: texts as tokens, rows of a corpus, behavioural tests."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from viz_core.records.messages import Message

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
    """Tokenised rows of a corpus: ids and segments, one array a row, and labels `(N,)` aligned with them.

    targets: `(N, C)` float32, the probabilities that are learned instead of the labels; None where these are.
    """

    ids: list[np.ndarray]
    segments: list[np.ndarray]
    labels: np.ndarray
    targets: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def lengths(self) -> np.ndarray:
        """`(N,)` tokens of each row, special ones included."""
        return np.array([len(row) for row in self.ids])

    def at(self, rows: np.ndarray) -> Examples:
        """Some of the rows, in the order of their numbers `(M,)`."""
        targets = None if self.targets is None else self.targets[rows]
        return Examples(
            [self.ids[row] for row in rows], [self.segments[row] for row in rows], self.labels[rows], targets
        )


@dataclass(frozen=True)
class BehaviouralTest:
    """A text or a pair that tests one capability of a model. category: the capability; expected: name of the class."""

    category: str
    texts: tuple[str, ...]
    expected: str
