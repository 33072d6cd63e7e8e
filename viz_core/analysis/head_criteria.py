"""Criteria to find heads by: the weight that queries give to the token before them, to the same token elsewhere, …

A criterion is a relation between tokens of an input; its value for a head is the weight on the related keys, as a mean
over the queries that have one. Defined here for single inputs (heads.py) and for a corpus (head_profile.py).

Previous and next token, the token itself, [CLS] and [SEP]: Clark et al. 2019, "What Does BERT Look At?", section 3.1,
https://arxiv.org/abs/1906.04341. The same token of the other text: the alignments of a pair.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np


class Relation(NamedTuple):
    """P pairs of a query and a key, `(P,)` each: positions in the input, ordered by query."""

    queries: np.ndarray
    keys: np.ndarray


def relations(tokens: Sequence, segments: np.ndarray, special: np.ndarray) -> dict[str, Relation]:
    """The relations within an input of T tokens, without those that no pair of tokens is in.

    tokens: T ids or strings. segments: `(T,)`, 0 and 1. special: `(T,)` bool.

    `self`, `previous`, `next`; `cls`, `sep` as from `to_special`; `same`: to equal tokens of the other segment, special
    ones left out.
    """
    positions, tokens = np.arange(len(special)), np.asarray(tokens)
    first, second = (np.flatnonzero(~special & (segments == number)) for number in (0, 1))
    equal = tokens[first][:, None] == tokens[second]
    (rows, columns), (columns_of_second, rows_of_second) = np.nonzero(equal), np.nonzero(equal.T)
    return to_special(len(special), special) | _not_empty(
        {
            "self": Relation(positions, positions),
            "previous": Relation(positions[1:], positions[:-1]),
            "next": Relation(positions[:-1], positions[1:]),
            "same": Relation(
                np.concatenate([first[rows], second[columns_of_second]]),
                np.concatenate([second[columns], first[rows_of_second]]),
            ),
        }
    )


def to_special(queries: int, special: np.ndarray) -> dict[str, Relation]:
    """From each of the queries to special keys, `(K,)` bool: `cls`, the first key, and `sep`, all others."""
    keys = np.flatnonzero(special)
    parts = {"cls": keys[keys == 0], "sep": keys[keys > 0]}
    return _not_empty(
        {
            name: Relation(np.repeat(np.arange(queries), len(part)), np.tile(part, queries))
            for name, part in parts.items()
        }
    )


def _not_empty(parts: Mapping[str, Relation]) -> dict[str, Relation]:
    return {name: relation for name, relation in parts.items() if len(relation.keys)}


def weight_on(attention: np.ndarray, relation: Relation) -> np.ndarray:
    """`(...)`: the weight of attention `(..., Q, K)` on the related keys, as a mean over the queries that have one."""
    return attention[..., relation.queries, relation.keys].sum(-1) / len(np.unique(relation.queries))
