"""What does a model answer when tokens are taken out of its input?

A token is taken out as padding is: no query may look at it, mean pooling leaves it out, and it marks no overlap with the
other sentence. The others keep their positions, which deleting it would shift; and nothing is put in its place, since
[UNK], which a vocabulary of characters never meets in training, would add a meaning of its own.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from viz_core.models.protocol import Model

BATCH = 2**13  # tokens that are read at once


def logits_with_mask(model: Model, ids: np.ndarray, segments: np.ndarray, kept: np.ndarray) -> Tensor:
    """Logits `(N, C)` of one input `(T,)` read N times, with the tokens that `kept`, `(N, T)` bool, holds for each time.

    Raises ValueError where [CLS] is not kept: somebody has to look.
    """
    if not kept[:, 0].all():
        raise ValueError("[CLS] cannot be taken out of an input")
    both = torch.from_numpy(np.stack([ids, segments]).astype(np.int64))
    masks = torch.from_numpy(np.ascontiguousarray(kept))
    with torch.inference_mode():
        parts = [
            model(both[0].expand(len(mask), -1), both[1].expand(len(mask), -1), mask).logits
            for mask in masks.split(max(1, BATCH // len(ids)))
        ]
    return torch.cat(parts)


def log_odds(logits: Tensor, target: int) -> Tensor:
    """`(N,)` of logits `(N, C)`: how much likelier the target is than all other classes together, as a logarithm."""
    others = torch.cat([logits[:, :target], logits[:, target + 1 :]], dim=1)
    return logits[:, target] - others.logsumexp(1)
