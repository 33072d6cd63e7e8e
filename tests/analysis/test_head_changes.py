"""Changes to the computation of a head, through the hook of the model."""

import math

import numpy as np
import pytest
import torch

from viz_core.analysis.inside.head_changes import (
    FACTORS,
    TEMPERATURES,
    ChangedHead,
    HeadChanges,
    changes_hook,
    check_changes,
    reachable_keys,
)
from viz_core.analysis.inside.head_changes import SCORES as SCORE_LIMITS
from viz_core.models.protocol import HookPoint
from viz_core.records import Failure, Message

HEAD = ChangedHead("self", layer=1, head=1, queries=3, keys=3, divisor=4)
CROSS = ChangedHead("cross", layer=0, head=0, queries=2, keys=3, divisor=4)
SCORES = torch.arange(27.0).reshape(1, 3, 3, 3)


def change(changes: HeadChanges, tensor: str = "scores", layer: int = 1, kind: str = "self", value=SCORES):
    before = value.clone()
    changed = changes_hook(changes, HEAD)(HookPoint(tensor, layer, kind), value)
    assert value.equal(before), "the tensor of the model is not changed in place"
    return changed


def test_nothing_is_changed_by_default():
    assert not HeadChanges() and not HeadChanges(everywhere=True)
    assert change(HeadChanges()).equal(SCORES)


@pytest.mark.parametrize(
    "values",
    [
        {"unscaled": True},
        {"scores": {(0, 0): 0.0}},
        {"temperature": 2.0},
        {"masked": frozenset([0])},
        {"causal": True},
        {"values": 2.0},
    ],
)
def test_each_change_alone_is_one(values):
    assert HeadChanges(**values)


def test_each_change_on_paper():
    head = SCORES[0, 1]
    assert change(HeadChanges(unscaled=True), "scaled")[0, 1].equal(head * 2)  # √4
    assert change(HeadChanges(temperature=0.5))[0, 1].equal(head * 2)
    edited = change(HeadChanges(scores={(0, 2): 5.0}, temperature=0.5))[0, 1]
    assert edited[0].tolist() == [18.0, 20.0, 10.0], "an edited score is divided by the temperature, too"
    assert change(HeadChanges(masked=frozenset([1])))[0, 1].tolist()[2] == [15.0, -math.inf, 17.0]
    assert change(HeadChanges(causal=True))[0, 1].tolist()[1] == [12.0, 13.0, -math.inf]
    values = torch.ones(1, 2, 3, 4)
    assert change(HeadChanges(values=-2.0), "values", value=values)[0, :, 0, 0].tolist() == [1.0, -2.0]


def test_what_comes_after_the_division_is_not_scaled():
    """A bias or a cap: the point that is changed comes before them."""
    assert change(HeadChanges(unscaled=True)).equal(SCORES)


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
    "changes, key, values",
    [
        (HeadChanges(temperature=0.0), "temperature", {"value": "0", "low": "0.05", "high": "20"}),
        (HeadChanges(temperature=math.nan), "temperature", {"value": "nan", "low": "0.05", "high": "20"}),
        (HeadChanges(values=math.inf), "factor", {"value": "inf", "low": "-10", "high": "10"}),
        (HeadChanges(scores={(0, 0): 1e9}), "score", {"value": "1e+09", "low": "-1000", "high": "1000"}),
        (HeadChanges(scores={(3, 0): 1.0}), "unknown_token", {"position": 4, "tokens": 3}),
        (HeadChanges(scores={(0, -1): 1.0}), "unknown_token", {"position": 0, "tokens": 3}),
        (HeadChanges(masked=frozenset([3])), "unknown_token", {"position": 4, "tokens": 3}),
        (HeadChanges(masked=frozenset([0, 1, 2])), "no_key_left", {"position": 1}),
        (HeadChanges(masked=frozenset([0]), causal=True), "no_key_left", {"position": 1}),
    ],
)
def test_changes_that_are_not_possible_are_refused(changes, key, values):
    with pytest.raises(Failure) as failure:
        check_changes(changes, HEAD)
    assert failure.value.message == Message(f"inside.{key}", values)


def test_the_limits_themselves_are_possible():
    for temperature, factor, score in zip(TEMPERATURES, FACTORS, SCORE_LIMITS, strict=True):
        check_changes(HeadChanges(temperature=temperature, values=factor, scores={(2, 0): score}), HEAD)


def test_cross_attention_has_no_causal_mask():
    with pytest.raises(Failure) as failure:
        check_changes(HeadChanges(causal=True), CROSS)
    assert failure.value.message.key == "inside.no_causal"
    check_changes(HeadChanges(masked=frozenset([0, 1])), CROSS)


def test_causal_attention_reaches_no_later_key():
    causal = ChangedHead("causal", 0, 0, 3, 3, 4)
    np.testing.assert_array_equal(reachable_keys(HeadChanges(), causal), np.tril(np.ones((3, 3), bool)))


def test_a_window_reaches_the_last_keys_alone():
    windowed = ChangedHead("causal", 0, 0, 4, 4, 4, sliding_window=2)
    expected = [[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]
    np.testing.assert_array_equal(reachable_keys(HeadChanges(), windowed), np.array(expected, bool))
    with pytest.raises(Failure) as failure:
        check_changes(HeadChanges(masked=frozenset([1, 2])), windowed)
    assert failure.value.message == Message("inside.no_key_left", {"position": 3})
