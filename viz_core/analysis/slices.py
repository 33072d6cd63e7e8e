"""On which inputs is a model right: short or long ones, pairs with many characters in common, reviews with negations?"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from viz_core.records import Slice
from viz_core.statistics.intervals import wilson

LENGTH_PARTS = 5  # with about as many inputs each
OVERLAPS = (0.0, 0.3, 0.4, 0.5, 0.6)  # each part reaches to the next, the last one to 1
NEGATIONS = (0, 1, 3, 6)  # none, 1 or 2, 3 to 5, 6 or more
_NEGATION = re.compile(
    r"\b(?:no|not|nor|never|none|nobody|nothing|nowhere|neither|cannot|without|hardly|barely)\b|n['’]t\b", re.IGNORECASE
)


def length_slices(lengths: np.ndarray, right: np.ndarray, majority: np.ndarray) -> tuple[Slice, ...]:
    """By tokens `(N,)`, special ones included, in fifths. right, majority: `(N,)` bool, whether the model's answer, and
    always the most frequent one, is true."""
    starts = np.unique(np.quantile(lengths, np.arange(LENGTH_PARTS) / LENGTH_PARTS, method="lower"))
    ends = [*(starts[1:] - 1), lengths.max()]
    return _slices("length", lengths, starts, ends, right, majority)


def overlap_slices(
    texts: Sequence[str], texts_b: Sequence[str], right: np.ndarray, majority: np.ndarray
) -> tuple[Slice, ...]:
    """By the share of distinct characters that both texts of a pair have (`overlap`)."""
    return _slices(
        "overlap", overlaps(list(zip(texts, texts_b, strict=True))), OVERLAPS, [*OVERLAPS[1:], 1.0], right, majority
    )


def negation_slices(texts: Sequence[str], right: np.ndarray, majority: np.ndarray) -> tuple[Slice, ...]:
    """By the number of negating words of an English text (`negations`)."""
    counts = np.array([negations(text) for text in texts])
    return _slices("negation", counts, NEGATIONS, [*(start - 1 for start in NEGATIONS[1:]), None], right, majority)


def overlap(a: str, b: str) -> float:
    """Distinct characters that both texts have, as a share of those that either has; white space and case apart."""
    first, second = (set("".join(text.lower().split())) for text in (a, b))
    return len(first & second) / max(len(first | second), 1)


def overlaps(texts: Sequence[tuple[str, ...]]) -> np.ndarray:
    """Share of characters that the two texts of each pair have in common, `(N,)`."""
    return np.array([overlap(*pair) for pair in texts], float)


def negations(text: str) -> int:
    """How many words of an English text negate: not, no, never …, and whatever ends in n't."""
    return len(_NEGATION.findall(text))


def _slices(
    kind: str, values: np.ndarray, starts: Sequence, ends: Sequence, right: np.ndarray, majority: np.ndarray
) -> tuple[Slice, ...]:
    part, found = np.searchsorted(starts, values, side="right") - 1, []
    for number, (begin, end) in enumerate(zip(starts, ends, strict=True)):
        rows = part == number
        if n := int(rows.sum()):
            low, high = wilson(int(right[rows].sum()), n)
            found.append(
                Slice(
                    kind,
                    float(begin),
                    None if end is None else float(end),
                    n,
                    float(right[rows].mean()),
                    low,
                    high,
                    float(majority[rows].mean()),
                )
            )
    return tuple(found)
