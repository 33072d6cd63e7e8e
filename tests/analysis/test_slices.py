import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz_core.analysis.slices import length_slices, negation_slices, negations, overlap, overlap_slices, overlaps
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
    """Two pairs with a third in common, one right; one with everything in common, wrong, whose label is the majority's."""
    found = overlap_slices(
        ["花呗", "花呗", "花呗"],
        ["借呗", "借呗", "花呗"],
        np.array([True, False, False]),
        np.array([False, True, True]),
    )
    assert [(one.kind, one.begin, one.end, one.n, one.accuracy, one.baseline) for one in found] == [
        ("overlap", 0.3, 0.4, 2, 0.5, 0.5),
        ("overlap", 0.6, 1.0, 1, 0.0, 1.0),
    ]
    assert (found[0].low, found[0].high) == wilson(1, 2)


def test_negations_have_an_open_end():
    texts = ["good", "not good", "no no", "no " * 7]
    found = negation_slices(texts, np.ones(4, bool), np.zeros(4, bool))
    assert [(one.begin, one.end, one.n) for one in found] == [(0, 0, 1), (1, 2, 2), (6, None, 1)]


@given(st.lists(st.integers(3, 40), min_size=1, max_size=80), st.randoms())
def test_lengths_fall_into_at_most_five_parts_that_cover_them_all(lengths, random):
    lengths = np.array(lengths)
    right = np.array([random.random() < 0.5 for _ in lengths])
    found = length_slices(lengths, right, ~right)
    assert 1 <= len(found) <= 5 and sum(one.n for one in found) == len(lengths)
    assert (found[0].begin, found[-1].end) == (lengths.min(), lengths.max())
    assert all(one.end + 1 == other.begin for one, other in zip(found, found[1:], strict=False))
    assert sum(one.accuracy * one.n for one in found) == pytest.approx(right.sum())
    assert all(one.accuracy + one.baseline == pytest.approx(1) for one in found)


def test_overlaps_of_pairs_are_of_distinct_characters():
    pairs = [("花呗", "花呗"), ("花呗", "借呗"), ("花", "呗")]
    np.testing.assert_allclose(overlaps(pairs), [1, 1 / 3, 0])
