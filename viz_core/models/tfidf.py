"""Logistic regression on TF-IDF (Salton and Buckley 1988), as a model of token ids: the sum of a weight per token and
class, scaled by how rare the token is.

Shapes: B batch, T tokens, C classes.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from viz_core.models.baseline import Baseline, bigram_rows
from viz_core.models.baseline_configs import TfidfConfig
from viz_core.models.protocol import Hook, HookCaller, Output


class Tfidf(Baseline):
    """A `protocol.Model` without attention, whose logits are sums over tokens, so that each has its share of them.

    A token type that occurs n times in a text counts (1 + ln n) · idf, divided by the length of the vector of all
    types; pairs of neighbours are types of their own. `fit` sets the inverse document frequencies.
    """

    attention_kinds = ()

    idf: Tensor

    def __init__(self, config: TfidfConfig) -> None:
        super().__init__()
        self.config = config
        self.token = nn.Embedding(config.vocabulary, config.classes)
        self.bigram = nn.Embedding(config.bigrams, config.classes) if config.bigrams else None
        self.bias = nn.Parameter(torch.zeros(config.classes))
        for embedding in filter(None, (self.token, self.bigram)):
            nn.init.zeros_(embedding.weight)
        self.register_buffer("idf", torch.ones(config.vocabulary + config.bigrams))

    @torch.no_grad()
    def fit(self, texts: Sequence[np.ndarray]) -> None:
        """Sets idf = ln((1 + N) / (1 + n)) + 1 of a type that occurs in n of N texts, arrays of ids, as scikit-learn
        does."""
        counts = torch.zeros(len(self.idf))
        for text in texts:
            ids = torch.from_numpy(text.astype(np.int64))[None]
            types, is_type = self._types(ids, torch.ones_like(ids, dtype=torch.bool))
            counts[types[is_type].unique()] += 1
        self.idf.copy_(torch.log((1 + len(texts)) / (1 + counts)) + 1)

    def embed(self, ids: Tensor, segments: Tensor, mask: Tensor, hook: Hook | None = None) -> Tensor:
        """What each token adds to the logits, `(B, T, C)`."""
        types, is_type = self._types(ids, mask)  # (B, T, 1 or 2)
        weights = torch.cat([table.weight for table in (self.token, self.bigram) if table is not None])
        return HookCaller(hook)("embedding", (weights[types] * self._shares(types, is_type)[..., None]).sum(2))

    def from_embeddings(
        self, x: Tensor, mask: Tensor, need_attention: bool = False, hook: Hook | None = None
    ) -> Output:
        """The output for embeddings `(B, T, C)`."""
        logits = (x * mask[:, :, None].to(x.dtype)).sum(1) + self.bias
        return Output(HookCaller(hook)("logits", logits), {})

    def contributions(self, ids: Tensor, segments: Tensor, mask: Tensor) -> Tensor:
        """What each token adds to the logits, which are their sum and the bias, `(B, T, C)`."""
        return self.embed(ids, segments, mask)

    def _types(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """The types at each position, `(B, T, 1)`, with pairs `(B, T, 2)`, and whether they count."""
        mask = mask & (ids >= 4)  # special and unknown tokens are no types
        types, is_type = ids[..., None], mask[..., None]
        if self.bigram is not None:
            rows, is_pair = bigram_rows(ids, mask, self.config.bigrams)
            types = torch.cat([types, self.config.vocabulary + rows[..., None]], dim=2)
            is_type = torch.cat([is_type, is_pair[..., None]], dim=2)
        return types, is_type

    def _shares(self, types: Tensor, is_type: Tensor) -> Tensor:
        """The value of its type in the vector of a text, divided evenly among its occurrences, like `types`."""
        flat, counted = types.flatten(1), is_type.flatten(1)
        count = _occurrences(flat, counted).clamp(min=1).to(self.idf.dtype)
        value = (1 + torch.log(count)) * self.idf[flat]  # of the type
        length = (counted * value.square() / count).sum(1, keepdim=True).sqrt().clamp(min=1e-12)
        return (counted * value / count / length).view(types.shape)


def _occurrences(types: Tensor, counted: Tensor) -> Tensor:
    """How often the type at each place occurs where it counts, `(B, n)`, like both."""
    in_order, order = types.sort(dim=1, stable=True)
    starts = in_order != in_order.roll(1, dims=1)
    starts[:, 0] = False
    group = starts.cumsum(1)  # the same number for the same type
    counts = torch.zeros_like(types).scatter_add(1, group, counted.gather(1, order).to(types.dtype))
    return torch.empty_like(types).scatter(1, order, counts.gather(1, group))
