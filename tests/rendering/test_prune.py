import numpy as np
import pytest

from viz_core.language import Translator
from viz_core.records import Failure, PruneCurve
from viz_core.rendering.prune import prune_chart
from viz_core.rendering.theme import theme


def curve(heads=16, seed=0, **changes) -> PruneCurve:
    random, masked = np.random.default_rng(seed), np.arange(heads + 1)
    share = masked / heads
    random_accuracy = 0.62 + 0.06 * (1 - share**0.7) + random.normal(0, 0.012, (5, heads + 1)) * np.sin(np.pi * share)
    return PruneCurve(
        **{
            **dict(
                n=1000,
                masked=masked,
                accuracy=0.62 + 0.06 * (1 - share**4),
                loss=0.6 + 0.1 * share**3,
                random_accuracy=random_accuracy,
                random_loss=0.7 - (random_accuracy - 0.62) * 1.6,
                majority=0.66,
            ),
            **changes,
        }
    )


def test_lines_hold_the_numbers(say, light):
    example = curve(4)
    low, high, mean, ordered, majority = prune_chart(example, "accuracy", say, light).data
    np.testing.assert_array_equal(ordered.y, example.accuracy)
    np.testing.assert_allclose(mean.y, example.random_accuracy.mean(0))
    np.testing.assert_array_equal(low.y, example.random_accuracy.min(0))
    np.testing.assert_array_equal(high.y, example.random_accuracy.max(0))
    assert high.fill == "tonexty" and list(majority.y) == [0.66, 0.66] and "66.0%" in majority.name
    assert list(ordered.x) == [0, 1, 2, 3, 4] and high.name == say("importance.prune_range", count=5)


def test_a_loss_has_no_majority_baseline(say, light):
    figure = prune_chart(curve(), "loss", say, light)
    assert len(figure.data) == 4 and figure.layout.title.text == say("importance.prune_loss")
    np.testing.assert_array_equal(figure.data[3].y, curve().loss)


def test_rounding_errors_look_flat(say, light):
    constant = curve(loss=np.full(17, 0.6), random_loss=0.6 + np.random.default_rng(0).normal(0, 1e-7, (5, 17)))
    low, high = prune_chart(constant, "loss", say, light).layout.yaxis.range
    assert high - low == pytest.approx(0.02) and (low + high) / 2 == pytest.approx(0.6, abs=1e-6)


def test_inconsistent_values_are_rejected(say, light):
    with pytest.raises(ValueError, match="'auc'.*accuracy, loss"):
        prune_chart(curve(), "auc", say, light)
    with pytest.raises(ValueError, match=r"17.*\(3,\)"):
        prune_chart(curve(accuracy=np.zeros(3)), "accuracy", say, light)
    with pytest.raises(Failure):
        prune_chart(curve(loss=np.full(17, np.inf)), "loss", say, light)


@pytest.mark.browser
class TestPictures:
    def test_of_an_accuracy(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(prune_chart(curve(), "accuracy", say, theme), f"prune_{name}")

    def test_of_a_loss_on_a_projector(self, picture_of_figure):
        picture_of_figure(
            prune_chart(curve(), "loss", Translator("zh"), theme("dark", projector=True)), "prune_projector"
        )
