"""What a language model has read, and what its tokens can attend to: B batch, H heads, S tokens, d width of a head."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from viz_core.models.attention import KeysValues


class ReadingState(NamedTuple):
    """What a language model has read.

    Attributes:
        mask: `(B, S)`, True for real tokens.
        past: Keys and values per layer, `(B, H, S, d)`, or of fewer heads where several share
            them; empty before the first token.
    """

    mask: Tensor
    past: tuple[KeysValues, ...] = ()

    def at(self, rows: Tensor) -> ReadingState:
        """Select batch rows, which may repeat."""
        return ReadingState(self.mask[rows], tuple(layer.at(rows) for layer in self.past))

    def first(self, count: int) -> ReadingState:
        """Return the state after the first tokens, of which there may be none."""
        return ReadingState(self.mask[:, :count], tuple(layer.first(count) for layer in self.past) if count else ())


def causal_mask(mask: Tensor) -> Tensor:
    """Keys that each query can attend to, `(B, S, S)`: real ones, by `mask` `(B, S)`, up to its own, and its own."""
    itself = torch.eye(mask.shape[1], dtype=torch.bool, device=mask.device)
    return mask[:, None] & torch.ones_like(itself).tril() | itself
