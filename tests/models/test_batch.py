"""Padding, and the order in which rows become batches."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.tiny import encoder
from viz_core.models.batch import batched_logits, length_batches, pad, padded_length
from viz_core.models.protocol import on_weights

LENGTHS = st.lists(st.integers(1, 30), min_size=1, max_size=400).map(np.array)
BATCH = st.integers(1, 40)


def test_rows_are_padded_to_the_longest_and_masked():
    ids, segments, mask = pad([np.array([2, 9, 3]), np.array([2, 3])], [np.array([0, 0, 1]), np.array([0, 1])])
    assert ids.tolist() == [[2, 9, 3], [2, 3, 0]]
    assert segments.tolist() == [[0, 0, 1], [0, 1, 0]]
    assert mask.tolist() == [[True, True, True], [True, True, False]]


def test_rows_without_their_segments_are_an_error():
    with pytest.raises(ValueError, match="shorter"):
        pad([np.array([2, 3]), np.array([2, 3])], [np.array([0, 0])])


@pytest.mark.parametrize(
    ("device", "longest", "expected"), [("cpu", 17, 17), ("cuda", 17, 32), ("cuda", 32, 32), ("cuda", 33, 40)]
)
def test_batches_on_a_gpu_have_a_multiple_of_16_tokens_within_the_40_of_the_model(device, longest, expected):
    assert padded_length(longest, torch.device(device), max_tokens=40) == expected


@given(LENGTHS, BATCH, st.none() | st.integers(0, 10))
def test_every_row_is_in_exactly_one_batch(lengths, batch, seed):
    batches = list(length_batches(lengths, batch, seed))
    assert sorted(np.concatenate(batches).tolist()) == list(range(len(lengths)))
    assert all(0 < len(rows) <= batch for rows in batches)


@given(LENGTHS, BATCH)
def test_evaluation_goes_from_short_to_long(lengths, batch):
    ranked = lengths[np.concatenate(list(length_batches(lengths, batch)))]
    assert (np.diff(ranked) >= 0).all()


def test_rows_of_equal_length_stay_in_their_order():
    lengths = np.arange(1000) % 2
    order = np.concatenate(list(length_batches(lengths, 64)))
    assert order.tolist() == [*range(0, 1000, 2), *range(1, 1000, 2)]


def test_the_order_depends_on_the_seed_alone():
    lengths = np.arange(100) % 7 + 1

    def order(seed):
        return np.concatenate(list(length_batches(lengths, 8, seed))).tolist()

    assert order(1) == order(1) != order(2)


def test_shuffled_batches_hold_rows_of_similar_length():
    lengths = np.random.default_rng(0).integers(1, 500, 5_000)
    padded = sum(len(rows) * lengths[rows].max() for rows in length_batches(lengths, 32, seed=0))
    assert padded < 1.15 * lengths.sum()


class TestLogits:
    ROWS = [np.array([2, *range(4, 4 + count), 3]) for count in (7, 1, 4, 2, 9)]
    SEGMENTS = [np.arange(len(row)) // 3 % 2 for row in ROWS]

    def test_are_those_of_single_rows_in_their_order_without_dropout(self):
        model, steps = encoder(dropout=0.5, classes=3).train(), []
        logits = batched_logits(model, self.ROWS, self.SEGMENTS, batch=2, progress=lambda *step: steps.append(step))
        assert model.training and logits.dtype == np.float32 and steps == [(2, 5), (4, 5), (5, 5)]
        with torch.no_grad():
            single = [
                model.eval()(*pad([row], [part])).logits[0] for row, part in zip(self.ROWS, self.SEGMENTS, strict=True)
            ]
        np.testing.assert_allclose(logits, torch.stack(single), atol=1e-5)

    def test_a_hook_changes_them(self):
        model = encoder()
        plain = batched_logits(model, self.ROWS, self.SEGMENTS)
        hook = on_weights(lambda layer, weights: weights * 0)
        assert not np.allclose(batched_logits(model, self.ROWS, self.SEGMENTS, hook=hook), plain)
        np.testing.assert_allclose(batched_logits(model, self.ROWS, self.SEGMENTS), plain)

    def test_of_no_rows_are_empty(self):
        assert batched_logits(encoder(classes=3), [], []).shape == (0, 3)

    def test_the_mode_of_the_model_is_restored_when_progress_ends_the_computation(self):
        def stop(done, total):
            raise InterruptedError

        model = encoder().train()
        with pytest.raises(InterruptedError):
            batched_logits(model, self.ROWS, self.SEGMENTS, progress=stop)
        assert model.training
