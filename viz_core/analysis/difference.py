"""Comparison of two similar inputs: which tokens changed, and how attention between the aligned ones changed."""

from collections import defaultdict
from collections.abc import Hashable, Sequence

import numpy as np

from viz_core.records import AttentionMap, Comparison, Encoding, Explanation, Message

_ATTENTION = "analysis.title_difference"


def compare(before: Explanation, after: Explanation) -> Comparison:
    """Align the tokens of two inputs of one model: a longest common subsequence, then equal tokens that moved.

    The subsequence matches only within a sentence of a pair, the moved tokens anywhere. Tokens are
    equal if they are spelled alike, ignoring case. Tokens that replace as many others are aligned
    by position; they still count as changed.

    Raises:
        ValueError: For inputs of different models.
    """
    if (before.model, before.task, before.attention.shape[:2]) != (after.model, after.task, after.attention.shape[:2]):
        raise ValueError(f"{before.task}/{before.model} against {after.task}/{after.model}: they must be of one model")
    pairs, moved, replaced = align(before.encoding, after.encoding)
    changed = [np.ones(len(explanation.encoding.tokens), bool) for explanation in (before, after)]
    for flags, positions in zip(changed, pairs[~replaced].T, strict=True):
        flags[positions] = False
    return Comparison(before, after, pairs, moved, replaced, *changed)


def align(before: Encoding, after: Encoding) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Match the tokens that both inputs have, and those that replace others.

    Returns their positions `(K, 2)`, sorted by position after; which of them moved, and which
    replace others, `(K,)` bool. The browser does the same:
    `source/explorer/comparison/alignment.js`.
    """
    old, new = _names(before), _names(after)
    in_place = common_subsequence(
        list(zip(before.segments.tolist(), old, strict=True)), list(zip(after.segments.tolist(), new, strict=True))
    )
    elsewhere = _equal_rest(old, new, in_place)
    replaced = _replaced(before.groups, after.groups, in_place, elsewhere)
    pairs = sorted([*in_place, *elsewhere, *replaced], key=lambda pair: pair[1])
    moved, put_in = (np.array([pair in some for pair in pairs], bool) for some in (elsewhere, replaced))
    return np.array(pairs, int).reshape(-1, 2), moved, put_in


def common_subsequence(before: Sequence[Hashable], after: Sequence[Hashable]) -> list[tuple[int, int]]:
    """A longest common subsequence as pairs of positions, increasing.

    Dynamic programming (Wagner and Fischer 1974), after the common start and end are cut off.
    """
    least = min(len(before), len(after))
    start = next((step for step in range(least) if before[step] != after[step]), least)
    end = next((step for step in range(least - start) if before[-1 - step] != after[-1 - step]), least - start)
    rows, columns = len(before) - end, len(after) - end
    longest = [[0] * (columns + 1) for _ in range(rows + 1)]  # of before[row:rows] and after[column:columns]
    for row in reversed(range(start, rows)):
        for column in reversed(range(start, columns)):
            longest[row][column] = (
                longest[row + 1][column + 1] + 1
                if before[row] == after[column]
                else max(longest[row + 1][column], longest[row][column + 1])
            )
    pairs = [(step, step) for step in range(start)]
    row = column = start
    while row < rows and column < columns:
        if before[row] == after[column]:
            pairs.append((row, column))
            row, column = row + 1, column + 1
        elif longest[row + 1][column] >= longest[row][column + 1]:
            row += 1
        else:
            column += 1
    return pairs + [(rows + step, columns + step) for step in range(end)]


def attention_difference(comparison: Comparison, layer: int, head: int) -> AttentionMap | None:
    """Attention after minus before, `(K, K)` over the K aligned tokens; None if there are none.

    A token that replaces another is named by both. The sum of a row is the weight that moved to or
    from the tokens that are not aligned.
    """
    if not len(comparison.pairs):
        return None
    old, new = comparison.pairs.T
    before, encoding = comparison.before.encoding, comparison.after.encoding
    weights = (
        comparison.after.attention[layer, head][np.ix_(new, new)]
        - comparison.before.attention[layer, head][np.ix_(old, old)]
    )
    labels = tuple(
        f"{before.label(position)}→{encoding.label(by)}" if is_replaced else encoding.label(by)
        for (position, by), is_replaced in zip(comparison.pairs, comparison.replaced, strict=True)
    )
    groups = encoding.groups[new]
    where = Message("analysis.of_head", {"layer": layer + 1, "head": head + 1})
    title = Message(_ATTENTION, {"where": where})
    return AttentionMap(labels, labels, weights, groups, groups, title, signed=True)


def most_changed_head(comparison: Comparison) -> tuple[int, int]:
    """Layer and head, from 0, whose attention between the aligned tokens changed most."""
    change = mean_absolute_difference(comparison)
    if not len(comparison.pairs):
        return len(change) - 1, 0
    layer, head = np.unravel_index(change.argmax(), change.shape)
    return int(layer), int(head)


def mean_absolute_difference(comparison: Comparison) -> np.ndarray:
    """Mean |after minus before| of each head over the cells of the aligned tokens, `(L, H)`; 0 if there are none."""
    layers, heads = comparison.before.attention.shape[:2]
    if not len(comparison.pairs):
        return np.zeros((layers, heads))
    old, new = comparison.pairs.T
    both = zip(comparison.after.attention, comparison.before.attention, strict=True)
    return np.array(
        [np.abs(after[:, new[:, None], new] - before[:, old[:, None], old]).mean((1, 2)) for after, before in both]
    )


def _names(encoding: Encoding) -> list[tuple[bool, str]]:
    """Text by which tokens are compared, in lower case.

    Special tokens differ from the same characters typed as text.
    """
    return [(bool(special), encoding.label(index).lower()) for index, special in enumerate(encoding.special)]


def _equal_rest(
    before: Sequence[Hashable], after: Sequence[Hashable], pairs: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Pairs of equal items that are not in `pairs`, each matched once, in order."""
    used_before, used_after = ({pair[side] for pair in pairs} for side in (0, 1))
    waiting = defaultdict(list)
    for position, name in enumerate(before):
        if position not in used_before:
            waiting[name].append(position)
    return [
        (waiting[name].pop(0), position)
        for position, name in enumerate(after)
        if position not in used_after and waiting[name]
    ]


def _replaced(
    before: np.ndarray, after: np.ndarray, in_place: Sequence[tuple[int, int]], elsewhere: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Pairs by position of the tokens that replace others: runs of one length between tokens in place.

    Runs of different lengths stay without partners, because it is unknown which token stands for
    which, and so do runs with a token that moved. before, after: `(T,)` segment, -1 for special
    tokens, which replace nothing.
    """
    moved_before, moved_after = ({pair[side] for pair in elsewhere} for side in (0, 1))
    pairs, row, column = [], 0, 0
    for end_row, end_column in [*in_place, (len(before), len(after))]:
        run = [(row + step, column + step) for step in range(end_column - column)]
        if end_row - row == len(run) and all(
            old not in moved_before and new not in moved_after and before[old] == after[new] >= 0 for old, new in run
        ):
            pairs += run
        row, column = end_row + 1, end_column + 1
    return pairs
