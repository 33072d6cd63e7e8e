"""Padding, and the order in which rows become batches."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from viz_core.models.batch import length_batches, pad

LENGTHS = st.lists(st.integers(1, 30), min_size=1, max_size=400).map(np.array)
BATCH = st.integers(1, 40)


def test_rows_are_padded_to_the_longest_and_masked():
    ids, segments, mask = pad([np.array([2, 9, 3]), np.array([2, 3])], [np.array([0, 0, 1]), np.array([0, 1])])
    assert ids.tolist() == [[2, 9, 3], [2, 3, 0]]
    assert segments.tolist() == [[0, 0, 1], [0, 1, 0]]
    assert mask.tolist() == [[True, True, True], [True, True, False]]


@given(LENGTHS, BATCH, st.none() | st.integers(0, 10))
def test_every_row_is_in_exactly_one_batch(lengths, batch, seed):
    batches = list(length_batches(lengths, batch, seed))
    assert sorted(np.concatenate(batches).tolist()) == list(range(len(lengths)))
    assert all(0 < len(rows) <= batch for rows in batches)


@given(LENGTHS, BATCH)
def test_evaluation_goes_from_short_to_long(lengths, batch):
    ranked = lengths[np.concatenate(list(length_batches(lengths, batch)))]
    assert (np.diff(ranked) >= 0).all()


def test_the_order_depends_on_the_seed_alone():
    lengths = np.arange(100) % 7 + 1

    def order(seed):
        return np.concatenate(list(length_batches(lengths, 8, seed))).tolist()

    assert order(1) == order(1) != order(2)


def test_shuffled_batches_hold_rows_of_similar_length():
    lengths = np.random.default_rng(0).integers(1, 500, 5_000)
    padded = sum(len(rows) * lengths[rows].max() for rows in length_batches(lengths, 32, seed=0))
    assert padded < 1.15 * lengths.sum()
