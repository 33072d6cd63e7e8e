"""Token removal: what does a model predict without some of its input tokens?

Removed tokens are masked like padding: they receive no attention, mean pooling ignores them, and
they do not count as overlap with the other sentence. The remaining tokens keep their positions,
which deletion would shift. A removed token is not replaced: [UNK] would add a meaning, because a
character vocabulary never sees it in training.
"""

import numpy as np
import torch
from torch import Tensor

from viz_core.analysis.explain import input_tensors
from viz_core.models.protocol import Model
from viz_core.records import Encoding

BATCH = 2**13  # tokens per forward pass


def logits_with_mask(model: Model, encoding: Encoding, masks: np.ndarray) -> Tensor:
    """Logits `(N, C)` of one input `(T,)` under N masks.

    Args:
        masks: `(N, T)` bool, True for the tokens that stay.

    Raises:
        ValueError: If a mask removes all tokens.
    """
    if not (remains := masks.any(1)).all():
        raise ValueError(f"mask {int(remains.argmin())} removes all tokens: some must remain")
    ids, segments, _ = input_tensors(encoding)
    batches = torch.from_numpy(np.ascontiguousarray(masks)).split(max(1, BATCH // ids.shape[1]))
    with torch.inference_mode():
        parts = [model(ids.expand(len(mask), -1), segments.expand(len(mask), -1), mask).logits for mask in batches]
    return torch.cat(parts)


def log_odds(logits: Tensor, target: int, against: int | None = None) -> Tensor:
    """Log-odds `(N,)` of the target against one class, by default all others together, from logits `(N, C)`.

    Against one class they are the difference of the logits (Yin and Neubig 2022, "Interpreting Language
    Models with Contrastive Explanations", section 3, https://arxiv.org/abs/2202.10419).
    """
    if against is not None:
        return logits[:, target] - logits[:, against]
    others = torch.cat([logits[:, :target], logits[:, target + 1 :]], dim=1)
    return logits[:, target] - others.logsumexp(1)
