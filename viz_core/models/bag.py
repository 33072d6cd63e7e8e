"""A bag of embeddings: the mean of the embeddings of tokens and of pairs of neighbours, and a linear classifier
(fastText, Joulin et al. 2017).

Shapes: B batch, T tokens, D width.
"""

from torch import Tensor, nn

from viz_core.models.baseline import Baseline, bigram_rows
from viz_core.models.baseline_configs import BagConfig
from viz_core.models.dropout import Dropout
from viz_core.models.protocol import Hook, HookCaller, Output


class Bag(Baseline):
    """A `protocol.Model` without attention: the order of tokens counts within pairs only."""

    attention_kinds = ()

    def __init__(self, config: BagConfig) -> None:
        super().__init__()
        self.config = config
        self.token = nn.Embedding(config.vocabulary, config.width)
        self.bigram = nn.Embedding(config.bigrams, config.width) if config.bigrams else None
        self.dropout = Dropout(config.dropout)
        self.classifier = nn.Linear(config.width, config.classes)
        for embedding in filter(None, (self.token, self.bigram)):
            nn.init.uniform_(embedding.weight, -1 / config.width, 1 / config.width)  # as fastText does

    def embed(self, ids: Tensor, segments: Tensor, mask: Tensor, hook: Hook | None = None) -> Tensor:
        """The embedding of each token, and of it together with the one before it, `(B, T, D)`."""
        at = HookCaller(hook)
        x = at("token", self.token(ids))
        if self.bigram is not None:
            rows, is_pair = bigram_rows(ids, mask, self.config.bigrams)
            x = x + self.bigram(rows) * is_pair[:, :, None]
        return at("embedding", x)

    def from_embeddings(
        self, x: Tensor, mask: Tensor, need_attention: bool = False, hook: Hook | None = None
    ) -> Output:
        """The output for embeddings `(B, T, D)`."""
        at, real = HookCaller(hook), mask[:, :, None].to(x.dtype)
        mean = at("pooled", (x * real).sum(1) / real.sum(1).clamp(min=1))
        return Output(at("logits", self.classifier(self.dropout(mean))), {})

    def contributions(self, ids: Tensor, segments: Tensor, mask: Tensor) -> Tensor:
        """What each token adds to the logits, which are their sum and the bias, `(B, T, C)`."""
        real = mask[:, :, None].to(self.classifier.weight.dtype)
        return (
            self.embed(ids, segments, mask) * real / real.sum(1, keepdim=True).clamp(min=1) @ self.classifier.weight.T
        )
