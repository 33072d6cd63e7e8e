import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz_core.analysis.evaluation.slices import (
    length_slices,
    negation_slices,
    negations,
    overlap,
    overlap_slices,
    overlaps,
)
from viz_core.statistics.intervals import wilson


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("A good film.", 0),
        ("It is not good.", 1),
        ("I didn't like it, nor did she.", 2),
        ("I can’t and I won't", 2),
        ("Nobody knows nothing", 2),
        ("a notable, nottingham knot", 0),
        ("NEVER!", 1),
        ("", 0),
    ],
)
def test_negating_words(text, count):
    assert negations(text) == count


@pytest.mark.parametrize(
    ("a", "b", "share"),
    [
        ("花呗", "花呗", 1),
        ("花呗", "借条", 0),
        ("花呗", "借呗", 1 / 3),
        ("花花呗", "呗花", 1),
        ("App 花", "app花", 1),
        ("", "", 0),
    ],
)
def test_overlap_of_characters(a, b, share):
    assert overlap(a, b) == pytest.approx(share) == overlap(b, a)


def test_slices_by_hand():
    """Two pairs with an overlap of 1/3, one predicted correctly; one identical pair, wrong, with the majority label."""
    slices = overlap_slices(
        ["花呗", "花呗", "花呗"],
        ["借呗", "借呗", "花呗"],
        np.array([True, False, False]),
        np.array([False, True, True]),
    )
    assert [(part.kind, part.begin, part.end, part.n, part.accuracy, part.baseline) for part in slices] == [
        ("overlap", 0.3, 0.4, 2, 0.5, 0.5),
        ("overlap", 0.6, 1.0, 1, 0.0, 1.0),
    ]
    assert (slices[0].low, slices[0].high) == wilson(1, 2)


def test_the_last_negation_slice_is_open_ended():
    texts = ["good", "not good", "no no", "no " * 7]
    slices = negation_slices(texts, np.ones(4, bool), np.zeros(4, bool))
    assert [(part.begin, part.end, part.n) for part in slices] == [(0, 0, 1), (1, 2, 2), (6, None, 1)]


@given(st.lists(st.integers(3, 40), min_size=1, max_size=80), st.randoms())
def test_length_slices_cover_all_lengths(lengths, random):
    lengths = np.array(lengths)
    correct = np.array([random.random() < 0.5 for _ in lengths])
    slices = length_slices(lengths, correct, ~correct)
    assert 1 <= len(slices) <= 5 and sum(part.n for part in slices) == len(lengths)
    assert (slices[0].begin, slices[-1].end) == (lengths.min(), lengths.max())
    assert all(part.end + 1 == following.begin for part, following in zip(slices, slices[1:], strict=False))
    assert sum(part.accuracy * part.n for part in slices) == pytest.approx(correct.sum())
    assert all(part.accuracy + part.baseline == pytest.approx(1) for part in slices)


def test_overlaps_of_pairs_are_of_distinct_characters():
    pairs = [("花呗", "花呗"), ("花呗", "借呗"), ("花", "呗")]
    np.testing.assert_allclose(overlaps(pairs), [1, 1 / 3, 0])
