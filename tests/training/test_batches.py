"""The batches of an epoch, and each process's share of them."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from viz_core.models.batch import padded_length
from viz_core.records import Examples
from viz_core.training.batches import Batch, DeviceExamples, epoch_rows, process_rows, steps

CPU = torch.device("cpu")


def examples(*lengths: int, targets: np.ndarray | None = None) -> Examples:
    return Examples(
        [np.arange(4, 4 + length, dtype=np.int32) for length in lengths],
        [(np.arange(length) > 1).astype(np.int8) for length in lengths],
        np.arange(len(lengths)),
        targets,
    )


def share(rows: Examples, batch: list[int], process: int = 0, processes: int = 1, **options) -> Batch:
    (result,) = DeviceExamples(rows, CPU, 512).batches([np.array(batch)], process, processes, **options)
    return result


@given(st.lists(st.integers(1, 30), min_size=1, max_size=300), st.integers(1, 40), st.integers(0, 3))
def test_every_row_occurs_once_in_an_epoch(lengths, batch, epoch):
    rows = epoch_rows(examples(*lengths), batch, 0, epoch)
    assert len(rows) == steps(len(lengths), batch)
    assert sorted(np.concatenate(rows).tolist()) == list(range(len(lengths)))


def test_epochs_differ_and_are_reproducible():
    rows = examples(*range(1, 60))

    def order(seed, epoch):
        return np.concatenate(epoch_rows(rows, 8, seed, epoch)).tolist()

    assert order(5, 1) == order(5, 1) != order(5, 2)


@given(st.integers(1, 40), st.integers(1, 5))
def test_processes_share_a_batch_without_overlap(rows, processes):
    shares = [process_rows(np.arange(rows), process, processes) for process in range(processes)]
    counted = np.concatenate([own[counts > 0] for own, counts in shares])
    assert sorted(counted.tolist()) == list(range(rows))
    assert all(len(own) >= 1 for own, _ in shares), "every process has a row"


def test_shares_are_padded_to_their_own_longest_row():
    short, long = (share(examples(2, 5, 3), [0, 1, 2], process, 2) for process in (0, 1))
    assert short.ids.tolist() == [[4, 5, 0], [4, 5, 6]] and short.mask.tolist() == [[True, True, False], [True] * 3]
    assert short.segments.tolist() == [[0, 0, 0], [0, 0, 1]]
    assert (short.labels.tolist(), short.counts.tolist()) == ([0, 2], [1, 1])
    assert long.ids.tolist() == [[4, 5, 6, 7, 8]] and long.labels.tolist() == [1]


@given(st.lists(st.integers(1, 9), min_size=1, max_size=20), st.integers(1, 7), st.integers(1, 3))
def test_batches_hold_the_ids_of_their_rows(lengths, batch, processes):
    corpus = examples(*lengths)
    order = epoch_rows(corpus, batch, 0, 0)
    for process in range(processes):
        batches = DeviceExamples(corpus, CPU, 512).batches(order, process, processes)
        for rows, gathered in zip(order, batches, strict=True):
            own, _ = process_rows(rows, process, processes)
            for row, ids, mask in zip(own, gathered.ids, gathered.mask, strict=True):
                assert ids[mask].tolist() == corpus.ids[row].tolist() and not ids[~mask].any()


@pytest.mark.parametrize("process, counts", [(0, [1.0]), (1, [0.0])])
def test_a_process_without_rows_gets_a_row_that_counts_nothing(process, counts):
    batch = share(examples(3), [0], process, 2)
    assert (batch.ids.shape, batch.counts.tolist()) == ((1, 3), counts)


def test_targets_stay_with_their_rows_in_32_bits():
    targets = np.array([[0.9987, 0.0013], [0.25, 0.75]], np.float32)
    batch = share(examples(2, 3, targets=targets), [1, 0])
    assert batch.targets.dtype == batch.counts.dtype == torch.float32
    assert np.array_equal(batch.targets.numpy(), targets[[1, 0]])


@pytest.mark.parametrize("rows, candidates", [([0, 1], [0, 4, 5, 6]), ([1], [4, 5, 6])])
def test_candidates_are_the_distinct_ids_of_the_batch(rows, candidates):
    assert share(examples(2, 3), rows, candidates=True).candidates.tolist() == candidates


@pytest.mark.parametrize(
    "device, longest, length",
    [("cpu", 33, 33), ("cuda", 33, 48), ("cuda", 48, 48), ("cuda", 505, 509), ("cuda", 1, 16)],
)
def test_on_a_gpu_the_length_is_a_multiple_of_16_within_the_positions(device, longest, length):
    assert padded_length(longest, torch.device(device), 509) == length
