"""Two inputs that differ in a few words: which tokens changed, and how did the attention between the others?"""

from __future__ import annotations

from difflib import SequenceMatcher

import numpy as np

from viz_core.records import AttentionMap, Comparison, Encoding, Explanation, Message

_ATTENTION = "analysis.title_difference"


def compare(before: Explanation, after: Explanation) -> Comparison:
    """The tokens of two inputs of one model, aligned (longest matching blocks, `difflib`; Ratcliff and Metzener 1988).

    A token is only the same within its own sentence. Raises ValueError for inputs of different models.
    """
    if (before.model, before.task, before.attention.shape[:2]) != (after.model, after.task, after.attention.shape[:2]):
        raise ValueError(f"{before.task}/{before.model} against {after.task}/{after.model}: they must be of one model")
    pairs = _aligned(before.encoding, after.encoding)
    changed = [np.ones(len(one.encoding.tokens), bool) for one in (before, after)]
    for side, column in zip(changed, pairs.T, strict=True):
        side[column] = False
    return Comparison(before, after, pairs, *changed)


def attention_difference(comparison: Comparison, layer: int, head: int) -> AttentionMap | None:
    """Attention after minus before, `(K, K)` over the tokens that both inputs have. A row sums to what has gone to, or come
    from, the tokens that changed. None where they have no token in common."""
    if not len(comparison.pairs):
        return None
    (old, new), encoding = comparison.pairs.T, comparison.after.encoding
    weights = (
        comparison.after.attention[layer, head][np.ix_(new, new)]
        - comparison.before.attention[layer, head][np.ix_(old, old)]
    )
    labels = tuple(encoding.label(place) for place in new)
    groups = np.where(encoding.special, -1, encoding.segments)[new]
    where = Message("analysis.of_head", {"layer": layer + 1, "head": head + 1})
    return AttentionMap(labels, labels, weights, groups, groups, Message(_ATTENTION, {"where": where}))


def most_changed_head(comparison: Comparison) -> tuple[int, int]:
    """Layer and head, from 0, whose attention between the tokens that both inputs have moved most (sum of |difference|)."""
    layers, heads = comparison.before.attention.shape[:2]
    if not len(comparison.pairs):
        return layers - 1, 0
    old, new = comparison.pairs.T
    moved = np.abs(
        comparison.after.attention[:, :, new[:, None], new] - comparison.before.attention[:, :, old[:, None], old]
    ).sum((2, 3))
    return tuple(int(one) for one in np.unravel_index(moved.argmax(), (layers, heads)))


def _aligned(before: Encoding, after: Encoding) -> np.ndarray:
    """`(K, 2)` places of the tokens that are the same."""
    one, other = (
        list(zip(side.tokens, side.segments.tolist(), _spelled(side), strict=True)) for side in (before, after)
    )
    blocks = SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks()
    pairs = [(a + step, b + step) for a, b, size in blocks for step in range(size)]
    return np.array(pairs, int).reshape(-1, 2)


def _spelled(encoding: Encoding) -> list[str]:
    """What stands for a token that the model does not know: two unknown words are not the same word."""
    return [encoding.surface(place) if encoding.unknown[place] else "" for place in range(len(encoding.tokens))]
