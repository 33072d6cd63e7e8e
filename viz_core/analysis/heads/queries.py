"""Statistics of every query of an input: how a head's mean over the input comes about, and where it shows best.

Each statistic of `profile.py` and of the criteria is a mean over the queries for which it is defined:

- entropy: of the row, relative to that of a uniform row (Clark et al. 2019, section 3.3,
  https://arxiv.org/abs/1906.04341);
- dependence: Kullback-Leibler divergence of the row from the mean row, relative to the same entropy.
  Its mean is the mutual information of query and key; not in causal attention, whose rows differ in
  length;
- distance: in tokens (Vig and Belinkov 2019, https://arxiv.org/abs/1906.04284); not between two
  languages;
- other: for pairs, weight from a token on the other text, special tokens left out on both sides;
- all others: the criteria (`criteria.py`).
"""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from viz_core.analysis.heads.criteria import Relation, causal_relations, is_punctuation, relations, separators
from viz_core.records import Encoding
from viz_core.records.translation import Kind

OF_TOKENS = ("punctuation", "same", "duplicate", "induction")  # depend on which token is where


class Side(NamedTuple):
    """The tokens of the queries or of the keys, `(T,)` each: what statistics depend on."""

    ids: np.ndarray
    segments: np.ndarray
    special: np.ndarray
    punctuation: np.ndarray

    @staticmethod
    def of(encoding: Encoding) -> "Side":
        """The tokens of an encoding."""
        marks = np.array([is_punctuation(token) for token in encoding.tokens], bool)
        return Side(encoding.ids, encoding.segments, encoding.special, marks)

    def shuffled(self, random: np.random.Generator) -> "Side":
        """The same tokens in random order within each text; special ones stay."""
        order = np.arange(len(self.ids))
        for segment in np.unique(self.segments):
            places = np.flatnonzero(~self.special & (self.segments == segment))
            order[places] = random.permutation(places)
        return self._replace(ids=self.ids[order], punctuation=self.punctuation[order])


def uniform_attention(queries: int, keys: int, kind: Kind) -> Tensor:
    """Attention `(Q, K)` of a head that spreads each query's weight evenly over the keys it can attend to."""
    reach = torch.arange(1, queries + 1) if kind == "causal" else torch.full((queries,), keys)
    return (torch.arange(keys) < reach[:, None]) / reach[:, None].float()


def query_statistics(attention: Tensor, queries: Side, keys: Side, kind: Kind) -> dict[str, Tensor]:
    """Statistics of N heads by name, `(N, Q)` each, NaN for queries without them.

    Args:
        attention: `(N, Q, K)`.
    """
    return {**_spread(attention, kind), **criteria_of_queries(attention, queries, keys, kind)}


def _spread(attention: Tensor, kind: Kind) -> dict[str, Tensor]:
    Q, K = attention.shape[1:]
    reach = torch.arange(1, Q + 1) if kind == "causal" else torch.full((Q,), K)
    largest = torch.where(reach > 1, reach.float().log(), torch.nan)  # a single key is no choice
    entropy = torch.special.entr(attention).sum(-1)  # (N, Q)
    statistics = {"entropy": (entropy / largest).clamp(0, 1)}
    if kind != "causal":
        mean = attention.mean(1).clamp_min(torch.finfo(attention.dtype).tiny)  # (N, K)
        divergence = -entropy - torch.einsum("nqk,nk->nq", attention, mean.log())
        statistics["dependence"] = (divergence / largest).clamp(0, 1)
    if kind != "cross":
        distances = (torch.arange(Q)[:, None] - torch.arange(K)).abs().float()  # (Q, K)
        statistics["distance"] = torch.einsum("nqk,qk->nq", attention, distances)
    return statistics


def criteria_of_queries(attention: Tensor, queries: Side, keys: Side, kind: Kind) -> dict[str, Tensor]:
    """Weight of each query on what the criteria say, `(N, Q)` by name, for those that the input has."""
    sets = separators(keys.special, keys.punctuation)
    if kind == "causal":
        sets.pop("cls", None)  # the relation "first" leaves out the first query, which has no choice
    values = {name: attention[:, :, part].sum(-1) for name, part in sets.items()}
    if kind == "cross":
        return values
    related = relations(queries.ids, queries.segments, queries.special)
    if kind == "causal":
        related = {name: related[name] for name in ("self", "previous") if name in related}
        related |= causal_relations(queries.ids, queries.special)
    values |= {name: _on(attention, relation) for name, relation in related.items()}
    return values | _other(attention, queries) if kind == "self" and queries.segments.any() else values


def _on(attention: Tensor, relation: Relation) -> Tensor:
    """Weight of each query on its related keys, `(N, Q)`; NaN without any."""
    places = torch.from_numpy(relation.queries)
    total = attention.new_zeros(attention.shape[:2]).index_add_(1, places, attention[:, places, relation.keys])
    has = torch.zeros(attention.shape[1], dtype=torch.bool).index_fill_(0, places, True)
    return total.masked_fill_(~has, torch.nan)


def _other(attention: Tensor, side: Side) -> dict[str, Tensor]:
    content = torch.from_numpy(~side.special)
    other = torch.from_numpy(side.segments[:, None] != side.segments) & content
    weight = torch.einsum("nqk,qk->nq", attention, other.float())
    return {"other": weight.masked_fill_(~content, torch.nan)}
