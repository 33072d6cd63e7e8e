"""Integrated gradients: how much does each token contribute along the path from a blank baseline to the input?

Sundararajan, Taly and Yan 2017, "Axiomatic Attribution for Deep Networks", sections 3 and 5,
https://arxiv.org/abs/1703.01365. The integral is computed by captum.
"""

from dataclasses import dataclass

import numpy as np
import torch

from viz_core.analysis.attribution.removal import BATCH, log_odds
from viz_core.analysis.explain import input_tensors
from viz_core.models.batch import PAD
from viz_core.models.protocol import Model
from viz_core.records import Encoding

STEPS, MAX_STEPS = 32, 512
WORK = 1e12  # most steps × tokens × parameters after which the steps are doubled no further
TOLERANCE = 0.05  # relative to the difference that the values should add up to


@dataclass(frozen=True, eq=False)
class Integrated:
    """Integrated gradients of one input.

    Attributes:
        values: Contribution of each token, `(T,)`.
        difference: Log-odds of the input minus the baseline's, which the values should add up to.
        gap: Relative error of their sum.
        steps: Number of steps of the numerical integral.
    """

    values: np.ndarray
    difference: float
    gap: float
    steps: int


def integrated_gradients(
    model: Model,
    encoding: Encoding,
    target: int,
    steps: int = STEPS,
    fixed: np.ndarray | None = None,
    against: int | None = None,
) -> Integrated:
    """Contributions `(T,)` of the tokens of one input to the log-odds of the target class.

    The path interpolates the embeddings. The baseline is the same input with [PAD], which no model
    was trained to read, in place of all tokens but the fixed ones; positions and segments stay.
    The number of steps doubles until the values add up to within TOLERANCE, or MAX_STEPS or WORK is
    reached.

    Args:
        fixed: `(T,)` bool, the tokens of the baseline; by default special tokens.
        against: As in `log_odds`.
    """
    from captum.attr import IntegratedGradients  # late: it pulls in matplotlib, which would slow the app's start

    tokens, segments, mask = input_tensors(encoding)
    with torch.no_grad():
        replaced = ~(encoding.special if fixed is None else fixed)
        blank = tokens.masked_fill(torch.from_numpy(replaced), getattr(model, "blank", PAD))
        start, end = (model.embed(tensor, segments, mask) for tensor in (blank, tokens))
        scores = log_odds(model.from_embeddings(torch.cat([start, end]), mask.expand(2, -1)).logits, target, against)
    difference = float(scores[1] - scores[0])
    method = IntegratedGradients(lambda x, real: log_odds(model.from_embeddings(x, real).logits, target, against))
    rows = max(1, BATCH // len(encoding.ids))
    most = min(MAX_STEPS, WORK / (len(encoding.ids) * model.config.parameters()))
    while True:
        contributions = method.attribute(
            end, start, additional_forward_args=(mask,), n_steps=steps, internal_batch_size=rows
        )
        values = contributions[0].sum(-1).detach().numpy()
        gap = abs(float(values.sum()) - difference) / max(abs(difference), float(np.finfo(np.float32).eps))
        if gap < TOLERANCE or 2 * steps > most:
            return Integrated(values, difference, gap, steps)
        steps *= 2
