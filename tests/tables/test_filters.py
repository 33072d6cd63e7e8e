import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiny import config
from viz_core.checkpoints import Settings
from viz_core.tables.filters import Filter, answered, chosen, drawn, overlaps

SETTINGS = Settings("afqmc", config(), threshold=0.4)
TEXTS = [("花呗", "花呗"), ("花呗", "借呗"), ("花", "呗"), ("还", "款"), ("借", "借")]
LENGTHS, SHARED = np.array([7, 7, 5, 5, 5]), np.array([1, 1 / 3, 0, 0, 1])


@pytest.fixture
def rows():
    """Answers 1 0 1 0 1 with confidence .9 .8 .4 .7 .8; right are the first, the second and the last."""
    return answered(np.array([0.9, 0.2, 0.4, 0.3, 0.8]), np.arange(1, 6), TEXTS, np.array([1, 0, 0, 1, 1]),
                    ("different", "same"), SETTINGS)


def test_answers_follow_the_threshold_and_confidence_the_answer(rows):
    assert rows.answers.tolist() == [1, 0, 1, 0, 1] and rows.right == 3
    np.testing.assert_allclose(rows.confidence, [0.9, 0.8, 0.4, 0.7, 0.8])


@pytest.mark.parametrize("wanted, places", [
    (Filter(), [0, 1, 4, 3, 2]), (Filter("right"), [0, 1, 4]), (Filter("wrong"), [3, 2]),
    (Filter("wrong", confidence=(0.5, 1)), [3]), (Filter(length=(7, 7)), [0, 1]), (Filter(overlap=(0.3, 0.5)), [1]),
    (Filter(label=0), [1, 2]), (Filter("wrong", label=1, length=(5, 6)), [3]), (Filter(confidence=(0.95, 1)), [])])
def test_filters_and_order(rows, wanted, places):
    assert chosen(rows, wanted, LENGTHS, SHARED).tolist() == places
    picked = rows.at(chosen(rows, wanted, LENGTHS, SHARED))
    assert picked.numbers.tolist() == [place + 1 for place in places]
    assert [picked.texts[number] for number in range(len(picked))] == [TEXTS[place] for place in places]


def test_overlap_is_of_distinct_characters():
    np.testing.assert_allclose(overlaps(TEXTS), SHARED)


@given(st.integers(0, 200), st.integers(0, 60), st.integers(0, 10**6))
def test_a_draw_is_of_different_rows_and_the_same_for_its_seed(count, most, seed):
    places = drawn(count, most, seed)
    assert len(places) == len(set(places)) == min(count, most) and set(places) <= set(range(count))
    assert places.tolist() == drawn(count, most, seed).tolist()


def test_another_seed_is_another_draw():
    assert drawn(500, 50, 0).tolist() != drawn(500, 50, 1).tolist()
