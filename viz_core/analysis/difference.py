"""Two inputs that differ in a few words: which tokens changed, and how did the attention between the others change?"""

from __future__ import annotations

from difflib import SequenceMatcher

import numpy as np

from viz_core.records import AttentionMap, Comparison, Encoding, Explanation, Message

_ATTENTION = "analysis.title_difference"


def compare(before: Explanation, after: Explanation) -> Comparison:
    """Aligns the tokens of two inputs of one model (longest matching blocks, `difflib`; Ratcliff and Metzener 1988).

    Tokens only match within the same sentence of a pair. Raises ValueError for inputs of different models.
    """
    if (before.model, before.task, before.attention.shape[:2]) != (after.model, after.task, after.attention.shape[:2]):
        raise ValueError(f"{before.task}/{before.model} against {after.task}/{after.model}: they must be of one model")
    pairs = _align(before.encoding, after.encoding)
    changed = [np.ones(len(explanation.encoding.tokens), bool) for explanation in (before, after)]
    for flags, positions in zip(changed, pairs.T, strict=True):
        flags[positions] = False
    return Comparison(before, after, pairs, *changed)


def attention_difference(comparison: Comparison, layer: int, head: int) -> AttentionMap | None:
    """Attention after minus before, `(K, K)` over the K common tokens; None if there are none.

    The sum of a row is the weight that moved away from, or to, the tokens that changed.
    """
    if not len(comparison.pairs):
        return None
    (old, new), encoding = comparison.pairs.T, comparison.after.encoding
    weights = (
        comparison.after.attention[layer, head][np.ix_(new, new)]
        - comparison.before.attention[layer, head][np.ix_(old, old)]
    )
    labels = tuple(encoding.label(position) for position in new)
    groups = np.where(encoding.special, -1, encoding.segments)[new]
    where = Message("analysis.of_head", {"layer": layer + 1, "head": head + 1})
    title = Message(_ATTENTION, {"where": where})
    return AttentionMap(labels, labels, weights, groups, groups, title, signed=True)


def most_changed_head(comparison: Comparison) -> tuple[int, int]:
    """Layer and head, from 0, whose attention between the common tokens changed most (sum of |difference|)."""
    layers, heads = comparison.before.attention.shape[:2]
    if not len(comparison.pairs):
        return layers - 1, 0
    old, new = comparison.pairs.T
    change = np.abs(
        comparison.after.attention[:, :, new[:, None], new] - comparison.before.attention[:, :, old[:, None], old]
    ).sum((2, 3))
    layer, head = np.unravel_index(change.argmax(), (layers, heads))
    return int(layer), int(head)


def _align(before: Encoding, after: Encoding) -> np.ndarray:
    """`(K, 2)` positions of the common tokens, before and after."""
    old, new = (
        list(zip(encoding.tokens, encoding.segments.tolist(), _unknown_surfaces(encoding), strict=True))
        for encoding in (before, after)
    )
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    pairs = [(a + step, b + step) for a, b, size in blocks for step in range(size)]
    return np.array(pairs, int).reshape(-1, 2)


def _unknown_surfaces(encoding: Encoding) -> list[str]:
    """The text of each unknown token, empty for known ones: two different unknown words must not match."""
    return [encoding.surface(index) if encoding.unknown[index] else "" for index in range(len(encoding.tokens))]
