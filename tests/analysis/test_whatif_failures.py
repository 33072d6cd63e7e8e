"""Changes that the input or the model does not have."""

import numpy as np
import pytest

from tests.analysis.test_whatif import MODEL, PAIR, PAIRED, REVIEW
from viz_core.analysis.whatif import Changes, predict_with_changes
from viz_core.records import Failure


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        (Changes(masked=frozenset([(2, 0)])), "unknown_head"),
        (Changes(uniform=frozenset([(0, -1)])), "unknown_head"),
        (Changes(rows={(0, 2, 0): np.eye(6)[0]}), "unknown_head"),
        (Changes(rows={(0, 0, 6): np.eye(6)[0]}), "unknown_token"),
        (Changes(removed=frozenset([6])), "unknown_token"),
        (Changes(blocked=frozenset([-1])), "unknown_token"),
        (Changes(removed=frozenset([0])), "special_token"),
        (Changes(deleted=frozenset([5])), "special_token"),
        (Changes(unknown=frozenset([5])), "special_token"),
        (Changes(removed=frozenset([1, 2, 3, 4])), "all_removed"),
        (Changes(removed=frozenset([1, 2]), deleted=frozenset([3, 4])), "all_removed"),
        (Changes(blocked=frozenset(range(6))), "all_blocked"),
        (Changes(removed=frozenset([1]), blocked=frozenset([0, 2, 3, 4, 5])), "all_blocked"),
        (Changes(rows={(0, 0, 0): np.ones(5) / 5}), "row_length"),
        (Changes(rows={(0, 0, 0): np.ones(6)}), "row_weights"),
        (Changes(rows={(0, 0, 0): np.array([1.5, -0.5, 0, 0, 0, 0])}), "row_weights"),
        (Changes(rows={(0, 0, 0): np.full(6, np.nan)}), "row_weights"),
    ],
)
def test_impossible_changes_are_failures(changes, key):
    with pytest.raises(Failure) as failed:
        predict_with_changes(MODEL, REVIEW, [Changes(), changes])
    assert failed.value.message.key == f"analysis.whatif_{key}"


def test_failures_name_the_numbers():
    """The review has six tokens; positions are counted from 1."""
    row = Changes(rows={(0, 0, 0): np.full(5, 0.2)})
    for changes, values in [(row, {"weights": 5, "tokens": 6}), (Changes(removed={8}), {"position": 9, "tokens": 6})]:
        with pytest.raises(Failure) as failed:
            predict_with_changes(MODEL, REVIEW, [changes])
        assert failed.value.message.values == values


def test_each_sentence_of_a_pair_needs_a_token():
    with pytest.raises(Failure, match="all_removed"):
        predict_with_changes(
            PAIRED, PAIR, [Changes(removed=frozenset(np.flatnonzero(~PAIR.special & (PAIR.segments == 1)).tolist()))]
        )
