"""Selecting attention to display: a head or a mean, tokens or words, the whole pair or a block of it.

A layer or head of None means the mean over all of them. All results are NumPy arrays taken from the
attention of an Explanation or a Translation.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np

from viz_core.records import (
    AttentionMap,
    Encoding,
    Explanation,
    HeadWeights,
    Measure,
    Message,
    TokenWeights,
    Translation,
    show_whitespace,
)
from viz_core.records.translation import Kind

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
    """Attention of a head or a mean, as weights `(Q, K)` with row and column labels.

    Args:
        special: [CLS] and [SEP], and in causal attention the first token, which is a sink (Xiao et
            al. 2024, https://arxiv.org/abs/2309.17453), are shown, hidden, or hidden with every row
            rescaled to sum to 1 (a row without any weight left stays zero).
        block: Restricts queries and keys to a sentence each, `ab` for queries in A and keys in B.
        unit: With `word`, the weights of a word's tokens are summed over keys and averaged over
            queries, so that rows still sum to 1.
    """
    units = _units(explanation.encoding, unit)
    is_causal = explanation.kind == "causal"
    queries = keys = _visible(units, special, is_causal)
    if block != "all":
        queries = queries & (units.segments == "ab".index(block[0]))
        keys = keys & (units.segments == "ab".index(block[1]))
    title = _title("map", layer, head, explanation.measure)
    attention = _mean(explanation.attention, layer, head)
    return _map(attention, (units, units), (queries, keys), special, title, explanation.measure, is_causal)


def translation_map(
    translation: Translation,
    kind: Kind,
    layer: int | None,
    head: int | None,
    special: Special = "shown",
    unit: Unit = "token",
) -> AttentionMap:
    """Attention map of one kind of attention of a translation, like `attention_map`.

    In cross-attention the queries are the tokens that are produced, and the keys are the source
    tokens. In causal attention the map says what each query can attend to.
    """
    queries, keys = translation.sides(kind)
    units = _units(queries, unit, translation.queries(kind)), _units(keys, unit, translation.keys(kind))
    is_causal = kind == "causal"
    visible = _visible(units[0], special, is_causal), _visible(units[1], special, is_causal)
    title = _title(kind, layer, head, translation.measure)
    attention = _mean(translation.attention[kind], layer, head)
    return _map(attention, units, visible, special, title, translation.measure, is_causal)


def token_weights(
    explanation: Explanation,
    layer: int | None,
    head: int | None,
    unit: Unit = "token",
    source: Literal["cls", "received"] = "cls",
    special: Special = "shown",
) -> TokenWeights:
    """Weights `(N,)` of tokens or words: attention from [CLS], or mean attention received from all tokens.

    With mean pooling the classifier reads all positions, so `received` is the view to show
    (`default_source`).

    Args:
        special: As for `attention_map`, with the weights rescaled as a whole.
    """
    units, weights = _units(explanation.encoding, unit), _mean(explanation.attention, layer, head)
    row = _group(weights, units, units)[0] if source == "cls" else np.add.reduceat(weights.mean(0), units.starts)
    visible = _visible(units, special, explanation.kind == "causal")
    row = row[visible]
    if special == "renormalised" and row.sum() > 0:
        row = row / row.sum()
    return TokenWeights(
        tuple(np.array(units.labels, object)[visible]),
        row,
        units.groups[visible],
        units.spans[visible],
        explanation.encoding.texts,
        _title(source, layer, head, explanation.measure),
        explanation.measure,
    )


def top_tokens(views: Sequence[TokenWeights], count: int) -> list[TokenWeights]:
    """Reduce all views to the same `count` tokens: those with the highest weight in any view, in text order.

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
    """Source for `token_weights` that fits the pooling of the classifier."""
    return "cls" if explanation.pooling == "cls" else "received"


def _mean(attention: HeadWeights, layer: int | None, head: int | None) -> np.ndarray:
    """Attention `(Q, K)` of a head of `(L, H, Q, K)`, or the mean over layers or heads given as None."""
    layers = range(len(attention)) if layer is None else [layer]
    means = [attention[number].mean(0) if head is None else attention[number, head] for number in layers]
    return np.mean(means, axis=0)


class _Units(NamedTuple):
    """N tokens or words: labels, groups (-1 for special tokens), segments and spans `(N, 2)`.

    Attributes:
        starts: First token of each.
        sizes: Number of tokens of each.
    """

    labels: Sequence[str]
    groups: np.ndarray
    segments: np.ndarray
    spans: np.ndarray
    starts: np.ndarray
    sizes: np.ndarray


def _units(encoding: Encoding, unit: Unit, labels: Sequence[str] = ()) -> _Units:
    """Units of an encoding.

    Args:
        labels: Labels of the tokens, by default as typed.
    """
    T = len(encoding.tokens)
    starts = np.arange(T) if unit == "token" else np.flatnonzero(np.diff(encoding.words, prepend=-1))
    ends = np.append(starts[1:], T) - 1
    spans = np.stack([encoding.offsets[starts, 0], encoding.offsets[ends, 1]], axis=1)
    if unit == "word":
        labels = [_word(encoding, start, span) for start, span in zip(starts.tolist(), spans, strict=True)]
    sizes = (ends - starts + 1).astype(np.float32)
    return _Units(labels or encoding.labels, encoding.groups[starts], encoding.segments[starts], spans, starts, sizes)


def _group(weights: np.ndarray, queries: _Units, keys: _Units) -> np.ndarray:
    """Weights between tokens as weights between units: summed over keys, averaged over queries."""
    summed = np.add.reduceat(np.add.reduceat(weights, keys.starts, axis=1), queries.starts, axis=0)
    return summed / queries.sizes[:, None]


def _visible(units: _Units, special: Special, is_causal: bool = False) -> np.ndarray:
    """Which units are visible, `(N,)` bool; in causal attention the first one goes with the special tokens."""
    is_first = np.arange(len(units.groups)) == 0
    return (units.groups >= 0) & ~(is_first & is_causal) | (special == "shown")


def _map(
    weights: np.ndarray,
    units: tuple[_Units, _Units],
    visible: tuple[np.ndarray, np.ndarray],
    special: Special,
    title: Message,
    measure: Measure,
    is_causal: bool,
) -> AttentionMap:
    """Map of the weights between the visible units; for causal attention, with what each query can attend to.

    Args:
        units, visible: Of queries and of keys.
    """
    weights = _group(weights, *units)[np.ix_(*visible)]
    queries, keys = (tuple(np.array(side.labels, object)[shown]) for side, shown in zip(units, visible, strict=True))
    rows, columns = map(np.flatnonzero, visible)
    return AttentionMap(
        queries,
        keys,
        _normalise_rows(weights) if special == "renormalised" else weights,
        units[0].groups[rows],
        units[1].groups[columns],
        title,
        special == "renormalised",
        measure=measure,
        reach=np.searchsorted(columns, rows, side="right") if is_causal else None,
    )


def _word(encoding: Encoding, first: int, span: np.ndarray) -> str:
    if encoding.special[first]:
        return encoding.tokens[first]
    return show_whitespace(encoding.texts[encoding.segments[first]][span[0] : span[1]])


def _normalise_rows(weights: np.ndarray) -> np.ndarray:
    """Rescale rows to sum to 1; rows of zeros stay."""
    total = weights.sum(1, keepdims=True)
    return np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)


def _title(what: str, layer: int | None, head: int | None, measure: Measure) -> Message:
    kinds = {(False, False): "head", (False, True): "layer", (True, False): "heads", (True, True): "everything"}
    where = Message(
        "analysis.of_" + kinds[layer is None, head is None],
        {"layer": None if layer is None else layer + 1, "head": None if head is None else head + 1},
    )
    title = Message(f"analysis.title_{what}", {"where": where})
    return Message("analysis.title_value_weighted", {"title": title}) if measure == "norms" else title
