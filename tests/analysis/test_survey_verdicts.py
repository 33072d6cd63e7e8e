"""What is said to stand out in made-up surveys, and the groups of similar heads."""

import numpy as np
import pytest

from tests.analysis.fake_survey import survey
from tests.rendering.test_importance import importance
from viz_core.analysis.heads.groups import head_groups
from viz_core.analysis.verdicts.survey import NAMED, head_name, standouts
from viz_core.language import has_sentence


def only(shape, value: float, *heads, other: float = 0.05) -> np.ndarray:
    array = np.full(shape, other)
    for head in heads:
        array[head] = value
    return array


def test_nothing_stands_out_among_heads_like_a_uniform_one():
    assert standouts(survey()) == ()


def test_a_head_stands_out_by_its_number_interval_and_control():
    (found,) = standouts(survey(previous=only((2, 2), 0.9, (1, 0))))
    assert (found.criterion, found.heads) == ("previous", ((1, 0),))
    values = found.message.values
    (head,) = values["heads"]
    assert head.values == {"head": "2.1", "mean": 0.9, "low": pytest.approx(0.89), "high": pytest.approx(0.91)}
    assert values["uniform"] == 0.05 and "shuffled" not in values and has_sentence(found.message)


@pytest.mark.parametrize("mean, stands", [(0.445, True), (0.435, False)])
def test_the_lower_end_of_the_interval_decides(mean, stands):
    """0.4 of the way from 0.05 to 1 is 0.43; the interval reaches 0.01 down."""
    assert bool(standouts(survey(previous=only((2, 2), mean, (0, 0))))) == stands


@pytest.mark.parametrize("mean, stands", [(0.475, True), (0.465, False)])
def test_shuffled_tokens_are_the_control_where_they_are_the_larger_one(mean, stands):
    """0.4 of the way from 0.1 to 1 is 0.46."""
    found = standouts(survey(same=only((2, 2), mean, (0, 1))))
    assert bool(found) == stands
    if stands:
        assert found[0].message.values["shuffled"] == pytest.approx(0.1) and has_sentence(found[0].message)


def test_heads_are_named_from_the_most_pronounced_one_and_the_rest_counted():
    means = np.linspace(0.6, 0.95, 8).reshape(2, 4)
    (found,) = standouts(survey(2, 4, previous=means))
    assert found.heads[0] == (1, 3) and len(found.heads) == 8
    named = found.message.values["heads"]
    assert [message.values.get("head") for message in named[:NAMED]] == ["2.4", "2.3", "2.2", "2.1"]
    assert named[NAMED].values == {"count": 4}


def test_a_head_that_spreads_its_weight_evenly():
    (found,) = standouts(survey(entropy=only((2, 2), 0.97, (0, 1), other=0.5)))
    assert (found.criterion, found.heads) == ("even", ((0, 1),)) and has_sentence(found.message)


def test_a_head_without_which_the_loss_stays_the_same():
    intervals = np.array([[[-0.001, 0.002], [0.01, 0.03]], [[-0.02, -0.01], [0.001, 0.004]]])
    changes = intervals.mean(-1)
    measured = importance(2, 2, loss_change=changes, loss_interval=intervals)
    (found,) = standouts(survey(), measured)
    assert (found.criterion, found.heads) == ("idle", ((0, 0),))
    assert found.message.values["largest"] == pytest.approx(0.002) and has_sentence(found.message)


def test_one_head_can_be_asked_for_alone():
    both = survey(previous=only((2, 2), 0.9, (1, 0), (0, 1)))
    (found,) = standouts(both, only=(0, 1))
    assert found.heads == ((0, 1),) and standouts(both, only=(0, 0)) == ()


class TestGroups:
    DIVERGENCE = np.array([[0, 0.01, 0.5, 0.5], [0.01, 0, 0.5, 0.5], [0.5, 0.5, 0, 0.04], [0.5, 0.5, 0.04, 0]])

    def test_heads_are_grouped_by_their_distance(self):
        """Distances are the square roots: 0.1 and 0.2 within, 0.71 between."""
        assert head_groups(self.DIVERGENCE) == [(0, 1), (2, 3)]
        assert head_groups(self.DIVERGENCE, similar=0.15) == [(0, 1)]
        assert head_groups(self.DIVERGENCE, similar=0.8) == [(0, 1, 2, 3)]
        assert head_groups(np.zeros((1, 1))) == []

    def test_identical_heads_are_one_group(self):
        assert head_groups(np.zeros((3, 3))) == [(0, 1, 2)]


def test_names_count_from_one():
    assert head_name(0, 3) == "1.4"
