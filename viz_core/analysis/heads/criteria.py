"""Criteria to find heads by, such as the weight that queries give to the token before them.

A criterion is either a relation between tokens of an input or a set of keys. The value of a
relation for a head is the weight on the related keys, as a mean over the queries that have one. The
value of a set of keys is the weight that they receive together, as a mean over all queries. Defined
here for single inputs (statistics.py) and for a corpus (profile.py).

Previous and next token, the token itself; [CLS], [SEP] and punctuation: Clark et al. 2019, "What
Does BERT Look At?", sections 3.1 and 3.2, https://arxiv.org/abs/1906.04341. The same token of the
other text: the alignments of a pair. In causal attention the first token, a sink (Xiao et al. 2024,
"Efficient Streaming Language Models with Attention Sinks", section 3.1,
https://arxiv.org/abs/2309.17453); an earlier token equal to the query, and the tokens after such
ones, which induction heads copy (Olsson et al. 2022, "In-context Learning and Induction Heads",
https://arxiv.org/abs/2209.11895).
"""

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from torch import Tensor

from viz_core.records.translation import Kind

Array = TypeVar("Array", np.ndarray, Tensor)

_SPACES = "▁␣ "  # first characters of a word in SentencePiece and in displayed byte-level tokens


class Relation(NamedTuple):
    """P pairs of a query and a key, `(P,)` each: positions in the input, ordered by query."""

    queries: np.ndarray
    keys: np.ndarray


class Criteria(NamedTuple):
    """The criteria that an input has, by name.

    Attributes:
        sets: Sets of keys, `(N,)` positions each.
        relations: Relations between its tokens.
    """

    sets: dict[str, np.ndarray]
    relations: dict[str, Relation]

    def measure(self, attention: Array, received: Array) -> dict[str, Array]:
        """Measure them, `(...)` each.

        Args:
            attention: `(..., Q, K)`.
            received: Mean weight that each key receives, `(..., K)`.
        """
        values = {name: received[..., keys].sum(-1) for name, keys in self.sets.items()}
        return values | {name: weight_on(attention, relation) for name, relation in self.relations.items()}


def is_punctuation(token: str) -> bool:
    """Whether all characters of a token are punctuation (Unicode categories P…); Clark et al. count `.` and `,`."""
    characters = token.lstrip(_SPACES)
    return bool(characters) and all(unicodedata.category(character)[0] == "P" for character in characters)


def separators(special: np.ndarray, punctuation: np.ndarray) -> dict[str, np.ndarray]:
    """Sets of keys that all queries may attend to, `(N,)` positions each; empty sets are left out.

    `cls` is a special key at the start, `sep` all other special keys, `punctuation` the
    punctuation.

    Args:
        special, punctuation: `(K,)` bool.
    """
    keys = np.flatnonzero(special)
    parts = {"cls": keys[keys == 0], "sep": keys[keys > 0], "punctuation": np.flatnonzero(punctuation & ~special)}
    return {name: part for name, part in parts.items() if len(part)}


def relations(tokens: Sequence | np.ndarray, segments: np.ndarray, special: np.ndarray) -> dict[str, Relation]:
    """Relations within an input of T tokens, without those that have no pair of tokens.

    `self`, `previous`, `next`; `same`: to equal tokens of the other segment, special ones left out.

    Args:
        tokens: T ids or strings.
        segments: `(T,)`, 0 and 1.
        special: `(T,)` bool.
    """
    positions, names = np.arange(len(special)), np.asarray(tokens)
    first, second = (np.flatnonzero(~special & (segments == number)) for number in (0, 1))
    equal = names[first][:, None] == names[second]
    (rows, columns), (columns_of_second, rows_of_second) = np.nonzero(equal), np.nonzero(equal.T)
    parts = {
        "self": Relation(positions, positions),
        "previous": Relation(positions[1:], positions[:-1]),
        "next": Relation(positions[:-1], positions[1:]),
        "same": Relation(
            np.concatenate([first[rows], second[columns_of_second]]),
            np.concatenate([second[columns], first[rows_of_second]]),
        ),
    }
    return {name: relation for name, relation in parts.items() if len(relation.keys)}


def causal_relations(tokens: Sequence | np.ndarray, special: np.ndarray) -> dict[str, Relation]:
    """Relations to earlier tokens, for causal attention of T tokens, without those that have no pair.

    `first`: to the first token; `duplicate`: to equal tokens; `induction`: to the tokens that follow
    equal ones. Special queries have only the first.

    Args:
        tokens: T ids or strings.
        special: `(T,)` bool.
    """
    positions, names = np.arange(len(special)), np.asarray(tokens)
    equal = np.tril(names[:, None] == names, -1) & ~special[:, None]
    after = np.tril(np.roll(equal, 1, axis=1), -1)  # (T, T); none after the last one
    parts = {
        "first": Relation(positions[1:], np.zeros_like(positions[1:])),
        "duplicate": Relation(*np.nonzero(equal)),
        "induction": Relation(*np.nonzero(after)),
    }
    return {name: relation for name, relation in parts.items() if len(relation.keys)}


def weight_on(attention: Array, relation: Relation) -> Array:
    """Weight of attention `(..., Q, K)` on the related keys, as a mean over the queries that have one, `(...)`."""
    return attention[..., relation.queries, relation.keys].sum(-1) / len(np.unique(relation.queries))


def measure_criteria(
    attention: Array,
    received: Array,
    tokens: Sequence | np.ndarray,
    segments: np.ndarray,
    special: np.ndarray,
    punctuation: np.ndarray,
    kind: Kind = "self",
) -> dict[str, Array]:
    """Measure the criteria that an input has, `(...)` each, by name; arguments as of `find_criteria` and `measure`."""
    return find_criteria(tokens, segments, special, punctuation, kind).measure(attention, received)


def find_criteria(
    tokens: Sequence | np.ndarray,
    segments: np.ndarray,
    special: np.ndarray,
    punctuation: np.ndarray,
    kind: Kind = "self",
) -> Criteria:
    """Find the criteria that an input has.

    Args:
        tokens, segments, special, punctuation: Of the keys, as in `separators` and `relations`.
    """
    sets = separators(special, punctuation)
    if kind == "causal":
        sets.pop("cls", None)  # the relation "first" leaves out the first query, which has no choice
    related = {} if kind == "cross" else relations(tokens, segments, special)
    if kind == "causal":
        related = {name: related[name] for name in ("self", "previous") if name in related}
        related |= causal_relations(tokens, special)
    return Criteria(sets, related)
