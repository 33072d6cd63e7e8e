"""Base class of the models that are not Transformers.

Pairs of neighbouring tokens are rows of a table of limited size: the hashing trick of fastText
(Joulin et al. 2017, section 2.2; Weinberger et al. 2009).
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
        """Token embeddings, one row per token id."""
        return self.token

    def forward(
        self, ids: Tensor, segments: Tensor, mask: Tensor, need_attention: bool = False, hook: Hook | None = None
    ) -> Output:
        """Compute logits and, if requested and the model has any, attention.

        Args:
            ids: `(B, T)` int64.
            segments: `(B, T)` int64.
            mask: `(B, T)` bool, True for real tokens.
            need_attention: Whether to return attention weights.
            hook: Called at its points of the pass.
        """
        return self.from_embeddings(self.embed(ids, segments, mask, hook), mask, need_attention, hook)

    def encode(self, ids: Tensor, segments: Tensor, mask: Tensor, hook: Hook | None = None) -> Tensor:
        """Return the embeddings `(B, T, …)`, as there are no layers."""
        return self.embed(ids, segments, mask, hook)


def bigram_rows(ids: Tensor, mask: Tensor, rows: int) -> tuple[Tensor, Tensor]:
    """Hash each token together with the one before it to a row of a table.

    A pair always has the same row; different pairs may share one.

    Returns:
        Rows `(B, T)` from 0 to rows - 1, and `(B, T)` bool, True where both tokens of the pair are
        real.
    """
    previous = ids.roll(1, dims=1)
    is_pair = mask & mask.roll(1, dims=1)
    is_pair[:, 0] = False
    return (previous * _FACTOR + ids) % rows, is_pair
