"""Which heads do the same? How far apart two heads look, at every token.

The distance of Clark et al. 2019, section 6 ("Clustering Attention Heads"), https://arxiv.org/abs/1906.04341: the
Jensen-Shannon divergence of the rows of two heads, here in bits and as a mean over tokens, so that it is 0 for heads that
look alike and 1 for heads that never look at the same token. The redundancy of two heads is 1 minus that.
"""

from __future__ import annotations

from math import log

import torch
from torch import Tensor


def divergences(attention: Tensor) -> Tensor:
    """The mean divergence of each pair of N heads `(N, T, T)`, `(N, N)` from 0 to 1."""
    own = torch.special.entr(attention).sum(-1).mean(-1)  # (N,) mean entropy of a row
    found = attention.new_zeros(len(attention), len(attention))
    for number in range(len(attention) - 1):
        mixed = (attention[number] + attention[number + 1 :]) / 2  # (N - number - 1, T, T)
        entropy = torch.special.entr(mixed).sum(-1).mean(-1)
        found[number, number + 1 :] = (entropy - (own[number] + own[number + 1 :]) / 2) / log(2)
    return (found + found.T).clamp(0, 1)
