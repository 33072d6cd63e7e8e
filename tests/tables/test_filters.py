import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz_core.records import PredictedRows
from viz_core.tables.filters import Filter, matching, sample

TEXTS = [("花呗", "花呗"), ("花呗", "借呗"), ("花", "呗"), ("还", "款"), ("借", "借")]
LENGTHS, SHARED = np.array([7, 7, 5, 5, 5]), np.array([1, 1 / 3, 0, 0, 1])


@pytest.fixture
def rows():
    """Answers 1 0 1 0 1 with confidence .9 .8 .4 .7 .8; right are the first, the second and the last."""
    return PredictedRows(
        np.arange(1, 6),
        tuple(TEXTS),
        ("different", "same"),
        np.array([1, 0, 0, 1, 1]),
        np.array([1, 0, 1, 0, 1]),
        np.array([0.9, 0.8, 0.4, 0.7, 0.8]),
    )


@pytest.mark.parametrize(
    "wanted, places",
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
def test_filters_and_order(rows, wanted, places):
    assert matching(rows, wanted, LENGTHS, SHARED).tolist() == places
    picked = rows.at(matching(rows, wanted, LENGTHS, SHARED))
    assert picked.numbers.tolist() == [place + 1 for place in places]
    assert [picked.texts[number] for number in range(len(picked))] == [TEXTS[place] for place in places]


@given(st.integers(0, 200), st.integers(0, 60), st.integers(0, 10**6))
def test_a_draw_is_of_different_rows_and_the_same_for_its_seed(count, most, seed):
    places = sample(count, most, seed)
    assert len(places) == len(set(places)) == min(count, most) and set(places) <= set(range(count))
    assert places.tolist() == sample(count, most, seed).tolist()


def test_another_seed_is_another_draw():
    assert sample(500, 50, 0).tolist() != sample(500, 50, 1).tolist()
