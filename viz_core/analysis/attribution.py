"""Which tokens is an answer owed to? Five methods, asked about the same tokens of one input.

Leave-one-out: Li, Monroe and Jurafsky 2016, "Understanding Neural Networks through Representation Erasure", section 3,
https://arxiv.org/abs/1612.08220.
Gradient × attention: Chefer, Gur and Wolf 2021, "Generic Attention-model Explainability for Interpreting Bi-Modal and
Encoder-Decoder Transformers", section 3.1, equations 5 and 6, https://arxiv.org/abs/2103.15679.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from viz_core.analysis.integrated_gradients import integrated_gradients
from viz_core.analysis.removal import log_odds, logits_with_mask
from viz_core.analysis.rollout import classifier_row, rollout
from viz_core.checkpoints import Checkpoint
from viz_core.models.batch import pad
from viz_core.models.protocol import Model, on_weights
from viz_core.records import Attribution, Explanation

METHODS = ("leave_one_out", "integrated_gradients", "gradient_attention", "rollout", "attention")
SIGNED = METHODS[:2]
LEAST = 0.01  # of log-odds: a change of a probability by 0.25 % at the most


def attributions(checkpoint: Checkpoint, explanation: Explanation) -> tuple[Attribution, ...]:
    """One record for each of METHODS; of a model without attention for the SIGNED ones, which need none. What is explained
    is the answer: the log-odds of the predicted class."""
    model, encoding, target = checkpoint.model, explanation.encoding, explanation.predicted
    tokens = encoding.ids, encoding.segments
    integrated = integrated_gradients(model, *tokens, encoding.special, target)
    values = [leave_one_out(model, *tokens, encoding.special, target), integrated.values]
    if explanation.has_attention:
        values += [
            gradient_attention(model, *tokens, target),
            classifier_row(rollout(explanation.attention), explanation.pooling),
            classifier_row(explanation.attention[-1].mean(0), explanation.pooling),
        ]
    values = np.stack(values).astype(np.float32)  # (M, T)
    values.flags.writeable = False  # it may be cached and shared by many visitors
    labels = tuple(encoding.label(index) for index in range(len(encoding.tokens)))
    groups = np.where(encoding.special, -1, encoding.segments)
    outcome = {"integrated_gradients": dict(steps=integrated.steps, gap=integrated.gap)}
    return tuple(
        Attribution(
            method, labels, groups, row, explanation.labels[target], method in SIGNED, **outcome.get(method, {})
        )
        for method, row in zip(METHODS, values, strict=False)
    )


def no_token_matters(attributions: Sequence[Attribution]) -> bool:
    """Whether the answer stays what it is whichever token is taken out: then there is nothing to attribute."""
    one_out = next(one for one in attributions if one.method == "leave_one_out")
    return bool(np.abs(one_out.values).max() < LEAST)


def leave_one_out(model: Model, ids: np.ndarray, segments: np.ndarray, special: np.ndarray, target: int) -> np.ndarray:
    """`(T,)`: what the log-odds of the target lose when one token is taken out (`removal`); 0 for special tokens."""
    places = np.flatnonzero(~special)
    kept = np.ones((len(places) + 1, len(ids)), bool)
    kept[np.arange(len(places)), places] = False  # the last row keeps them all
    scores = log_odds(logits_with_mask(model, ids, segments, kept), target).numpy()
    values = np.zeros(len(ids), np.float32)
    values[places] = scores[-1] - scores[:-1]
    return values


def gradient_attention(model: Model, ids: np.ndarray, segments: np.ndarray, target: int) -> np.ndarray:
    """`(T,)`, 0 or more: relevance that reaches the classifier's row through attention that speaks for the target.

    Attention times its gradient, what is below 0 cut off, averaged over heads, joins what the layers below have gathered:
    R = R + Ā R. The identity that R starts with, each token's relevance for itself, is taken off again.
    """
    used: list[Tensor] = []

    def keep(layer: int, attention: Tensor) -> Tensor:
        used.append(attention)  # (1, H, T, T)
        return attention

    with torch.enable_grad():
        score = log_odds(model(*pad([ids], [segments]), hook=on_weights(keep)).logits, target)[0]
        gradients = torch.autograd.grad(score, used)  # no parameter's .grad is touched
    start = torch.eye(len(ids))
    relevance = start
    with torch.no_grad():
        for attention, gradient in zip(used, gradients, strict=True):
            relevance = relevance + (attention * gradient).relu().mean((0, 1)) @ relevance
        return classifier_row((relevance - start).numpy(), model.config.pooling)
