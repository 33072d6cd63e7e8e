"""Token removal: what does a model predict without some of its input tokens?

Removed tokens are masked like padding: they receive no attention, mean pooling ignores them, and they do not count as
overlap with the other sentence. The remaining tokens keep their positions, which deletion would shift. Nothing is put
in place of a removed token: [UNK] would add a meaning of its own, as a character vocabulary never sees it in training.
"""

import numpy as np
import torch
from torch import Tensor

from viz_core.models.protocol import Model

BATCH = 2**13  # tokens per forward pass


def logits_with_mask(model: Model, ids: np.ndarray, segments: np.ndarray, masks: np.ndarray) -> Tensor:
    """Logits `(N, C)` of one input `(T,)` under N masks `(N, T)` bool, True for the tokens that stay.

    Raises ValueError if a mask removes [CLS]: some query has to remain.
    """
    if not masks[:, 0].all():
        raise ValueError("[CLS] cannot be taken out of an input")
    both = torch.from_numpy(np.stack([ids, segments]).astype(np.int64))
    batches = torch.from_numpy(np.ascontiguousarray(masks)).split(max(1, BATCH // len(ids)))
    with torch.inference_mode():
        parts = [
            model(both[0].expand(len(batch), -1), both[1].expand(len(batch), -1), batch).logits for batch in batches
        ]
    return torch.cat(parts)


def log_odds(logits: Tensor, target: int) -> Tensor:
    """`(N,)` from logits `(N, C)`: the log-odds of the target against all other classes together."""
    others = torch.cat([logits[:, :target], logits[:, target + 1 :]], dim=1)
    return logits[:, target] - others.logsumexp(1)
