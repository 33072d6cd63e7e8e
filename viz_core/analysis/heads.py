"""Statistics of every head on one input: entropy, distance, and the weight on [CLS] and [SEP].

Entropy and weight on special tokens: Clark et al. 2019, "What Does BERT Look At?", section 3,
https://arxiv.org/abs/1906.04341.
Distance: Vig and Belinkov 2019, "Analyzing the Structure of Attention in a Transformer Language Model",
https://arxiv.org/abs/1906.04284.
"""

from __future__ import annotations

import numpy as np

from viz_core.records import Explanation, HeadStatistics

SMALLEST = np.finfo(np.float32).tiny  # replaces a weight of 0, which contributes nothing to the entropy either way


def head_statistics(explanation: Explanation) -> HeadStatistics:
    """Four statistics per head, `(L, H)` in read-only arrays, as means over the rows of its attention.

    Entropy is divided by that of a uniform row, log T, to compare inputs of different lengths; with a single token it
    is 0.
    """
    attention, separators = explanation.attention, explanation.encoding.special.copy()
    separators[0] = False  # the first special token is [CLS]
    T = attention.shape[-1]
    positions = np.arange(T, dtype=np.float32)
    distances = np.abs(positions[:, None] - positions)  # (T, T)
    logs = np.empty((T, T), np.float32)  # reused for all heads: allocating it anew is slower
    statistics = np.zeros((4, *attention.shape[:2]), np.float32)  # (4, L, H)
    for layer, head in np.ndindex(attention.shape[:2]):
        weights = attention[layer, head]  # (T, T)
        np.log(np.maximum(weights, SMALLEST, out=logs), out=logs)
        received = weights.mean(0)  # (T,)
        entropy = abs(np.vecdot(weights, logs).mean()) / np.log(max(T, 2))  # abs also avoids -0.0
        distance = np.vecdot(weights, distances).mean()
        statistics[:, layer, head] = entropy, distance, received[0], received[separators].sum()
    statistics[[0, 2, 3]] = statistics[[0, 2, 3]].clip(0, 1)  # rounding may exceed the range
    statistics.flags.writeable = False  # may be cached and shared between visitors
    return HeadStatistics(*statistics)
