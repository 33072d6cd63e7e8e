import numpy as np
import pytest

from tests.words import says
from viz_core.rendering.redundancy import head_redundancy


def example(count: int) -> np.ndarray:
    values = np.random.default_rng(0).uniform(0.2, 1, (count, count))
    values = (values + values.T) / 2
    np.fill_diagonal(values, 1)
    return values


def test_every_head_against_every_other_with_lines_between_layers(say, light):
    figure = head_redundancy(example(6), 2, say, light)
    (cells,) = figure.data
    np.testing.assert_allclose(cells.z, example(6))
    assert list(cells.x) == ["1.1", "1.2", "2.1", "2.2", "3.1", "3.2"] == list(cells.y)
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (0.2, 1)
    assert sorted(line.x0 for line in figure.layout.shapes if line.x0 == line.x1) == [1.5, 3.5]


def test_colours_begin_at_a_tenth_below_the_smallest_value_and_the_extremes_are_named(say, light):
    values = np.array([[1, 0.97, 0.92], [0.97, 1, 0.95], [0.92, 0.95, 1]])
    figure = head_redundancy(values, 3, say, light)
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (pytest.approx(0.9), 1)
    named = {"high_heads": ["1.1", "1.2"], "high": 0.97, "low_heads": ["1.1", "1.3"], "low": 0.92}
    assert say("health.redundancy_extremes", **named) in figure.layout.title.subtitle.text.replace("<br>", " ")


def test_identical_heads_have_one_colour_and_a_single_head_no_sentence(say, light):
    assert head_redundancy(np.ones((4, 4)), 2, say, light).layout.coloraxis.cmin == 0
    single = head_redundancy(np.ones((1, 1)), 1, say, light)
    assert not says(single.layout.title.subtitle.text, "health.redundancy_extremes")


@pytest.mark.parametrize(("shape", "heads"), [((2, 3), 1), ((4, 4), 3), ((0, 0), 1)])
def test_inconsistent_records_are_rejected(say, light, shape, heads):
    with pytest.raises(ValueError, match="heads per layer"):
        head_redundancy(np.ones(shape), heads, say, light)


@pytest.mark.browser
class TestPictures:
    def test_of_sixteen_heads(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(head_redundancy(example(16), 4, say, theme), f"redundancy_{name}")
