"""The random heads with which an effect is compared."""

import numpy as np
import pytest

from tests.analysis.test_whatif import MODEL, REVIEW
from viz_core.analysis.control import head_control
from viz_core.analysis.whatif import Changes, head_effects, predict_with_changes
from viz_core.records import HeadControl


def test_a_masked_head_is_compared_with_each_of_the_others():
    control, effects = head_control(MODEL, REVIEW, Changes(masked=frozenset([(0, 1)]))), head_effects(MODEL, REVIEW)
    assert control.heads == 1 and control.changed - control.without == pytest.approx(effects[0, 1], abs=1e-6)
    np.testing.assert_allclose(np.sort(control.draws - control.without), np.sort(effects.ravel()[[0, 2, 3]]), atol=1e-6)
    assert control.complete


def test_uniform_heads_are_compared_with_uniform_heads_and_other_changes_stay():
    """A masked and a uniform head out of four: 4 x 3 selections, minus the original."""
    changes = Changes(masked=frozenset([(0, 0)]), uniform=frozenset([(1, 1)]), removed=frozenset([1]))
    control = head_control(MODEL, REVIEW, changes)
    others = [
        Changes(masked=frozenset([a]), uniform=frozenset([b]), removed=frozenset([1]))
        for a in np.ndindex(2, 2)
        for b in np.ndindex(2, 2)
        if a != b and (a, b) != ((0, 0), (1, 1))
    ]
    assert control.heads == 2 and len(control.draws) == 11 and control.complete
    assert not head_control(MODEL, REVIEW, changes, draws=10).complete
    np.testing.assert_allclose(
        np.sort(control.draws), np.sort(predict_with_changes(MODEL, REVIEW, others)[:, -1]), atol=1e-6
    )
    assert control.without == pytest.approx(
        predict_with_changes(MODEL, REVIEW, [Changes(removed=frozenset([1]))])[0, -1], abs=1e-6
    )


def test_draws_are_limited_distinct_and_seeded():
    changes = Changes(masked=frozenset([(0, 0)]), uniform=frozenset([(1, 1)]))
    first, again, other = (head_control(MODEL, REVIEW, changes, draws=5, seed=seed).draws for seed in (0, 0, 1))
    assert len(first) == 5 == len(set(first)) and np.array_equal(first, again) and not np.array_equal(first, other)


@pytest.mark.parametrize(
    "changes",
    [
        Changes(),
        Changes(removed=frozenset([1])),
        Changes(rows={(0, 0, 0): np.eye(6)[0]}),
        Changes(masked=frozenset(np.ndindex(2, 2))),
    ],
)
def test_without_other_heads_to_select_there_is_no_control(changes):
    assert head_control(MODEL, REVIEW, changes) is None


@pytest.mark.parametrize(
    ("changed", "verdict"), [(0.2, "more"), (0.3, "within"), (0.45, "within"), (0.6, "within"), (0.7, "more")]
)
def test_an_effect_beyond_the_random_ones_is_more(changed, verdict):
    assert HeadControl(1, 0.5, changed, np.array([0.3, 0.5, 0.6])).verdict == verdict


def test_an_effect_smaller_than_all_random_ones_is_less():
    assert HeadControl(1, 0.9, 0.8, np.array([0.3, 0.5, 0.6])).verdict == "less"
    assert HeadControl(1, 0.1, 0.2, np.array([0.3, 0.5, 0.6])).verdict == "less"
    assert HeadControl(1, 0.9, 0.2, np.array([0.3, 0.5, 0.6])).verdict == "more"
