import numpy as np
import pytest

from tests.analysis.fake_health import collapsed_health, good_health
from tests.words import says
from viz_core.analysis.evaluation.metrics import calibration
from viz_core.language import Translator
from viz_core.rendering.calibration import calibration_curve
from viz_core.rendering.theme import theme


def example():
    """The calibration of a slightly overconfident model."""
    random = np.random.default_rng(0)
    positive = random.beta(0.6, 0.6, 3000)
    labels = (random.random(3000) < 0.5 + (positive - 0.5) * 0.8).astype(int)
    return calibration(np.stack([1 - positive, positive], axis=1), labels)


def test_a_dot_per_bin_with_its_interval_and_its_size(say, light):
    bins = example()
    diagonal, dots = calibration_curve(bins, say, light).data
    filled = bins.count > 0
    assert (tuple(diagonal.x), tuple(diagonal.y)) == ((0, 1), (0, 1))
    np.testing.assert_allclose(dots.x, bins.confidence[filled])
    np.testing.assert_allclose(dots.y, bins.accuracy[filled])
    np.testing.assert_allclose(np.array(dots.y) + dots.error_y.array, bins.high[filled])
    np.testing.assert_allclose(np.array(dots.y) - dots.error_y.arrayminus, bins.low[filled])
    assert np.argmax(dots.marker.size) == np.argmax(bins.count[filled])


def test_the_axis_starts_at_the_lowest_possible_confidence(say, light):
    assert calibration_curve(example(), say, light).layout.xaxis.range[0] == 0.48
    note = calibration_curve(example(), say, light).layout.title.subtitle.text
    assert says(note, "health.calibration_note", n=3000)
    three = calibration(np.array([[0.4, 0.3, 0.3]]), np.array([0]))
    assert calibration_curve(three, say, light).layout.xaxis.range[0] < 0


def test_empty_bins_are_rejected(say, light):
    empty = calibration(np.zeros((0, 2)), np.zeros(0, int))
    with pytest.raises(ValueError, match="0 of them"):
        calibration_curve(empty, say, light)


@pytest.mark.browser
class TestPictures:
    def test_of_several_bins(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(calibration_curve(example(), say, theme), f"calibration_{name}")

    def test_of_a_single_bin(self, picture_of_figure):
        picture_of_figure(
            calibration_curve(collapsed_health().calibration, Translator("en"), theme("light")), "calibration_one"
        )

    def test_on_a_projector(self, picture_of_figure):
        picture_of_figure(
            calibration_curve(good_health().calibration, Translator("zh"), theme("dark", projector=True)),
            "calibration_projector",
        )
