import numpy as np
import pytest

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
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (0, 1)
    assert sorted(line.x0 for line in figure.layout.shapes if line.x0 == line.x1) == [1.5, 3.5]


@pytest.mark.parametrize(("shape", "heads"), [((2, 3), 1), ((4, 4), 3), ((0, 0), 1)])
def test_inconsistent_records_are_rejected(say, light, shape, heads):
    with pytest.raises(ValueError, match="heads per layer"):
        head_redundancy(np.ones(shape), heads, say, light)


@pytest.mark.browser
class TestPictures:
    def test_of_sixteen_heads(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(head_redundancy(example(16), 4, say, theme), f"redundancy_{name}")
