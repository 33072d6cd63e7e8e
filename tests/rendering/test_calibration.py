import numpy as np
import pytest

from tests.analysis.health_by_hand import collapsed, learned
from viz_core.analysis.calibration import calibration
from viz_core.language import Translator
from viz_core.rendering.calibration import calibration_curve
from viz_core.rendering.theme import theme


def several():
    """Of a model that is a little too sure of itself."""
    random = np.random.default_rng(0)
    positive = random.beta(0.6, 0.6, 3000)
    labels = (random.random(3000) < 0.5 + (positive - 0.5) * 0.8).astype(int)
    return calibration(np.stack([1 - positive, positive], axis=1), labels)


def test_a_dot_a_bin_with_its_interval_and_its_size(say, light):
    found = several()
    promise, dots = calibration_curve(found, say, light).data
    filled = found.count > 0
    assert (tuple(promise.x), tuple(promise.y)) == ((0, 1), (0, 1))
    np.testing.assert_allclose(dots.x, found.confidence[filled])
    np.testing.assert_allclose(dots.y, found.accuracy[filled])
    np.testing.assert_allclose(np.array(dots.y) + dots.error_y.array, found.high[filled])
    np.testing.assert_allclose(np.array(dots.y) - dots.error_y.arrayminus, found.low[filled])
    assert np.argmax(dots.marker.size) == np.argmax(found.count[filled])


def test_the_axis_begins_where_two_classes_do(say, light):
    assert calibration_curve(several(), say, light).layout.xaxis.range[0] == 0.48
    three = calibration(np.array([[0.4, 0.3, 0.3]]), np.array([0]))
    assert calibration_curve(three, say, light).layout.xaxis.range[0] < 0


def test_bins_that_do_not_fit_together_or_are_all_empty_are_refused(say, light):
    empty = calibration(np.zeros((0, 2)), np.zeros(0, int))
    with pytest.raises(ValueError, match="0 of them with inputs"):
        calibration_curve(empty, say, light)


@pytest.mark.browser
class TestPictures:
    def test_of_several_bins(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(calibration_curve(several(), say, theme), f"calibration_{name}")

    def test_of_a_single_bin(self, picture_of_figure):
        picture_of_figure(
            calibration_curve(collapsed().calibration, Translator("en"), theme("light")), "calibration_one"
        )

    def test_on_a_projector(self, picture_of_figure):
        picture_of_figure(
            calibration_curve(learned().calibration, Translator("zh"), theme("dark", projector=True)),
            "calibration_projector",
        )
