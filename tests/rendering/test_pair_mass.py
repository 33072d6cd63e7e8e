import numpy as np
import pytest

from viz_core.language import Translator
from viz_core.records import Failure, PairMass
from viz_core.rendering.pair_mass import mass_chart
from viz_core.rendering.theme import theme


def mass(layers=4, heads=4, **changes) -> PairMass:
    random = np.random.default_rng(0)
    masses = dict(a_to_b=random.uniform(0.05, 0.7, (layers, heads)), b_to_a=random.uniform(0.1, 0.5, (layers, heads)))
    return PairMass(**{**masses, "uniform_a_to_b": 6 / 15, "uniform_b_to_a": 7 / 15, **changes})


def test_lines_dots_and_references(say, light):
    figure = mass_chart(mass(), say, light)
    line, dots, uniform = figure.data[:3]
    np.testing.assert_allclose(line.y, mass().a_to_b.mean(1))
    np.testing.assert_allclose(dots.y, mass().a_to_b.ravel())
    assert list(dots.customdata[:5]) == ["1.1", "1.2", "1.3", "1.4", "2.1"] and list(uniform.y) == [6 / 15] * 2
    assert (line.line.color, figure.data[3].line.color) == (light.groups[1], light.groups[2])
    np.testing.assert_allclose(figure.data[3].y, mass().b_to_a.mean(1))


def test_inconsistent_values_are_rejected(say, light):
    with pytest.raises(ValueError, match=r"\(4, 4\) and \(3, 4\)"):
        mass_chart(mass(b_to_a=np.zeros((3, 4))), say, light)
    with pytest.raises(Failure):
        mass_chart(mass(a_to_b=np.full((4, 4), np.nan)), say, light)


@pytest.mark.browser
class TestPictures:
    def test_of_four_layers(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(mass_chart(mass(), say, theme), f"pair_mass_{name}")

    def test_of_one_layer_on_a_projector(self, picture_of_figure):
        figure = mass_chart(mass(1, 2), Translator("zh"), theme("dark", projector=True))
        picture_of_figure(figure, "pair_mass_projector")
