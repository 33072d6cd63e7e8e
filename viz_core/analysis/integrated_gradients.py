"""How does the score build up when an input is faded in, and which token brings how much of it?

Integrated gradients: Sundararajan, Taly and Yan 2017, "Axiomatic Attribution for Deep Networks", sections 3 and 5,
https://arxiv.org/abs/1703.01365. The integral is captum's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from viz_core.analysis.removal import BATCH, log_odds
from viz_core.models.batch import PAD, pad
from viz_core.models.protocol import Model

STEPS, MOST_STEPS = 32, 512
TOLERANCE = 0.05  # of the difference that the values should add up to


@dataclass(frozen=True, eq=False)
class Integrated:
    """values: `(T,)`. difference: of the log-odds between input and baseline, which the values should add up to. gap: what
    they miss of it, as a share of it. steps: of the integral."""

    values: np.ndarray
    difference: float
    gap: float
    steps: int


def integrated_gradients(
    model: Model, ids: np.ndarray, segments: np.ndarray, special: np.ndarray, target: int, steps: int = STEPS
) -> Integrated:
    """Shares of the tokens of one input `(T,)` in the log-odds of the target class.

    Faded in are the embeddings, from the baseline: the same input with [PAD], which no model was trained to read, for every
    token but [CLS] and [SEP]; positions and segments stay. Steps are doubled until the values add up to TOLERANCE, or there
    are MOST_STEPS.
    """
    from captum.attr import IntegratedGradients  # not at the top: it brings matplotlib, and the app has to start

    read, kinds, mask = pad([ids], [segments])
    with torch.no_grad():
        blank = read.masked_fill(torch.from_numpy(~special), PAD)
        start, end = (model.embed(ids, kinds, mask) for ids in (blank, read))
        scores = log_odds(model.from_embeddings(torch.cat([start, end]), mask.expand(2, -1)).logits, target)
    difference = float(scores[1] - scores[0])
    method = IntegratedGradients(lambda x, real: log_odds(model.from_embeddings(x, real).logits, target))
    while True:
        found = method.attribute(
            end, start, additional_forward_args=(mask,), n_steps=steps, internal_batch_size=max(1, BATCH // len(ids))
        )
        values = found[0].sum(-1).detach().numpy()
        gap = abs(float(values.sum()) - difference) / max(abs(difference), np.finfo(np.float32).eps)
        if gap < TOLERANCE or 2 * steps > MOST_STEPS:
            return Integrated(values, difference, gap, steps)
        steps *= 2
