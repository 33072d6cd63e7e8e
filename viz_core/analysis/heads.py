"""What does each head do with one input: spread its weight or pick a key, look near or far, rest on [CLS] or [SEP]?

Entropy and weight on special tokens: Clark et al. 2019, "What Does BERT Look At?", section 3,
https://arxiv.org/abs/1906.04341.
Distance: Vig and Belinkov 2019, "Analyzing the Structure of Attention in a Transformer Language Model",
https://arxiv.org/abs/1906.04284.
"""

from __future__ import annotations

import numpy as np

from viz_core.records import Explanation, HeadStatistics

SMALLEST = np.finfo(np.float32).tiny  # stands for a weight of 0, which adds nothing to the entropy either way


def head_statistics(explanation: Explanation) -> HeadStatistics:
    """Four numbers for each head, `(L, H)` with read-only arrays, as means over the rows of its attention.

    Entropy is divided by that of the uniform row, log T, so that inputs of any length compare; with one token it is 0.
    """
    attention, separators = explanation.attention, explanation.encoding.special.copy()
    separators[0] = False  # the first is [CLS]
    T = attention.shape[-1]
    places = np.arange(T, dtype=np.float32)
    apart = np.abs(places[:, None] - places)  # (T, T)
    logs = np.empty((T, T), np.float32)  # one for all heads: fresh memory costs more
    found = np.zeros((4, *attention.shape[:2]), np.float32)  # (4, L, H)
    for layer, head in np.ndindex(attention.shape[:2]):
        weights = attention[layer, head]  # (T, T)
        np.log(np.maximum(weights, SMALLEST, out=logs), out=logs)
        received = weights.mean(0)  # (T,)
        entropy = abs(np.vecdot(weights, logs).mean()) / np.log(max(T, 2))  # a minus would print as -0
        found[:, layer, head] = entropy, np.vecdot(weights, apart).mean(), received[0], received[separators].sum()
    found[[0, 2, 3]] = found[[0, 2, 3]].clip(0, 1)  # rounding may carry them just beyond
    found.flags.writeable = False  # it may be cached and shared by many visitors
    return HeadStatistics(*found)
