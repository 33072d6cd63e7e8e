"""Statistics of every head on one input: entropy, distance, and the weight on [CLS] and [SEP].

Entropy and weight on special tokens: Clark et al. 2019, "What Does BERT Look At?", section 3,
https://arxiv.org/abs/1906.04341.
Distance: Vig and Belinkov 2019, "Analyzing the Structure of Attention in a Transformer Language Model",
https://arxiv.org/abs/1906.04284.
"""

from __future__ import annotations

import numpy as np

from viz_core.records import Encoding, Explanation, HeadStatistics, Translation
from viz_core.records.translation import Kind

SMALLEST = np.finfo(np.float32).tiny  # replaces a weight of 0, which contributes nothing to the entropy either way


def head_statistics(explanation: Explanation) -> HeadStatistics:
    """The statistics of every head of an explanation, `(L, H)`."""
    return _statistics(explanation.attention, explanation.encoding, "self")


def translation_statistics(translation: Translation, kind: Kind) -> HeadStatistics:
    """The statistics of every head of one kind of attention of a translation, `(L, H)`."""
    return _statistics(translation.attention[kind], translation.sides(kind)[1], kind)


def _statistics(attention: np.ndarray, keys: Encoding, kind: Kind) -> HeadStatistics:
    """In read-only arrays `(L, H)`, as means over the rows of attention `(L, H, Q, K)`.

    The entropy of a row is divided by that of a uniform row, the logarithm of the number of keys that its query can
    attend to, to compare inputs of different lengths and early with late queries. A query with a single key has no
    choice: it does not count, and without any other the entropy is 0.
    """
    Q, K = attention.shape[2:]
    reach = np.arange(1, Q + 1) if kind == "causal" else np.full(Q, K)  # (Q,) keys that each query can attend to
    chooses = reach > 1
    uniform = np.log(reach[chooses]).astype(np.float32)
    separators = keys.special.copy()
    separators[0] = False  # the first special token is [CLS]
    distances = np.abs(np.arange(Q, dtype=np.float32)[:, None] - np.arange(K, dtype=np.float32))  # (Q, K)
    logs = np.empty((Q, K), np.float32)  # reused for all heads: allocating it anew is slower
    statistics = np.zeros((4, *attention.shape[:2]), np.float32)  # (4, L, H)
    for layer, head in np.ndindex(attention.shape[:2]):
        weights = attention[layer, head]  # (Q, K)
        np.log(np.maximum(weights, SMALLEST, out=logs), out=logs)
        received = weights.mean(0)  # (K,)
        rows = np.vecdot(weights, logs)[chooses] / uniform
        entropy = abs(rows.mean()) if rows.size else 0  # abs also avoids -0.0
        distance = np.vecdot(weights, distances).mean()
        statistics[:, layer, head] = entropy, distance, received[0], received[separators].sum()
    statistics[[0, 2, 3]] = statistics[[0, 2, 3]].clip(0, 1)  # rounding may exceed the range
    statistics.flags.writeable = False  # may be cached and shared between visitors
    entropy, distance, cls, sep = statistics
    return HeadStatistics(entropy, None if kind == "cross" else distance, cls, None if kind == "causal" else sep)
