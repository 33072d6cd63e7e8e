"""Head redundancy: which heads attend to the same tokens?

Distance between heads: Clark et al. 2019, section 6 ("Clustering Attention Heads"), https://arxiv.org/abs/1906.04341,
the Jensen-Shannon divergence between their attention rows. Here it is in bits and averaged over queries: 0 for
identical heads, 1 for heads that never attend to the same token. The redundancy of two heads is 1 minus this
divergence.
"""

from __future__ import annotations

from math import log

import torch
from torch import Tensor


def divergences(attention: Tensor) -> Tensor:
    """`(N, N)`: mean divergence between each pair of N heads, attention `(N, T, T)`; from 0 to 1."""
    own = torch.special.entr(attention).sum(-1).mean(-1)  # (N,) mean entropy of a row
    upper = attention.new_zeros(len(attention), len(attention))
    for number in range(len(attention) - 1):
        mixed = (attention[number] + attention[number + 1 :]) / 2  # (N - number - 1, T, T)
        entropy = torch.special.entr(mixed).sum(-1).mean(-1)
        upper[number, number + 1 :] = (entropy - (own[number] + own[number + 1 :]) / 2) / log(2)
    return (upper + upper.T).clamp(0, 1)
