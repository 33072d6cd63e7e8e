"""Selecting attention to display: a head or a mean, tokens or words, the whole pair or a block of it.

A layer or head of None means the mean over all of them. All results are NumPy arrays taken from
`Explanation.attention`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from viz_core.records import AttentionMap, Encoding, Explanation, Message, TokenWeights, show_whitespace

Special = Literal["shown", "hidden", "renormalised"]
Block = Literal["all", "aa", "ab", "ba", "bb"]
Unit = Literal["token", "word"]

SPECIAL_CHOICES: tuple[Special, ...] = ("shown", "hidden", "renormalised")
BLOCKS: tuple[Block, ...] = ("all", "aa", "ab", "ba", "bb")


def attention_map(
    explanation: Explanation,
    layer: int | None,
    head: int | None,
    special: Special = "shown",
    block: Block = "all",
    unit: Unit = "token",
) -> AttentionMap:
    """The attention of a head or a mean, as weights `(Q, K)` with row and column labels.

    special: [CLS] and [SEP] are shown, hidden, or hidden with every row rescaled to sum to 1 (a row without any weight
    left stays zero). block: restricts queries and keys to a sentence each, `ab` for queries in A and keys in B. unit
    `word`: the weights of a word's tokens are summed over keys and averaged over queries, so that rows still sum to 1.
    """
    weights, labels, groups, segments, _ = _units(explanation, layer, head, unit)
    visible = (groups >= 0) | (special == "shown")
    queries, keys = visible.copy(), visible.copy()
    if block != "all":
        queries &= segments == "ab".index(block[0])
        keys &= segments == "ab".index(block[1])
    weights = weights[np.ix_(queries, keys)]
    if special == "renormalised":
        weights = _normalise_rows(weights)
    return AttentionMap(
        tuple(np.array(labels, object)[queries]),
        tuple(np.array(labels, object)[keys]),
        weights,
        groups[queries],
        groups[keys],
        _title("map", layer, head),
        special == "renormalised",
    )


def token_weights(
    explanation: Explanation,
    layer: int | None,
    head: int | None,
    unit: Unit = "token",
    source: Literal["cls", "received"] = "cls",
    special: Special = "shown",
) -> TokenWeights:
    """`(N,)` weights, one per token or word: attention from [CLS], or mean attention received from all tokens.

    With mean pooling the classifier reads all positions, so `received` is the view to show (`default_source`).
    special: as for `attention_map`, with the weights rescaled as a whole.
    """
    weights, labels, groups, segments, spans = _units(explanation, layer, head, unit)
    row = weights[0] if source == "cls" else _received_attention(explanation, layer, head, unit)
    visible = (groups >= 0) | (special == "shown")
    row = row[visible]
    if special == "renormalised" and row.sum() > 0:
        row = row / row.sum()
    return TokenWeights(
        tuple(np.array(labels, object)[visible]),
        row,
        groups[visible],
        spans[visible],
        explanation.encoding.texts,
        _title(source, layer, head),
    )


def top_tokens(views: Sequence[TokenWeights], count: int) -> list[TokenWeights]:
    """Reduces all views to the same `count` tokens, those with the highest weight in any view, in text order.

    Views of different tokens are reduced independently.
    """
    if len({view.labels for view in views}) > 1:
        return [top_tokens([view], count)[0] for view in views]
    highest = np.abs([view.weights for view in views]).max(0)
    top = np.sort(np.argsort(-highest, kind="stable")[:count])
    return [
        replace(
            view,
            labels=tuple(view.labels[index] for index in top),
            weights=view.weights[top],
            groups=view.groups[top],
            spans=view.spans[top],
        )
        for view in views
    ]


def default_source(explanation: Explanation) -> Literal["cls", "received"]:
    """The source for `token_weights` that fits the pooling of the classifier."""
    return "cls" if explanation.pooling == "cls" else "received"


def _mean(explanation: Explanation, layer: int | None, head: int | None) -> np.ndarray:
    """`(T, T)`: the attention of a head, or the mean over layers or heads given as None."""
    attention = explanation.attention if layer is None else explanation.attention[layer : layer + 1]
    attention = attention if head is None else attention[:, head : head + 1]
    return attention.mean((0, 1))


def _units(explanation: Explanation, layer: int | None, head: int | None, unit: Unit):
    """Weights `(N, N)`, labels, groups (-1 for special tokens), segments and spans `(N, 2)` of N tokens or words."""
    encoding, weights = explanation.encoding, _mean(explanation, layer, head)
    groups = np.where(encoding.special, -1, encoding.segments)
    if unit == "token":
        labels = [encoding.label(i) for i in range(len(encoding.tokens))]
        return weights, labels, groups, encoding.segments, encoding.offsets
    starts = np.flatnonzero(np.diff(encoding.words, prepend=-1))
    ends = np.append(starts[1:], len(encoding.words)) - 1
    sizes = ends - starts + 1
    weights = np.add.reduceat(np.add.reduceat(weights, starts, axis=1), starts, axis=0) / sizes[:, None]
    spans = np.stack([encoding.offsets[starts, 0], encoding.offsets[ends, 1]], axis=1)
    labels = [_word(encoding, start, span) for start, span in zip(starts, spans, strict=True)]
    return weights, labels, groups[starts], encoding.segments[starts], spans


def _received_attention(explanation: Explanation, layer: int | None, head: int | None, unit: Unit) -> np.ndarray:
    """`(N,)`: mean over all query tokens, summed within a word as key; every query token counts equally."""
    received = _mean(explanation, layer, head).mean(0)
    if unit == "token":
        return received
    return np.add.reduceat(received, np.flatnonzero(np.diff(explanation.encoding.words, prepend=-1)))


def _word(encoding: Encoding, first: int, span: np.ndarray) -> str:
    if encoding.special[first]:
        return encoding.tokens[first]
    return show_whitespace(encoding.texts[encoding.segments[first]][span[0] : span[1]])


def _normalise_rows(weights: np.ndarray) -> np.ndarray:
    """Rows rescaled to sum to 1; rows of zeros stay."""
    total = weights.sum(1, keepdims=True)
    return np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)


def _title(what: str, layer: int | None, head: int | None) -> Message:
    kinds = {(False, False): "head", (False, True): "layer", (True, False): "heads", (True, True): "everything"}
    where = Message(
        "analysis.of_" + kinds[layer is None, head is None],
        {"layer": None if layer is None else layer + 1, "head": None if head is None else head + 1},
    )
    return Message(f"analysis.title_{what}", {"where": where})
