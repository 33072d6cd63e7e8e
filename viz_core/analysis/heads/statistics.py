"""Head statistics on one input: entropy, distance, weight on each key, and the criteria of criteria.py.

Entropy: Clark et al. 2019, "What Does BERT Look At?", section 3.3,
https://arxiv.org/abs/1906.04341. Distance: Vig and Belinkov 2019, "Analyzing the Structure of
Attention in a Transformer Language Model", https://arxiv.org/abs/1906.04284.
"""

import numpy as np

from viz_core.analysis.heads.criteria import find_criteria, is_punctuation
from viz_core.records import Encoding, Explanation, Generation, HeadStatistics, HeadWeights, Translation, read_only
from viz_core.records.translation import Kind

SMALLEST = np.finfo(np.float32).tiny  # replaces a weight of 0, which contributes nothing to the entropy either way


def head_statistics(explanation: Explanation) -> HeadStatistics:
    """Statistics of every head of an explanation, `(L, H)`."""
    return _statistics(explanation.attention, explanation.encoding, explanation.kind)


def given_statistics(generation: Generation) -> HeadStatistics:
    """Statistics `(L, H)` on the tokens that a model was given, which never attend to what it wrote.

    They can be compared between models that go on differently.
    """
    given, explanation = generation.given, generation.explanation
    attention = np.asarray(explanation.attention)[:, :, :given, :given]  # (L, H, given, given)
    return _statistics(attention, explanation.encoding.first(given), explanation.kind)


def copying_head(statistics: HeadStatistics) -> tuple[int, int] | None:
    """Layer and head with the largest weight on what followed the same token earlier; None if no token is repeated."""
    if statistics.induction is None:
        return None
    layer, head = np.unravel_index(statistics.induction.argmax(), statistics.induction.shape)
    return int(layer), int(head)


def translation_statistics(translation: Translation, kind: Kind) -> HeadStatistics:
    """Statistics of every head of one kind of attention of a translation, `(L, H)`."""
    return _statistics(translation.attention[kind], translation.sides(kind)[1], kind)


def _statistics(attention: HeadWeights, keys: Encoding, kind: Kind) -> HeadStatistics:
    """Read-only statistics `(L, H)`, as means over the rows of attention `(L, H, Q, K)`.

    The entropy of a row is divided by the entropy of a uniform row, the logarithm of the number of
    keys that its query can attend to. This makes inputs of different lengths comparable, and early
    queries with late ones. A query with a single key has no choice and does not count; without any
    other, the entropy is 0.
    """
    Q, K = attention.shape[2:]
    punctuation = np.array([is_punctuation(token) for token in keys.tokens], bool)
    criteria = find_criteria(keys.ids, keys.segments, keys.special, punctuation, kind)
    reach = np.arange(1, Q + 1) if kind == "causal" else np.full(Q, K)  # (Q,) keys that each query can attend to
    chooses = reach > 1
    largest = np.log(reach[chooses]).astype(np.float32)
    distances = np.abs(np.arange(Q, dtype=np.float32)[:, None] - np.arange(K, dtype=np.float32))  # (Q, K)
    logs = np.empty((Q, K), np.float32)  # reused for all heads: allocating it anew is slower
    entropy, distance = np.zeros((2, *attention.shape[:2]), np.float32)  # (L, H)
    received = np.zeros((*attention.shape[:2], K), np.float32)
    measured = {name: np.zeros(attention.shape[:2], np.float32) for name in (*criteria.sets, *criteria.relations)}
    for layer, of_heads in enumerate(attention):  # (H, Q, K)
        for head, weights in enumerate(of_heads):  # (Q, K)
            np.log(np.maximum(weights, SMALLEST, out=logs), out=logs)
            rows = np.vecdot(weights, logs)[chooses] / largest
            entropy[layer, head] = min(abs(rows.mean()), 1) if rows.size else 0  # abs also avoids -0.0
            distance[layer, head] = np.vecdot(weights, distances).mean()
            received[layer, head] = weights.mean(0)
        for name, values in criteria.measure(of_heads, received[layer]).items():
            measured[name][layer] = values.clip(0, 1)  # rounding may exceed 1
    statistics = {"entropy": entropy, "received": received, **measured}
    even = (np.arange(K) < reach[:, None]) / reach[:, None]  # (Q, K) attention of a uniform head
    uniform = {name: min(float(value), 1.0) for name, value in criteria.measure(even, even.mean(0)).items()}
    uniform["entropy"] = 1.0
    if kind != "cross":
        statistics["distance"] = distance
        uniform["distance"] = float(np.vecdot(even, distances).mean())
    return HeadStatistics(**{name: read_only(values) for name, values in statistics.items()}, uniform=uniform)
