"""Which part of all attention is looked at: a head or a mean, tokens or words, the whole pair or one block of it.

A layer or head of None means the mean over all of them. All results are NumPy, cut from `Explanation.attention`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from viz_core.records import AttentionMap, Encoding, Explanation, Message, TokenWeights, visible

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
    """The attention of one head or a mean, as `(Q, K)` weights with the labels of rows and columns.

    special: [CLS] and [SEP] are shown, left out, or left out with every row scaled back to sum 1 (a row without any
    weight left stays zero). block: rows of one sentence, columns of one sentence. unit `word`: the weights of a word's
    tokens are summed over keys and averaged over queries, so that rows still sum to 1.
    """
    weights, labels, groups, segments, _ = _units(explanation, layer, head, unit)
    keep = (groups >= 0) | (special == "shown")
    queries, keys = keep.copy(), keep.copy()
    if block != "all":
        queries &= segments == "ab".index(block[0])
        keys &= segments == "ab".index(block[1])
    weights = weights[np.ix_(queries, keys)]
    if special == "renormalised":
        weights = _rows_to_one(weights)
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
    """One weight per token or word: what [CLS] gives to it, or what it receives from all tokens on average.

    With mean pooling no position is read by the classifier alone, so that `received` is the view to show.
    special: as for `attention_map`, but the one row (or the column means) is scaled as a whole.
    """
    weights, labels, groups, segments, spans = _units(explanation, layer, head, unit)
    if source == "cls":
        row = weights[0]
    else:
        row = _receiving(explanation, layer, head, unit)
    keep = (groups >= 0) | (special == "shown")
    row = row[keep]
    if special == "renormalised" and row.sum() > 0:
        row = row / row.sum()
    return TokenWeights(
        tuple(np.array(labels, object)[keep]),
        row,
        groups[keep],
        spans[keep],
        explanation.encoding.texts,
        _title(source, layer, head),
    )


def top_tokens(several: Sequence[TokenWeights], count: int) -> list[TokenWeights]:
    """The same tokens of each: the `count` that weigh most in any of them, in the order of the text.

    Where they are not of the same tokens, each has its own.
    """
    if len({one.labels for one in several}) > 1:
        return [top_tokens([one], count)[0] for one in several]
    most = np.abs([one.weights for one in several]).max(0)
    rows = np.sort(np.argsort(-most, kind="stable")[:count])
    return [
        replace(
            one,
            labels=tuple(one.labels[row] for row in rows),
            weights=one.weights[rows],
            groups=one.groups[rows],
            spans=one.spans[rows],
        )
        for one in several
    ]


def default_source(explanation: Explanation) -> Literal["cls", "received"]:
    """The view of single tokens that fits how the classifier reads the encoder."""
    return "cls" if explanation.pooling == "cls" else "received"


def _mean(explanation: Explanation, layer: int | None, head: int | None) -> np.ndarray:
    attention = explanation.attention if layer is None else explanation.attention[layer : layer + 1]
    attention = attention if head is None else attention[:, head : head + 1]
    return attention.mean((0, 1))  # (T, T)


def _units(explanation: Explanation, layer: int | None, head: int | None, unit: Unit):
    """Weights `(N, N)` with labels, groups (-1 for special), segments and spans of the N tokens or words."""
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


def _receiving(explanation: Explanation, layer: int | None, head: int | None, unit: Unit) -> np.ndarray:
    """Mean over all query tokens, summed within a word: a long word's queries must count as often as its tokens."""
    received = _mean(explanation, layer, head).mean(0)
    if unit == "token":
        return received
    return np.add.reduceat(received, np.flatnonzero(np.diff(explanation.encoding.words, prepend=-1)))


def _word(encoding: Encoding, first: int, span: np.ndarray) -> str:
    if encoding.special[first]:
        return encoding.tokens[first]
    return visible(encoding.texts[encoding.segments[first]][span[0] : span[1]])


def _rows_to_one(weights: np.ndarray) -> np.ndarray:
    total = weights.sum(1, keepdims=True)
    return np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)


def _title(what: str, layer: int | None, head: int | None) -> Message:
    chosen = {(False, False): "head", (False, True): "layer", (True, False): "heads", (True, True): "everything"}
    where = Message(
        "analysis.of_" + chosen[layer is None, head is None],
        {"layer": None if layer is None else layer + 1, "head": None if head is None else head + 1},
    )
    return Message(f"analysis.title_{what}", {"where": where})
