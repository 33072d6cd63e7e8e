"""Accuracy on slices of the data: by length, by character overlap of pairs, by number of negations."""

import re
from collections.abc import Sequence

import numpy as np

from viz_core.records import Slice
from viz_core.statistics.intervals import wilson

LENGTH_PARTS = 5  # slices of about equal size
OVERLAPS = (0.0, 0.3, 0.4, 0.5, 0.6)  # lower ends; the last slice ends at 1
NEGATIONS = (0, 1, 3, 6)  # none, 1 or 2, 3 to 5, 6 or more
_NEGATION = re.compile(
    r"\b(?:no|not|nor|never|none|nobody|nothing|nowhere|neither|cannot|without|hardly|barely)\b|n['’]t\b", re.IGNORECASE
)


def length_slices(lengths: np.ndarray, correct: np.ndarray, majority: np.ndarray) -> tuple[Slice, ...]:
    """Slices by number of tokens `(N,)`, special tokens included, at the quintiles.

    Args:
        correct, majority: `(N,)` bool, whether the model's prediction and the majority-class
            baseline are correct.
    """
    starts = np.unique(np.quantile(lengths, np.arange(LENGTH_PARTS) / LENGTH_PARTS, method="lower"))
    ends = [*(starts[1:] - 1), lengths.max()]
    return _slices("length", lengths, starts, ends, correct, majority)


def overlap_slices(
    texts: Sequence[str], texts_b: Sequence[str], correct: np.ndarray, majority: np.ndarray
) -> tuple[Slice, ...]:
    """Slices by character overlap of the two texts of a pair (`overlap`).

    Args:
        correct, majority: `(N,)` bool.
    """
    return _slices(
        "overlap", overlaps(list(zip(texts, texts_b, strict=True))), OVERLAPS, [*OVERLAPS[1:], 1.0], correct, majority
    )


def negation_slices(texts: Sequence[str], correct: np.ndarray, majority: np.ndarray) -> tuple[Slice, ...]:
    """Slices by number of negating words in an English text (`negations`).

    Args:
        correct, majority: `(N,)` bool.
    """
    counts = np.array([negations(text) for text in texts])
    return _slices("negation", counts, NEGATIONS, [*(start - 1 for start in NEGATIONS[1:]), None], correct, majority)


def overlap(a: str, b: str) -> float:
    """Jaccard similarity of the sets of characters of two texts, ignoring white space and case."""
    first, second = (set("".join(text.lower().split())) for text in (a, b))
    return len(first & second) / max(len(first | second), 1)


def overlaps(texts: Sequence[tuple[str, ...]]) -> np.ndarray:
    """Overlap of the two texts of each pair, `(N,)`."""
    return np.array([overlap(*pair) for pair in texts], float)


def negations(text: str) -> int:
    """Number of negating words in an English text: not, no, never …, and every word ending in n't."""
    return len(_NEGATION.findall(text))


def _slices(
    kind: str,
    values: np.ndarray,
    starts: Sequence | np.ndarray,
    ends: Sequence,
    correct: np.ndarray,
    majority: np.ndarray,
) -> tuple[Slice, ...]:
    """Slices of values `(N,)` with these inclusive starts and ends; empty ones are left out."""
    part, slices = np.searchsorted(starts, values, side="right") - 1, []
    for number, (begin, end) in enumerate(zip(starts, ends, strict=True)):
        rows = part == number
        if n := int(rows.sum()):
            low, high = wilson(int(correct[rows].sum()), n)
            slices.append(
                Slice(
                    kind,
                    float(begin),
                    None if end is None else float(end),
                    n,
                    float(correct[rows].mean()),
                    low,
                    high,
                    float(majority[rows].mean()),
                )
            )
    return tuple(slices)
