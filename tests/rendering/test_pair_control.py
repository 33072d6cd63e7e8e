import numpy as np
import pytest

from viz_core.language import Translator
from viz_core.records import Failure, Shuffles
from viz_core.rendering.pair_control import control_strip
from viz_core.rendering.theme import theme


def shuffles(**changes) -> Shuffles:
    random = np.random.default_rng(0)
    return Shuffles(
        **{
            **dict(
                original=0.62,
                shuffled={
                    name: random.normal(0.62 - fall, 0.06, 20).clip(0, 1)
                    for name, fall in (("a", 0.1), ("b", 0.15), ("both", 0.3))
                },
            ),
            **changes,
        }
    )


def test_rows_hold_every_trial_and_their_mean(say, light):
    figure = control_strip(shuffles(), 0.58, 0.26, "same", say, light)
    swap, *shuffled = figure.data
    assert list(swap.x) == [0.58] and list(swap.y) == [0]
    for row, name, dots, mean in zip((1, 2, 3), ("a", "b", "both"), shuffled[::2], shuffled[1::2], strict=True):
        np.testing.assert_array_equal(dots.x, shuffles().shuffled[name])
        assert set(dots.y) == {row} and mean.x[0] == pytest.approx(shuffles().shuffled[name].mean())
    assert [shape.x0 for shape in figure.layout.shapes] == [0.62, 0.26]
    assert [note.text for note in figure.layout.annotations] == [
        say("pairs.original", percent="62%"),
        say("pairs.threshold", percent="26%"),
    ]
    assert say("rendering.label_same") in figure.layout.xaxis.title.text


def test_changed_predictions_by_hand():
    example = Shuffles(0.3, {"a": np.array([0.1, 0.26, 0.5]), "b": np.array([0.25, 0.9, 0.9])})
    assert example.count_changed_predictions(0.26) == (2, 6)


def test_values_that_are_not_finite_are_a_failure(say, light):
    with pytest.raises(Failure):
        control_strip(shuffles(), float("nan"), 0.5, "same", say, light)


@pytest.mark.browser
class TestPictures:
    def test_of_a_pair(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(control_strip(shuffles(), 0.58, 0.26, "same", say, theme), f"pair_control_{name}")

    def test_of_a_constant_model_on_a_projector(self, picture_of_figure):
        constant = shuffles(shuffled={name: np.full(20, 0.5) for name in ("a", "b", "both")}, original=0.5)
        figure = control_strip(constant, 0.5, 0.5, "same", Translator("zh"), theme("dark", projector=True))
        picture_of_figure(figure, "pair_control_projector")
