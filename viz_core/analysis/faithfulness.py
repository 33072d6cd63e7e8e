"""Does the answer depend on the tokens that a method ranks highest?

Comprehensiveness and sufficiency: DeYoung et al. 2020, "ERASER: A Benchmark to Evaluate Rationalized NLP Models",
section 4.2, https://arxiv.org/abs/1911.03429. Both are means over several shares of the tokens.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from viz_core.analysis.removal import logits_with_mask
from viz_core.checkpoints import Checkpoint
from viz_core.models.protocol import Model
from viz_core.records import Attribution, Explanation, Faithfulness, calibrate

SHARES = (0.05, 0.1, 0.2, 0.5)
DRAWS = 20  # random orders, the control
MEASURES = ("comprehensiveness", "sufficiency")


def faithfulness(
    checkpoint: Checkpoint, explanation: Explanation, attributions: Sequence[Attribution], seed: int = 0
) -> tuple[Faithfulness, Faithfulness]:
    """Comprehensiveness and sufficiency of each method on one input, in calibrated probability of the answer.

    The control is a number of random orders: their mean, and between which two values 95 % of them lie.
    """
    encoding = explanation.encoding
    values = np.stack([one.values for one in attributions])
    random = np.random.default_rng(seed).random((DRAWS, values.shape[1]))
    lost = erasure_scores(
        checkpoint.model,
        encoding.ids,
        encoding.segments,
        encoding.special,
        np.concatenate([values, random]),
        explanation.predicted,
        checkpoint.settings.temperature,
    )
    methods = tuple(one.method for one in attributions)
    made, control = lost[:, : len(methods)], lost[:, len(methods) :]  # (2, M), (2, DRAWS)
    return tuple(
        Faithfulness(
            measure,
            methods,
            values,
            None,
            None,
            (float(drawn.mean()), *map(float, np.quantile(drawn, (0.025, 0.975)))),
            1,
        )
        for measure, values, drawn in zip(MEASURES, made, control, strict=True)
    )


def erasure_scores(
    model: Model,
    ids: np.ndarray,
    segments: np.ndarray,
    special: np.ndarray,
    values: np.ndarray,
    target: int,
    temperature: float,
) -> np.ndarray:
    """`(2, M)`: comprehensiveness and sufficiency of values `(M, T)`, the most positive of which speak for the target.

    For each of SHARES, that share of the tokens that are not special, one at least: the probability of the target that is
    lost when they are taken out, and when they alone are kept; [CLS] and [SEP] always stay. Means over SHARES.
    """
    places = np.flatnonzero(~special)
    ranked = places[np.argsort(-values[:, places], axis=1, kind="stable")]  # (M, N)
    counts = [int(np.ceil(share * len(places))) for share in SHARES]
    chosen = np.zeros((len(values), len(SHARES), len(ids)), bool)  # (M, S, T)
    for number, count in enumerate(counts):
        np.put_along_axis(chosen[:, number], ranked[:, :count], True, axis=1)
    kept = np.stack([~chosen, chosen | special])  # (2, M, S, T)
    whole = np.ones((1, len(ids)), bool)
    logits = logits_with_mask(model, ids, segments, np.concatenate([whole, kept.reshape(-1, len(ids))]))
    probability = calibrate(logits.numpy(), temperature)[:, target]
    return (probability[0] - probability[1:]).reshape(kept.shape[:-1]).mean(-1)
