"""What the models that are no Transformers have in common."""

from typing import Any

from torch import Tensor, nn

from viz_core.models.protocol import Hook, Output


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
