"""Changes to the computation of a head, through the hook of the model."""

import math

import numpy as np
import pytest
import torch

from viz_core.analysis.inside.head_changes import ChangedHead, HeadChanges, changes_hook, check_changes, reachable_keys
from viz_core.models.protocol import HookPoint
from viz_core.records import Failure

HEAD = ChangedHead("self", layer=1, head=1, queries=3, keys=3, width=4)
CROSS = ChangedHead("cross", layer=0, head=0, queries=2, keys=3, width=4)
SCORES = torch.arange(18.0).reshape(1, 2, 3, 3)


def change(changes: HeadChanges, tensor: str = "scores", layer: int = 1, kind: str = "self", value=SCORES):
    before = value.clone()
    changed = changes_hook(changes, HEAD)(HookPoint(tensor, layer, kind), value)
    assert value.equal(before), "the tensor of the model is not changed in place"
    return changed


def test_nothing_is_changed_by_default():
    assert not HeadChanges() and not HeadChanges(everywhere=True)
    assert change(HeadChanges()).equal(SCORES)


def test_each_change_on_paper():
    head = SCORES[0, 1]
    assert change(HeadChanges(unscaled=True))[0, 1].equal(head * 2)  # √4
    assert change(HeadChanges(temperature=0.5))[0, 1].equal(head * 2)
    edited = change(HeadChanges(scores={(0, 2): 5.0}, temperature=0.5))[0, 1]
    assert edited[0].tolist() == [18.0, 20.0, 10.0], "an edited score is divided by the temperature, too"
    assert change(HeadChanges(masked=frozenset([1])))[0, 1].tolist()[2] == [15.0, -math.inf, 17.0]
    assert change(HeadChanges(causal=True))[0, 1].tolist()[1] == [12.0, 13.0, -math.inf]
    values = torch.ones(1, 2, 3, 4)
    assert change(HeadChanges(values=-2.0), "values", value=values)[0, :, 0, 0].tolist() == [1.0, -2.0]


def test_the_other_heads_stay_as_they_are():
    everything = HeadChanges(True, {(0, 0): 1.0}, 3.0, frozenset([0]), False, 2.0)
    assert change(everything)[0, 0].equal(SCORES[0, 0])
    for other in ({"layer": 0}, {"kind": "causal"}, {"tensor": "weights"}):
        assert change(everything, **other).equal(SCORES)


def test_everywhere_are_all_heads_of_this_kind_but_not_the_edited_score():
    changed = change(HeadChanges(temperature=0.5, scores={(0, 0): 1.0}, everywhere=True), layer=0)
    assert changed.equal(SCORES * 2)
    assert change(HeadChanges(temperature=0.5, everywhere=True), kind="cross").equal(SCORES)


@pytest.mark.parametrize(
    "changes, key",
    [
        (HeadChanges(temperature=0.0), "inside.temperature"),
        (HeadChanges(temperature=math.nan), "inside.temperature"),
        (HeadChanges(values=math.inf), "inside.factor"),
        (HeadChanges(scores={(0, 0): 1e9}), "inside.score"),
        (HeadChanges(scores={(3, 0): 1.0}), "inside.unknown_token"),
        (HeadChanges(scores={(0, -1): 1.0}), "inside.unknown_token"),
        (HeadChanges(masked=frozenset([3])), "inside.unknown_token"),
        (HeadChanges(masked=frozenset([0, 1, 2])), "inside.no_key_left"),
        (HeadChanges(masked=frozenset([0]), causal=True), "inside.no_key_left"),
    ],
)
def test_changes_that_are_not_possible_are_refused(changes, key):
    with pytest.raises(Failure) as failure:
        check_changes(changes, HEAD)
    assert failure.value.message.key == key


def test_cross_attention_has_no_causal_mask():
    with pytest.raises(Failure) as failure:
        check_changes(HeadChanges(causal=True), CROSS)
    assert failure.value.message.key == "inside.no_causal"
    check_changes(HeadChanges(masked=frozenset([0, 1])), CROSS)


def test_causal_attention_reaches_no_later_key():
    causal = ChangedHead("causal", 0, 0, 3, 3, 4)
    np.testing.assert_array_equal(reachable_keys(HeadChanges(), causal), np.tril(np.ones((3, 3), bool)))
