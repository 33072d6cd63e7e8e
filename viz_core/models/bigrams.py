"""Pairs of neighbouring tokens as rows of a table of limited size: the hashing trick of fastText (Joulin et al. 2017,
section 2.2; Weinberger et al. 2009)."""

from torch import Tensor

_FACTOR = 1_000_003  # a prime: pairs that differ in either token rarely share a row


def bigram_rows(ids: Tensor, mask: Tensor, rows: int) -> tuple[Tensor, Tensor]:
    """The row of each token and the one before it, `(B, T)` from 0 to rows - 1, and where there is such a pair, `(B,
    T)` bool: both tokens are real.

    A pair always has the same row; two pairs may share one.
    """
    previous = ids.roll(1, dims=1)
    is_pair = mask & mask.roll(1, dims=1)
    is_pair[:, 0] = False
    return (previous * _FACTOR + ids) % rows, is_pair
