"""Which tokens a head joins: for each query the key with the largest weight, counted over a corpus.

Counts are kept in bounded memory by lossy counting (Manku and Motwani 2002, "Approximate Frequency
Counts over Data Streams", section 4.2): when the table is full, the rarest pairs are dropped, so that a
count may be too small by what was dropped, never too large. Chance is a head that chooses among the
keys of each query at random. A token that attends to itself is no pair.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from viz_core.analysis.heads.queries import Side
from viz_core.records import TokenPair
from viz_core.records.translation import Kind

TABLE = 2_000_000  # pairs in memory, 16 bytes each
CANDIDATES = 200  # most frequent pairs of a head, of which the expected counts are computed
PAIRS = 12  # of a head in the result, the most surprising
LEAST = 5  # a rarer pair is not named


class _Tokens(NamedTuple):
    """What chance depends on."""

    ids: np.ndarray
    special: np.ndarray


class PairCounts:
    """Counts of token pairs of N heads over inputs, whose tokens have ids below `vocabulary`."""

    def __init__(self, heads: int, vocabulary: int, kind: Kind, table: int = TABLE) -> None:
        self.heads, self.vocabulary, self.kind, self.table = heads, vocabulary, kind, table
        self._codes, self._counts = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self._new: list[np.ndarray] = []
        self._inputs: list[tuple[_Tokens, _Tokens]] = []

    def add(self, strongest: np.ndarray, queries: Side, keys: Side) -> None:
        """Count the pairs of an input; those with a special token, or of a token with itself, are left out.

        Args:
            strongest: `(N, Q)` position of the key with the largest weight.
        """
        counts = ~queries.special & ~keys.special[strongest]
        if self.kind != "cross":
            counts &= strongest != np.arange(len(queries.ids))
        heads, places = np.nonzero(counts)
        codes = self._code(queries.ids[places], keys.ids[strongest[heads, places]])
        self._new.append(heads * self.vocabulary**2 + codes)
        self._inputs.append((_Tokens(queries.ids, queries.special), _Tokens(keys.ids, keys.special)))
        if sum(map(len, self._new)) > self.table // 2:
            self._merge()

    def result(self) -> tuple[tuple[TokenPair, ...], ...]:
        """The most surprising pairs of each head, which are counted at least LEAST times and more often than chance."""
        self._merge()
        heads, codes = np.divmod(self._codes, self.vocabulary**2)
        chosen = [self._most_frequent(heads == head) for head in range(self.heads)]
        wanted = np.unique(np.concatenate([codes[places] for places in chosen]))
        expected = dict(zip(wanted.tolist(), self._expected(wanted).tolist(), strict=True))
        return tuple(self._rank(codes[places], self._counts[places], expected) for places in chosen)

    def state(self) -> dict[str, np.ndarray]:
        """The counts and the inputs so far, as arrays, for `restore`."""
        sides = [side for both in self._inputs for side in both]
        return {
            "codes": self._codes,
            "counts": self._counts,
            "new": np.concatenate([np.zeros(0, np.int64), *self._new]),
            "lengths": np.array([len(side.ids) for side in sides], np.int64),
            "ids": np.concatenate([np.zeros(0, np.int64), *(side.ids for side in sides)]),
            "special": np.concatenate([np.zeros(0, bool), *(side.special for side in sides)]),
        }

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Take over what `state` returned."""
        self._codes, self._counts, self._new = arrays["codes"], arrays["counts"], [arrays["new"]]
        ends = np.cumsum(arrays["lengths"])[:-1]
        sides = [
            _Tokens(*both) for both in zip(*(np.split(arrays[name], ends) for name in _Tokens._fields), strict=True)
        ]
        self._inputs = [*zip(sides[::2], sides[1::2], strict=True)]

    def _code(self, query: np.ndarray, key: np.ndarray) -> np.ndarray:
        return query * self.vocabulary + key

    def _merge(self) -> None:
        if not self._new:
            return
        codes = np.concatenate([self._codes, *self._new])
        counts = np.concatenate([self._counts, np.ones(len(codes) - len(self._codes), np.int64)])
        self._codes, places = np.unique(codes, return_inverse=True)
        self._counts, self._new = np.bincount(places, counts).astype(np.int64), []
        rarest = 1
        while len(self._codes) > self.table:
            kept = self._counts > rarest
            self._codes, self._counts, rarest = self._codes[kept], self._counts[kept], rarest + 1

    def _most_frequent(self, of_head: np.ndarray) -> np.ndarray:
        places = np.flatnonzero(of_head & (self._counts >= LEAST))
        return places[np.argsort(-self._counts[places], kind="stable")[:CANDIDATES]]

    def _expected(self, wanted: np.ndarray) -> np.ndarray:
        """Expected counts of pairs with these codes, which are sorted."""
        expected = np.zeros(len(wanted))
        if not len(wanted):
            return expected
        query_ids = np.unique(wanted // self.vocabulary)
        for queries, keys in self._inputs:
            places = np.flatnonzero(np.isin(queries.ids, query_ids) & ~queries.special)
            reach = places + 1 if self.kind == "causal" else np.full(len(places), len(keys.ids))
            codes = self._code(queries.ids[places][:, None], keys.ids)  # (q, K)
            numbers = np.searchsorted(wanted, codes).clip(max=len(wanted) - 1)
            positions = np.arange(len(keys.ids))
            found = (wanted[numbers] == codes) & ~keys.special & (positions < reach[:, None])
            if self.kind != "cross":
                found &= positions != places[:, None]
            chances = np.broadcast_to(1 / reach[:, None], codes.shape)[found]
            expected += np.bincount(numbers[found], chances, len(wanted))
        return expected

    def _rank(self, codes: Sequence[int], counts: Iterable[int], expected: dict[int, float]) -> tuple[TokenPair, ...]:
        pairs = [
            TokenPair(*divmod(int(code), self.vocabulary), int(count), expected[int(code)])
            for code, count in zip(codes, counts, strict=True)
        ]
        above = [pair for pair in pairs if pair.count > pair.expected]
        return tuple(sorted(above, key=lambda pair: -pair.surprise)[:PAIRS])
