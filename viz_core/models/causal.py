"""A stack of layers in which no token attends to a later one, and the last token predicts the next: a decoder without
an encoder, as GPT-2 (Radford et al. 2019, section 2.3).

Shapes: B batch, T tokens, D model width.
"""

from __future__ import annotations

import torch
from torch import Tensor

from viz_core.models.encoder import Encoder


class CausalEncoder(Encoder):
    """The classes are the tokens of the vocabulary."""

    attention_kinds = ("causal",)

    def pool(self, hidden: Tensor, mask: Tensor) -> Tensor:
        """The last real token's, `(B, D)`."""
        positions = torch.arange(mask.shape[1], device=mask.device) * mask
        return hidden[torch.arange(len(mask), device=mask.device), positions.argmax(1)]

    def visible(self, mask: Tensor) -> Tensor:
        T = mask.shape[1]
        return mask[:, None] & torch.ones(T, T, dtype=torch.bool, device=mask.device).tril()  # (B, T, T)
