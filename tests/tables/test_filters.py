"""Sampling and filtering of predicted rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz_core.records import PredictedRows
from viz_core.tables.filters import Filter, filter_rows, sample

TEXTS = [("花呗", "花呗"), ("花呗", "借呗"), ("花", "呗"), ("还", "款"), ("借", "借")]
LENGTHS, SHARED = np.array([7, 7, 5, 5, 5]), np.array([1, 1 / 3, 0, 0, 1])


@pytest.fixture
def rows():
    """Predictions 1 0 1 0 1 with confidence .9 .8 .4 .7 .8; the first, the second and the last are correct."""
    return PredictedRows(
        np.arange(1, 6),
        tuple(TEXTS),
        ("different", "same"),
        np.array([1, 0, 0, 1, 1]),
        np.array([1, 0, 1, 0, 1]),
        np.array([0.9, 0.8, 0.4, 0.7, 0.8]),
    )


@pytest.mark.parametrize(
    "conditions, indices",
    [
        (Filter(), [0, 1, 4, 3, 2]),
        (Filter("right"), [0, 1, 4]),
        (Filter("wrong"), [3, 2]),
        (Filter("wrong", confidence=(0.5, 1)), [3]),
        (Filter(length=(7, 7)), [0, 1]),
        (Filter(overlap=(0.3, 0.5)), [1]),
        (Filter(label=0), [1, 2]),
        (Filter("wrong", label=1, length=(5, 6)), [3]),
        (Filter(confidence=(0.95, 1)), []),
    ],
)
def test_filters_and_order(rows, conditions, indices):
    assert filter_rows(rows, conditions, LENGTHS, SHARED).tolist() == indices
    selected = rows.at(filter_rows(rows, conditions, LENGTHS, SHARED))
    assert selected.numbers.tolist() == [index + 1 for index in indices]
    assert [selected.texts[number] for number in range(len(selected))] == [TEXTS[index] for index in indices]


@given(st.integers(0, 200), st.integers(0, 60), st.integers(0, 10**6))
def test_a_sample_is_without_replacement_and_reproducible(count, most, seed):
    indices = sample(count, most, seed)
    assert len(indices) == len(set(indices)) == min(count, most) and set(indices) <= set(range(count))
    assert indices.tolist() == sample(count, most, seed).tolist()


def test_another_seed_gives_another_sample():
    assert sample(500, 50, 0).tolist() != sample(500, 50, 1).tolist()
