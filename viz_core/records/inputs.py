"""Inputs of models: texts as tokens, rows of a corpus, behavioural tests."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from viz_core.records.messages import Message

# As in word processors: no-break and wide spaces like others, ¬ for the soft hyphen.
_VISIBLE = str.maketrans({" ": "␣", "\u00a0": "␣", "\u3000": "␣", "\n": "↵", "\r": "↵", "\t": "⇥", "\u00ad": "¬"})


def show_whitespace(token: str) -> str:
    """Token with visible symbols in place of white space and soft hyphens."""
    return token.translate(_VISIBLE)


def read_only(array: np.ndarray) -> np.ndarray:
    """Make an array read-only and return it, so that visitors can share a cached one."""
    array.flags.writeable = False
    return array


@dataclass(frozen=True, eq=False)
class Encoding:
    """A tokenised text (or pair); every array is aligned with `tokens`.

    Attributes:
        texts: One or two, as typed.
        tokens: As in the vocabulary.
        ids, segments: `(T,)` int64.
        offsets: `(T, 2)` start and end in the text of the token's segment, in code points, `(0, 0)`
            for tokens that a tokenizer puts around texts. They do not overlap: if a model from
            elsewhere has several tokens for the bytes of a character, the further ones have empty spans.
        words: `(T,)` index of the word that a token belongs to, increasing from left to right.
        special: `(T,)` bool, tokens that are markers: those around the texts, and of a model from
            elsewhere those that stand in a text, as the markers of a chat do.
        unknown: `(T,)` bool.
        notices: Truncation, unknown tokens and characters without a token, for the user.
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

    def first(self, count: int) -> Encoding:
        """Return the first tokens, with the same text and notices."""
        rows: dict[str, Any] = {name: array[:count] for name, array in self.arrays.items()}
        return replace(self, tokens=self.tokens[:count], **rows)

    def surface(self, index: int) -> str:
        """Token as typed; the name of a token without typed characters."""
        start, end = self.offsets[index]
        if start == end:
            return self.tokens[index]
        return self.texts[self.segments[index]][start:end]

    def label(self, index: int) -> str:
        """Token as typed, with visible white space and soft hyphens."""
        return show_whitespace(self.surface(index))

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of all tokens."""
        return tuple(map(self.label, range(len(self.tokens))))

    @property
    def typed(self) -> np.ndarray:
        """Tokens of a text, `(T,)` bool: all but those that the tokenizer puts around it."""
        return ~self.special | (self.offsets[:, 0] < self.offsets[:, 1])

    @property
    def groups(self) -> np.ndarray:
        """Segment of each token, -1 for special ones, `(T,)`."""
        return np.where(self.special, -1, self.segments)

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        """All arrays by name."""
        return {name: value for name, value in vars(self).items() if isinstance(value, np.ndarray)}


@dataclass(frozen=True, eq=False)
class Examples:
    """Tokenised rows of a corpus: ids and segments, one array `(T,)` per row, and labels `(N,)`.

    Attributes:
        targets: `(N, C)` float32, soft targets that replace the labels in training; None to train
            on the labels.
    """

    ids: list[np.ndarray]
    segments: list[np.ndarray]
    labels: np.ndarray
    targets: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def lengths(self) -> np.ndarray:
        """Number of tokens of each row, special ones included, `(N,)`."""
        return np.array([len(row) for row in self.ids])

    def at(self, rows: np.ndarray) -> Examples:
        """Select the rows with these indices `(M,)`, in their order."""
        targets = None if self.targets is None else self.targets[rows]
        return Examples(
            [self.ids[row] for row in rows], [self.segments[row] for row in rows], self.labels[rows], targets
        )


@dataclass(frozen=True)
class BehaviouralTest:
    """A text or pair that tests a single capability.

    Attributes:
        category: The capability.
        expected: Name of the correct class.
    """

    category: str
    texts: tuple[str, ...]
    expected: str
