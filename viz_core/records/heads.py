"""What the heads of a model do over a corpus: statistics with controls, passages, token pairs, distances.

Shapes: L layers, H heads per layer, N = L·H heads, layer by layer.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import log

import numpy as np

from viz_core.records.translation import Kind

DECILES = 10
# Lower ends of the bins of a distance, key position minus query position: single tokens up to 8, then wider.
DISTANCE_BINS = (-1_000_000, -32, -16, *range(-8, 9), 9, 17, 33)
POSITIONS = 16  # single positions of a text; what follows is one more


@dataclass(frozen=True, eq=False)
class CorpusStatistic:
    """A statistic of every head: its mean over the queries of an input, over many inputs.

    Attributes:
        inputs: Number of inputs for which it is defined.
        mean: `(L, H)`.
        interval: `(L, H, 2)` 95% interval of the mean over inputs.
        uniform: The same of a head that spreads each query's weight evenly over all tokens.
        shuffled: `(L, H)`, the same of these weights if the tokens of each text stood in another
            order; empty for a statistic that does not depend on which tokens they are.
        rows: `(L, H, 10, k)` row numbers of the inputs with the highest values within each decile
            of the inputs, the lowest decile first; -1 where there are fewer.
        queries: `(L, H, 10, k)` position in that input of the query that shows it best, from 0.
    """

    inputs: int
    mean: np.ndarray
    interval: np.ndarray
    uniform: float
    shuffled: np.ndarray
    rows: np.ndarray
    queries: np.ndarray

    def control(self, layer: int, head: int) -> float:
        """The larger of the controls: what a head without this habit would get."""
        return max(self.uniform, float(self.shuffled[layer, head]) if self.shuffled.size else 0.0)

    def passages(self, layer: int, head: int, decile: int) -> list[tuple[int, int]]:
        """Row number and query of each passage of a decile, from 0."""
        both = zip(self.rows[layer, head, decile], self.queries[layer, head, decile], strict=True)
        return [(int(row), int(query)) for row, query in both if row >= 0]


@dataclass(frozen=True)
class TokenPair:
    """Two tokens that a head joins: the key has the largest weight of all keys of the query.

    Attributes:
        query, key: Token ids.
        count: How often.
        expected: How often a head would that chose the key of each query at random.
    """

    query: int
    key: int
    count: int
    expected: float

    @property
    def lift(self) -> float:
        """How many times as often as at random."""
        return self.count / self.expected

    @property
    def surprise(self) -> float:
        """Log-likelihood ratio in nats of the count against the expected one, if both are Poisson's."""
        return self.count * log(self.lift) - (self.count - self.expected)


@dataclass(frozen=True, eq=False)
class HeadSurvey:
    """What the heads of one kind of attention do over a corpus.

    Attributes:
        kind: The attention.
        inputs: Number of inputs.
        tokens: Number of queries in all of them.
        statistics: By name.
        divergence: `(N, N)` Jensen-Shannon divergence in bits between the rows of two heads.
        divergence_inputs: Number of inputs that it is measured on.
        pairs: Of each head, its token pairs, the most surprising first.
        distances: `(L, H, D)` share of the weight by distance (DISTANCE_BINS).
        uniform_distances: `(D,)` the same of a uniform head.
        positions: `(L, H, P, P)` share of the weight of the queries at each position by position of
            the key, P = POSITIONS + 1; 0 where there was no query. Empty in surveys of earlier
            versions.
        uniform_positions: `(P, P)` the same of a uniform head.
    """

    kind: Kind
    inputs: int
    tokens: int
    statistics: Mapping[str, CorpusStatistic]
    divergence: np.ndarray
    divergence_inputs: int
    pairs: tuple[tuple[TokenPair, ...], ...]
    distances: np.ndarray
    uniform_distances: np.ndarray
    positions: np.ndarray = field(default_factory=lambda: np.zeros(0))
    uniform_positions: np.ndarray = field(default_factory=lambda: np.zeros(0))

    @property
    def shape(self) -> tuple[int, int]:
        """Number of layers and of heads per layer."""
        layers, heads, _ = self.distances.shape
        return layers, heads

    def number(self, layer: int, head: int) -> int:
        """Number of a head, counted layer by layer."""
        return layer * self.shape[1] + head

    def neighbours(self, layer: int, head: int, count: int) -> list[tuple[int, int, float]]:
        """The most similar other heads, the nearest first: layer, head, Jensen-Shannon distance.

        The distance is the square root of the divergence, a metric (Endres and Schindelin 2003,
        "A New Metric for Probability Distributions").
        """
        row = self.divergence[self.number(layer, head)].copy()
        row[self.number(layer, head)] = np.inf
        nearest = np.argsort(row, kind="stable")[: min(count, len(row) - 1)]
        return [(*divmod(int(number), self.shape[1]), float(np.sqrt(row[number]))) for number in nearest]
