import numpy as np
import pytest

from viz_core.rendering import scales


def test_position_by_hand():
    weights = np.array([[0, 0.25], [1, -0.04]], np.float32)
    np.testing.assert_allclose(scales.position(weights, "linear"), weights)
    np.testing.assert_allclose(scales.position(weights, "sqrt"), [[0, 0.5], [1, -0.2]], rtol=1e-6)
    np.testing.assert_allclose(
        scales.position(weights, "log"), [[0, np.log(251)], [np.log(1001), -np.log(41)]], rtol=1e-5
    )
    assert scales.position(weights, "log").dtype == np.float32


def test_unknown_scale_is_named():
    with pytest.raises(ValueError, match="'cubic'.*linear, sqrt, log"):
        scales.position(0.5, "cubic")


def test_bounds_start_at_zero_or_are_symmetric():
    assert scales.bounds(np.array([0.2, 0.5])) == (0.0, 0.5)
    assert scales.bounds(np.array([0.25, -0.5])) == (-0.5, 0.5)
    assert scales.bounds(np.zeros(3)) == (0.0, 1.0)
    assert scales.bounds(np.array([0.2, 0.5]), signed=True) == (-0.5, 0.5)


def test_share_by_hand():
    assert scales.share(np.array([0, 0.01, 0.04]), 0, 0.04, "sqrt") == pytest.approx([0, 0.5, 1])
    assert scales.share(np.array([-0.04, 0, 0.01]), -0.04, 0.04, "sqrt") == pytest.approx([0, 0.5, 0.75])


@pytest.mark.parametrize("scale", ["linear", "sqrt", "log"])
@pytest.mark.parametrize("high", [1, 0.84, 0.5, 0.2, 0.0731, 0.002])
def test_ticks_are_few_and_well_apart(scale, high):
    marks = scales.ticks(0, high, scale)
    assert marks[0] == 0 and marks[-1] == high and 3 <= len(marks) <= 9
    positions = scales.position(np.array(marks), scale) / scales.position(high, scale)
    assert np.diff(positions).min() > 0.12
    mirrored = scales.ticks(-high, high, scale)
    assert mirrored == [-mark for mark in reversed(mirrored)] and 0 in mirrored


def test_ticks_by_hand():
    assert scales.ticks(0, 0.84, "linear") == pytest.approx([0, 0.2, 0.4, 0.6, 0.84])
    assert scales.ticks(0, 1, "sqrt") == pytest.approx([0, 0.02, 0.1, 0.2, 0.5, 1])


def test_bounds_of_several_views():
    assert scales.shared_bounds(np.array(weights) for weights in ([0.1, 0.4], [0.0, 0.2])) == (0.0, 0.4)
    assert scales.shared_bounds([np.array([0.1]), np.array([-0.7, 0.2])]) == (-0.7, 0.7)


@pytest.mark.parametrize(
    ("keys", "measure", "limit", "high"),
    [
        (5, "weights", "full", 1),
        (16, "weights", "full", 1),
        (64, "weights", "full", 0.25),  # 16 times 1/64
        (64, "weights", "own", 0.5),
        (5, "norms", "full", 0.5),
    ],
)
def test_colours_reach_to_1_in_long_texts_to_16_times_the_weight_of_a_uniform_head(keys, measure, limit, high):
    weights = np.full((3, keys), 0.1)
    weights[0, 0] = 0.5
    assert scales.limits(weights, measure, limit) == pytest.approx((0, high))


def test_differences_always_have_limits_of_their_own():
    assert scales.limits(np.array([[-0.2, 0.1]]), "weights", "full") == pytest.approx((-0.2, 0.2))
    assert scales.limits(np.array([[0.2, 0.1]]), "weights", "full", signed=True) == pytest.approx((-0.2, 0.2))
