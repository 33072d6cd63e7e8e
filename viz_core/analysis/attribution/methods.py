"""Which tokens is a prediction based on?

Five attribution methods, applied to the same tokens of an input.

Leave-one-out: Li, Monroe and Jurafsky 2016, "Understanding Neural Networks through Representation
Erasure", section 3, https://arxiv.org/abs/1612.08220.

Gradient × attention: Chefer, Gur and Wolf 2021, "Generic Attention-model Explainability for
Interpreting Bi-Modal and Encoder-Decoder Transformers", section 3.1, equations 5 and 6,
https://arxiv.org/abs/2103.15679. The paper takes the gradient of the class's logit. Here it is the
gradient of its log-odds, as for the other methods; with two classes, that is the difference of the
logits.

Rollout: Abnar and Zuidema 2020, "Quantifying Attention Flow in Transformers", section 3,
https://arxiv.org/abs/2005.00928.

Contributions: exact, for models whose logits are sums over their tokens (TF-IDF with logistic
regression, a bag of embeddings).
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from viz_core.analysis.attribution.faithfulness import DRAWS, SHARES
from viz_core.analysis.attribution.integrated_gradients import STEPS, integrated_gradients
from viz_core.analysis.attribution.removal import log_odds, logits_with_mask
from viz_core.analysis.explain import input_tensors
from viz_core.checkpoints import Checkpoint
from viz_core.models.protocol import Model, on_weights
from viz_core.records import Attribution, Encoding, Explanation, Failure, HeadWeights, read_only

METHODS = ("leave_one_out", "integrated_gradients", "gradient_attention", "rollout", "attention")
SIGNED = METHODS[:2]
MOST_TOKENS = 512  # each is removed once, and gradients hold the weights of all heads
MIN_EFFECT = 0.01  # in log-odds: at most 0.25 percentage points of probability


def attributions(
    checkpoint: Checkpoint, explanation: Explanation, target: int | None = None, against: int | None = None
) -> tuple[Attribution, ...]:
    """Attribute a prediction with each of METHODS.

    A model without attention gets only the SIGNED methods, which do not need it.

    Args:
        target: The class whose log-odds are attributed, by default the predicted one.
        against: The class that it is compared with, by default all others together.

    Raises:
        Failure: For a text of which every token is fixed, or of more than MOST_TOKENS.
    """
    model, encoding, fixed = checkpoint.model, explanation.encoding, explanation.fixed
    if (tokens := len(encoding.ids)) > MOST_TOKENS:
        raise Failure("attribution.too_long", tokens=tokens, most=MOST_TOKENS)
    if fixed.all():
        raise Failure("attribution.one_token")
    target = explanation.predicted if target is None else target
    logit, other = explanation.logit(target), None if against is None else explanation.logit(against)
    integrated = integrated_gradients(model, encoding, logit, fixed=fixed, against=other)
    rows = [leave_one_out(model, encoding, logit, fixed, other), integrated.values]
    if explanation.has_attention:
        rows += [
            gradient_attention(model, encoding, logit, other),
            classifier_row(rollout(explanation.attention), explanation.pooling),
            classifier_row(explanation.attention[-1].mean(0), explanation.pooling),
        ]
    name = "" if against is None else explanation.labels[against]
    records = {
        method: replace(_attribution(explanation, method, row, target), against=name)
        for method, row in zip(METHODS, rows, strict=False)
    }
    integral = records["integrated_gradients"]
    records["integrated_gradients"] = replace(integral, steps=integrated.steps, gap=integrated.gap)
    return tuple(records.values())


def _attribution(explanation: Explanation, method: str, values: np.ndarray, target: int) -> Attribution:
    """Record of values `(T,)`, read-only."""
    encoding = explanation.encoding
    groups = read_only(np.where(explanation.fixed, -1, encoding.groups))
    values = read_only(values.astype(np.float32))
    signed = method in (*SIGNED, "contributions")
    return Attribution(method, encoding.labels, groups, values, explanation.labels[target], signed)


def methods_work(tokens: int) -> int:
    """About how many tokens pass the model for all of METHODS and their faithfulness, of an input of this length."""
    passes = tokens + (1 + 2 * len(SHARES) * (len(METHODS) + DRAWS)) + 3 * STEPS  # a gradient costs two passes more
    return tokens * passes


def no_token_matters(attributions: Sequence[Attribution]) -> bool:
    """Whether removing any single token leaves the prediction unchanged, so nothing can be attributed."""
    removal = next(attribution for attribution in attributions if attribution.method == "leave_one_out")
    return bool(np.abs(removal.values).max() < MIN_EFFECT)


def leave_one_out(
    model: Model, encoding: Encoding, target: int, fixed: np.ndarray | None = None, against: int | None = None
) -> np.ndarray:
    """Drop in the target's log-odds when each token is removed (see `removal`), `(T,)`; 0 for fixed tokens.

    Args:
        fixed: `(T,)` bool, tokens that stay; by default special tokens.
        against: As in `log_odds`.
    """
    positions, T = np.flatnonzero(~(encoding.special if fixed is None else fixed)), len(encoding.ids)
    masks = np.ones((len(positions) + 1, T), bool)
    masks[np.arange(len(positions)), positions] = False  # the last row is the whole input
    scores = log_odds(logits_with_mask(model, encoding, masks), target, against).numpy()
    values = np.zeros(T, np.float32)
    values[positions] = scores[-1] - scores[:-1]
    return values


def gradient_attention(model: Model, encoding: Encoding, target: int, against: int | None = None) -> np.ndarray:
    """Relevance `(T,)` that reaches the classifier's row through attention, non-negative.

    It counts in favour of the target. In each layer, attention times its gradient, clipped at 0 and
    averaged over heads, updates the relevance of the layers below: R = R + Ā R. R starts as the
    identity, which is subtracted at the end (the paper keeps it): it is what each position starts
    with, not relevance that came through attention.
    """
    layers: list[Tensor] = []

    def save_attention(layer: int, attention: Tensor) -> Tensor:
        layers.append(attention)  # (1, H, T, T)
        return attention

    with torch.enable_grad():
        logits = model(*input_tensors(encoding), hook=on_weights(save_attention)).logits
        score = log_odds(logits, target, against)[0]
        gradients = torch.autograd.grad(score, layers)  # leaves the .grad of parameters untouched
    identity = torch.eye(len(encoding.ids))
    relevance = identity
    with torch.no_grad():
        for attention, gradient in zip(layers, gradients, strict=True):
            relevance = relevance + (attention * gradient).relu().mean((0, 1)) @ relevance
        return classifier_row((relevance - identity).numpy(), model.config.pooling)


def rollout(attention: HeadWeights) -> np.ndarray:
    """Attention rollout `(T, T)` from attention `(L, H, T, T)`.

    Rows are positions after the last layer, columns input tokens. Each layer contributes half the
    identity, for the residual connection, and half the mean over heads. The product is A_L … A_2
    A_1, with the first layer on the right. Rows sum to 1.
    """
    T = attention.shape[-1]
    product = np.eye(T, dtype=np.float32)
    for layer in attention:
        product = (0.5 * layer.mean(0) + 0.5 * np.eye(T, dtype=np.float32)) @ product
    return product


def classifier_row(matrix: np.ndarray, pooling: str) -> np.ndarray:
    """Row `(T,)` of a matrix `(T, T)` that the prediction is read from.

    The [CLS] row, the last one for the next token, or the mean over all rows.
    """
    match pooling:
        case "cls":
            return matrix[0]
        case "last":
            return matrix[-1]
    return matrix.mean(0)


def contributions(checkpoint: Checkpoint, explanation: Explanation) -> Attribution | None:
    """What each token adds to the logit of the predicted class minus the mean of the other logits.

    With two classes, this is its log-odds before calibration. None if the model's logits are not
    sums over tokens.
    """
    if not hasattr(checkpoint.model, "contributions"):
        return None
    encoding, target = explanation.encoding, explanation.predicted
    with torch.inference_mode():
        parts = checkpoint.model.contributions(*input_tensors(encoding))[0].numpy()  # (T, C)
    others = np.delete(parts, target, axis=1).mean(1)
    return _attribution(explanation, "contributions", parts[:, target] - others, target)
