"""Rows are split so that no text and no group is in two splits, and each class is in each."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from viz_core.datasets.own import SPLITS, split_rows


def test_of_few_rows_three_in_twenty_are_held_out_twice():
    labels = ["a", "b"] * 50
    splits = split_rows(labels, range(100))
    assert Counter(splits) == {"train": 68, "validation": 16, "test": 16}, "eight of each class, twice"
    for split in SPLITS:
        counts = Counter(label for label, name in zip(labels, splits, strict=True) if name == split)
        assert abs(counts["a"] - counts["b"]) <= 1


def test_of_many_rows_a_tenth():
    splits = split_rows(["a", "b"] * 5_000, range(10_000))
    assert Counter(splits) == {"train": 8_000, "validation": 1_000, "test": 1_000}


@given(
    rows=st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 8), st.integers(0, 4)), min_size=1, max_size=60),
    has_groups=st.booleans(),
    seed=st.integers(0, 5),
)
def test_no_text_and_no_group_is_in_two_splits(rows, has_groups, seed):
    labels, keys, groups = zip(*rows, strict=True)
    splits = split_rows(labels, keys, groups=groups if has_groups else None, seed=seed)
    assert set(splits) <= set(SPLITS)
    for same in (keys, *([groups] if has_groups else [])):
        for value in set(same):
            assert len({split for split, other in zip(splits, same, strict=True) if other == value}) == 1
    assert "train" in splits


def test_the_same_seed_gives_the_same_split():
    labels, keys = ["a", "b"] * 40, list(range(80))
    first, again, other = (split_rows(labels, keys, seed=seed) for seed in (1, 1, 2))
    assert (first == again).all() and (first != other).any()


def test_given_splits_are_kept_and_missing_ones_are_taken_from_train():
    labels = ["a", "b"] * 20
    given_splits = ["test" if row < 10 else "train" for row in range(40)]
    splits = split_rows(labels, range(40), given_splits)
    assert set(np.flatnonzero(splits == "test")) == set(range(10))
    assert 4 <= (splits == "validation").sum() <= 6 and (splits == "").sum() == 0


def test_what_repeats_a_text_of_a_later_split_is_left_out():
    labels = ["a", "b", "a", "b", "a", "b"]
    splits = split_rows(labels, [1, 2, 3, 3, 1, 2], ["train", "train", "validation", "train", "test", "validation"])
    assert list(splits) == ["", "", "validation", "", "test", "validation"]
