"""Accuracy by number of labels, with and without having read before."""

import pytest

from viz_core.language import Translator
from viz_core.records.comparison import LearningCurves, LearningPoint
from viz_core.rendering.learning_curves import learning_curves
from viz_core.rendering.theme import theme

CURVES = LearningCurves(
    "imdb-text/small",
    (
        LearningPoint(100, (0.7, 0.72, 0.77), (0.51, 0.53, 0.58)),
        LearningPoint(1000, (0.86, 0.87), (0.7, 0.74)),
        LearningPoint(10_000, (0.91,), (0.85,)),
    ),
)


def test_a_line_has_the_means_of_the_seeds_and_bars_to_the_lowest_and_the_highest(say, light):
    started, scratch = learning_curves("tiny", CURVES, say, light).data
    assert list(started.x) == list(scratch.x) == [100, 1000, 10_000]
    assert list(started.y) == pytest.approx([0.73, 0.865, 0.91])
    assert list(started.error_y.array) == pytest.approx([0.04, 0.005, 0])
    assert list(started.error_y.arrayminus) == pytest.approx([0.03, 0.005, 0])
    assert list(scratch.y) == pytest.approx([0.54, 0.72, 0.85])


@pytest.mark.browser
class TestPictures:
    def test_of_reviews(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(learning_curves("tiny", CURVES, say, theme), f"learning_curves_{name}")

    def test_on_a_projector(self, picture_of_figure):
        figure = learning_curves("tiny", CURVES, Translator("zh"), theme("dark", projector=True))
        picture_of_figure(figure, "learning_curves_projector")
