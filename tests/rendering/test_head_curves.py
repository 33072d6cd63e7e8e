"""A statistic of every head over a training."""

import numpy as np
import pytest

from viz_core.language import Translator
from viz_core.records import HeadStatistics
from viz_core.rendering.head_curves import MOST, head_curves
from viz_core.rendering.theme import theme

EPOCHS = np.array([0, 0.5, 1.0])


def scores(values, uniform: float = 0.05) -> list[HeadStatistics]:
    """One record for each `(L, H)` of `values`; nothing but the induction score matters here."""
    return [
        HeadStatistics(np.zeros_like(one), np.zeros((*one.shape, 1)), induction=one, uniform={"induction": uniform})
        for one in np.asarray(values, float)
    ]


def test_each_head_is_a_line_with_its_name_at_the_end(say, light):
    values = [[[0.1, 0.1]], [[0.1, 0.3]], [[0.05, 0.9]]]  # one layer of two heads
    figure = head_curves("induction", EPOCHS, scores(values), say, light)
    assert [list(line.y) for line in figure.data] == [[0.1, 0.1, 0.05], [0.1, 0.3, 0.9]]
    assert all(list(line.x) == [0, 0.5, 1] for line in figure.data)
    assert {note.text for note in figure.layout.annotations} == {"1.1 0.05", "1.2 0.90"}
    assert figure.layout.shapes[0].y0 == 0.05 and "0.05" in figure.layout.title.subtitle.text, "a uniform head"
    low, high = figure.layout.yaxis.range
    assert low == 0 and high >= 1, "scores of different trainings have the same axis"


def test_of_many_heads_the_highest_are_drawn_in_the_order_of_the_layers(say, light):
    values = np.zeros((3, 4, 4))
    values[1] = np.arange(16).reshape(4, 4) / 16  # at any evaluation, not at the end
    figure = head_curves("induction", EPOCHS, scores(values), say, light)
    assert [line.name for line in figure.data] == [f"{layer}.{head}" for layer in (3, 4) for head in (1, 2, 3, 4)]
    assert len(figure.data) == MOST


def test_a_statistic_that_the_text_does_not_have_is_refused(say, light):
    with pytest.raises(ValueError, match="'previous'"):
        head_curves("previous", EPOCHS, scores(np.zeros((3, 1, 1))), say, light)


def a_rise() -> list[HeadStatistics]:
    """2.2 becomes an induction head."""
    rise = 1 / (1 + np.exp(-(np.arange(31) - 12) / 1.5))  # (31,)
    return scores(0.04 + np.array([[0.01, 0.02], [0.03, 0.85]]) * rise[:, None, None])


@pytest.mark.browser
class TestPictures:
    def test_of_a_training(self, look, picture_of_figure):
        theme, say, name = look
        figure = head_curves("induction", np.arange(31) / 30, a_rise(), say, theme)
        picture_of_figure(figure, f"head_curves_{name}")

    def test_on_a_projector(self, picture_of_figure):
        say, projector = Translator("zh"), theme("dark", projector=True)
        picture_of_figure(
            head_curves("induction", np.arange(31) / 30, a_rise(), say, projector), "head_curves_projector"
        )
