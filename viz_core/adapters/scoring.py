"""What the weights of an attention are computed from, so that they can also be computed later, one head at a time.

Shapes: B batch, H heads, G heads of keys and values, T queries, S keys, d width of a head.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from viz_core.records import DeferredWeights


@dataclass(frozen=True, eq=False)
class Scoring:
    """What the weights of an attention are computed from.

    Attributes:
        query: `(B, H, T, d)`.
        key: `(B, G, S, d)`; neighbouring heads share keys where G is smaller than H (grouped-query
            attention, Ainslie et al. 2023, https://arxiv.org/abs/2305.13245).
        mask: Added to the scores, 0 or the lowest number, `(1 or B, 1 or H, T, S)`; windows are part of it.
        scaling: Factor of the scores.
        bias: Added to the scores by T5 and MPNet, for the distance of query and key, as the mask.
        softcap: Bounds the scores to c tanh(x / c) (Gemma 2, https://arxiv.org/abs/2408.00118,
            section 2).
        sliding_window: Number of the last keys that the mask leaves to a query, its own included; None if all.
    """

    query: Tensor
    key: Tensor
    mask: Tensor | None
    scaling: float
    bias: Tensor | None = None
    softcap: float | None = None
    sliding_window: int | None = None

    def scaled(self) -> Tensor:
        """Scaled products of queries and keys, `(B, H, T, S)`."""
        return (self.query @ repeat_groups(self.key, self.query).mT).mul_(self.scaling)

    def scores(self, scaled: Tensor) -> Tensor:
        """Scores `(B, H, T, S)` from the scaled products, with the cap and the bias, before the mask."""
        scores = scaled if self.softcap is None else self.softcap * torch.tanh(scaled / self.softcap)
        return scores if self.bias is None else scores + self.bias

    def weights(self, scores: Tensor) -> Tensor:
        """Weights `(B, H, T, S)`."""
        return (scores if self.mask is None else scores + self.mask).softmax(-1)

    def of_text(self, number: int, tokens: int) -> Scoring:
        """Of one text of the batch, its first tokens, on the CPU."""

        def part(x: Tensor) -> Tensor:
            row = x if len(x) == 1 else x[number : number + 1].clone()  # else the whole batch would stay in memory
            return row[:, :, :tokens].cpu()

        mask, bias = (x if x is None else part(x)[..., :tokens] for x in (self.mask, self.bias))
        return replace(self, query=part(self.query), key=part(self.key), mask=mask, bias=bias)

    def of_head(self, head: int) -> Scoring:
        """Of one head, `(B, 1, T, d)`."""

        def part(x: Tensor | None) -> Tensor | None:
            return x if x is None or x.shape[1] == 1 else x[:, head : head + 1]

        shared = head // (self.query.shape[1] // self.key.shape[1])
        key = self.key[:, shared : shared + 1]
        return replace(self, query=self.query[:, head : head + 1], key=key, mask=part(self.mask), bias=part(self.bias))


def repeat_groups(shared: Tensor, query: Tensor) -> Tensor:
    """Repeat keys or values `(B, G, S, d)` for each head of a query `(B, H, T, d)` that shares them, `(B, H, S, d)`."""
    group = query.shape[1] // shared.shape[1]
    return shared if group == 1 else shared.repeat_interleave(group, dim=1)


@torch.inference_mode()
def defer(scorings: Sequence[Scoring]) -> DeferredWeights:
    """Weights `(L, H, T, T)` that are computed from what was kept of each layer of one text."""
    parts = [part for scoring in scorings for part in (scoring.query, scoring.key, scoring.mask, scoring.bias)]
    memory = {part.data_ptr(): part.nbytes for part in parts if part is not None}  # layers may share the mask
    H, T = scorings[0].query.shape[1:3]

    @torch.inference_mode()
    def compute(layer: int, head: int) -> np.ndarray:
        scoring = scorings[layer].of_head(head)
        return scoring.weights(scoring.scores(scoring.scaled()))[0, 0].float().numpy()

    return DeferredWeights((len(scorings), H, T, T), sum(memory.values()), compute)
