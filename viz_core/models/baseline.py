"""What the models that are no Transformers have in common.

Pairs of neighbouring tokens are rows of a table of limited size: the hashing trick of fastText (Joulin et al. 2017,
section 2.2; Weinberger et al. 2009).
"""

from typing import Any

from torch import Tensor, nn

from viz_core.models.protocol import Hook, Output

_FACTOR = 1_000_003  # a prime: pairs that differ in either token rarely share a row


class Baseline(nn.Module):
    """A `protocol.Model` made of `embed` and `from_embeddings`."""

    token: nn.Embedding
    embed: Any
    from_embeddings: Any

    @property
    def token_embedding(self) -> nn.Embedding:
        return self.token

    def forward(
        self, ids: Tensor, segments: Tensor, mask: Tensor, need_attention: bool = False, hook: Hook | None = None
    ) -> Output:
        """ids, segments `(B, T)` int64, mask `(B, T)` bool -> logits and, if requested and there is any, attention."""
        return self.from_embeddings(self.embed(ids, segments, mask, hook), mask, need_attention, hook)

    def encode(self, ids: Tensor, segments: Tensor, mask: Tensor, hook: Hook | None = None) -> Tensor:
        """The embeddings `(B, T, …)`."""
        return self.embed(ids, segments, mask, hook)


def bigram_rows(ids: Tensor, mask: Tensor, rows: int) -> tuple[Tensor, Tensor]:
    """The row of each token and the one before it, `(B, T)` from 0 to rows - 1, and where there is such a pair, `(B,
    T)` bool: both tokens are real.

    A pair always has the same row; two pairs may share one.
    """
    previous = ids.roll(1, dims=1)
    is_pair = mask & mask.roll(1, dims=1)
    is_pair[:, 0] = False
    return (previous * _FACTOR + ids) % rows, is_pair
