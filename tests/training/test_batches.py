"""The batches of an epoch, and each process's part of them."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from viz_core.records import Examples
from viz_core.training.batches import epoch_rows, part_of, parts, steps


def examples(*lengths: int) -> Examples:
    return Examples(
        [np.arange(4, 4 + length, dtype=np.int32) for length in lengths],
        [np.zeros(length, np.int8) for length in lengths],
        np.arange(len(lengths)),
    )


@given(st.lists(st.integers(1, 30), min_size=1, max_size=300), st.integers(1, 40), st.integers(0, 3))
def test_every_row_comes_once_in_an_epoch_of_so_many_steps(lengths, batch, epoch):
    rows = epoch_rows(examples(*lengths), batch, 0, epoch)
    assert len(rows) == steps(len(lengths), batch)
    assert sorted(np.concatenate(rows).tolist()) == list(range(len(lengths)))


def test_epochs_differ_and_repeat():
    some = examples(*range(1, 60))

    def order(seed, epoch):
        return np.concatenate(epoch_rows(some, 8, seed, epoch)).tolist()

    assert order(5, 1) == order(5, 1) != order(5, 2)


@given(st.integers(1, 40), st.integers(1, 5))
def test_processes_share_a_batch_without_overlap(rows, processes):
    shares = [part_of(np.arange(rows), process, processes) for process in range(processes)]
    counted = np.concatenate([mine[counts > 0] for mine, counts in shares])
    assert sorted(counted.tolist()) == list(range(rows))
    assert all(len(mine) >= 1 for mine, _ in shares), "every process has something to do"


def test_parts_are_padded_to_their_own_longest_row():
    short, long = (
        next(iter(parts(examples(2, 5, 3), [np.array([0, 1, 2])], torch.device("cpu"), process, 2)))
        for process in (0, 1)
    )
    assert short.ids.tolist() == [[4, 5, 0], [4, 5, 6]] and short.mask.tolist() == [[True, True, False], [True] * 3]
    assert (short.labels.tolist(), short.counts.tolist()) == ([0, 2], [1, 1])
    assert long.ids.shape == (1, 5) and long.labels.tolist() == [1]


@pytest.mark.parametrize("process, counts", [(0, [1.0]), (1, [0.0])])
def test_a_process_without_a_row_gets_one_that_counts_nothing(process, counts):
    (batch,) = parts(examples(3), [np.array([0])], torch.device("cpu"), process, 2)
    assert (batch.ids.shape, batch.counts.tolist()) == ((1, 3), counts)
