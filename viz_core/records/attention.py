"""What a model made of one input, and the parts of its attention that are drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from viz_core.records.decisions import decide
from viz_core.records.inputs import Encoding
from viz_core.records.messages import Message


@dataclass(frozen=True, eq=False)
class Explanation:
    """What a model made of one input.

    labels: names of the classes, aligned with `probabilities` `(C,)` (calibrated). threshold: of two classes, the probability
    of the last from which on it is the answer; None of more. attention: `(L, H, T, T)` float32, rows sum to 1; `(0, 0, T, T)`
    of a model that has none. pooling: `cls` or `mean`.
    """

    model: str
    task: str
    encoding: Encoding
    labels: tuple[str, ...]
    probabilities: np.ndarray
    threshold: float | None
    attention: np.ndarray
    pooling: str
    notices: tuple[Message, ...] = ()

    @property
    def predicted(self) -> int:
        """Index of the answer."""
        return int(decide(self.probabilities, self.threshold))

    @property
    def has_attention(self) -> bool:
        return self.attention.shape[0] > 0


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
