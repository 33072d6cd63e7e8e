"""Faithfulness: does the prediction depend on the tokens that an attribution method ranks highest?

Comprehensiveness and sufficiency: DeYoung et al. 2020, "ERASER: A Benchmark to Evaluate
Rationalized NLP Models", section 4.2, https://arxiv.org/abs/1911.03429. Values here are not
comparable with published ones. The paper takes the top 1, 5, 10, 20 and 50% of the tokens and
divides the sum of the five drops by six (|B| + 1: removing nothing counts as a sixth, with a drop
of 0). Here it is the mean over 5, 10, 20 and 50%, of at least one token each: in inputs of up to 20
tokens, 1% would be the same single token as 5%, counted twice. The paper deletes tokens; here they
are masked in place (`removal`), and probabilities are calibrated.
"""

from collections.abc import Sequence

import numpy as np

from viz_core.analysis.attribution.removal import logits_with_mask
from viz_core.checkpoints import Checkpoint
from viz_core.models.protocol import Model
from viz_core.records import Attribution, Encoding, Explanation, Faithfulness, calibrate

SHARES = (0.05, 0.1, 0.2, 0.5)
DRAWS = 20  # random rankings, the control
MEASURES = ("comprehensiveness", "sufficiency")


def faithfulness(
    checkpoint: Checkpoint, explanation: Explanation, attributions: Sequence[Attribution], seed: int = 0
) -> tuple[Faithfulness, Faithfulness]:
    """Comprehensiveness and sufficiency of each method on one input.

    In calibrated probability of the class that is attributed; compared with one class, in that of the
    two. The control is the mean over DRAWS
    random rankings, with the range that contains 95% of them.
    """
    values = np.stack([attribution.values for attribution in attributions])  # (M, T)
    random = np.random.default_rng(seed).random((DRAWS, values.shape[1]))
    first, index = attributions[0], explanation.labels.index
    target = explanation.logit(index(first.target))
    against = explanation.logit(index(first.against)) if first.against else None
    rankings, temperature = np.concatenate([values, random]), checkpoint.settings.temperature
    model, encoding, fixed = checkpoint.model, explanation.encoding, explanation.fixed
    scores = erasure_scores(model, encoding, rankings, target, temperature, fixed, against)
    methods = tuple(attribution.method for attribution in attributions)
    method_scores, random_scores = scores[:, : len(methods)], scores[:, len(methods) :]  # (2, M), (2, DRAWS)
    records = []
    for measure, part, control in zip(MEASURES, method_scores, random_scores, strict=True):
        low, high = np.quantile(control, (0.025, 0.975)).tolist()
        records.append(Faithfulness(measure, methods, part, None, None, (float(control.mean()), low, high), 1))
    return records[0], records[1]


def erasure_scores(
    model: Model,
    encoding: Encoding,
    values: np.ndarray,
    target: int,
    temperature: float,
    fixed: np.ndarray | None = None,
    against: int | None = None,
) -> np.ndarray:
    """Comprehensiveness and sufficiency `(2, M)` of M attributions `(M, T)`.

    Higher values count in favour of the target. For each of SHARES, the top tokens (at least one,
    never a special token) are either removed or are the only ones left; the score is the drop in
    the target's probability, averaged over SHARES.

    Args:
        fixed: `(T,)` bool, tokens that stay; by default special tokens.
        against: A class; if given, only it and the target share the probability.
    """
    fixed = encoding.special if fixed is None else fixed
    positions, T = np.flatnonzero(~fixed), len(encoding.ids)
    ranked = positions[np.argsort(-values[:, positions], axis=1, kind="stable")]  # (M, N)
    counts = [int(np.ceil(share * len(positions))) for share in SHARES]
    top = np.zeros((len(values), len(SHARES), T), bool)  # (M, S, T)
    for number, count in enumerate(counts):
        np.put_along_axis(top[:, number], ranked[:, :count], True, axis=1)
    masks = np.stack([~top, top | fixed])  # (2, M, S, T)
    whole = np.ones((1, T), bool)
    logits = logits_with_mask(model, encoding, np.concatenate([whole, masks.reshape(-1, T)]))
    classes = slice(None) if against is None else [target, against]
    probability = calibrate(logits.numpy()[:, classes], temperature)[:, target if against is None else 0]
    return (probability[0] - probability[1:]).reshape(masks.shape[:-1]).mean(-1)
