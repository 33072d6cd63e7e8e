"""What each token adds to the prediction of a model whose logits are sums over its tokens: no approximation.

Such models are TF-IDF with logistic regression and a bag of embeddings; of all others it is an open question, which the
methods of `attribution` try to answer.
"""

from __future__ import annotations

import numpy as np
import torch

from viz_core.checkpoints import Checkpoint
from viz_core.models.batch import pad
from viz_core.records import Attribution, Explanation


def contributions(checkpoint: Checkpoint, explanation: Explanation) -> Attribution | None:
    """What each token adds to the logit of the predicted class minus the mean of the other logits; with two classes,
    its log-odds before calibration. None for a model whose logits are no such sums."""
    if not hasattr(checkpoint.model, "contributions"):
        return None
    encoding, target = explanation.encoding, explanation.predicted
    with torch.inference_mode():
        parts = checkpoint.model.contributions(*pad([encoding.ids], [encoding.segments]))[0].numpy()  # (T, C)
    others = np.delete(parts, target, axis=1).mean(1)
    values = (parts[:, target] - others).astype(np.float32)
    values.flags.writeable = False  # may be cached and shared between visitors
    labels = tuple(encoding.label(index) for index in range(len(encoding.tokens)))
    groups = np.where(encoding.special, -1, encoding.segments)
    return Attribution("contributions", labels, groups, values, explanation.labels[target], signed=True)
