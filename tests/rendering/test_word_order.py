"""The views of the experiment with the order of words: what is drawn, and pictures."""

from dataclasses import replace

import numpy as np
import pytest

from tests.words import says
from viz_core.records import ORDERS, Failure, OrderAccuracy, OrderEffects
from viz_core.rendering.word_order import order_accuracy_chart, order_attention, order_probabilities

SHUFFLED = np.linspace(0.3, 0.7, 5)


def effects() -> OrderEffects:
    last = {"original": [0.9], "shuffled": SHUFFLED, "without_positions": [0.85], "both": SHUFFLED - 0.2}
    probabilities = {name: np.stack([1 - np.array(values), values], 1) for name, values in last.items()}
    change = {
        name: np.array([[0.1, 0.55, 0], [1, 0.25, 0.8]]) * scale
        for name, scale in zip(ORDERS[1:], (1, 0.5, 0.9), strict=True)
    }
    return OrderEffects(("negative", "positive"), probabilities, change)


def accuracy(majority=0.505) -> OrderAccuracy:
    accuracies = np.array([0.908, 0.889, 0.903, 0.892])
    changes = accuracies - accuracies[0]
    spread = np.array([-0.01, 0.01])
    return OrderAccuracy(
        2480, (0, 1, 2), majority, accuracies, accuracies[:, None] + spread, changes, changes[:, None] + spread / 2
    )


def test_a_dot_per_order_and_the_mean_of_each_row(say, light):
    figure = order_probabilities(effects(), 1, say, light)
    assert [len(trace.x) for trace in figure.data[:4]] == [1, 5, 1, 5]
    np.testing.assert_allclose(figure.data[4].x, [0.9, 0.5, 0.85, 0.3])
    assert figure.layout.title.text == say("positions.probabilities", label=say("rendering.label_positive"))
    assert says(figure.layout.title.subtitle.text, "positions.probabilities_note", count=5)
    assert list(order_probabilities(effects(), 0, say, light).data[0].x) == pytest.approx([0.1])
    with pytest.raises(ValueError, match="original, shuffled"):
        order_probabilities(replace(effects(), probabilities={"original": np.ones((1, 2))}), 1, say, light)


def test_no_mean_is_rounded_to_nothing_or_to_certainty(say, light):
    values = dict(zip(ORDERS, ([0.9999], [0.0001], [0.996], [0.3]), strict=True))
    sure = {name: np.stack([1 - np.array(last), last], 1) for name, last in values.items()}
    figure = order_probabilities(replace(effects(), probabilities=sure), 1, say, light)
    notes = [annotation.text for annotation in figure.layout.annotations]
    assert notes[:4] == ["&gt;99.9%", "&lt;0.1%", "99.6%", "30.0%"]


def test_a_table_of_heads_per_change(say, light):
    figure = order_attention(effects(), say, light)
    maps = [trace for trace in figure.data if trace.type == "heatmap"]
    assert [title.text for title in figure.layout.annotations] == [
        say(f"positions.order_{order}") for order in ("shuffled", "without_positions", "both")
    ]
    assert maps[0].z[1][0] == 1 and maps[1].z[1][0] == 0.5
    assert figure.data[1].text[1] == "0.55" and (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (0, 1)
    broken = replace(effects(), attention_change={name: np.full((1, 1), np.nan) for name in ORDERS[1:]})
    with pytest.raises(Failure):
        order_attention(broken, say, light)


def test_accuracies_stand_on_their_intervals_with_the_change_in_points(say, light):
    figure = order_accuracy_chart(accuracy(), say, light)
    assert list(figure.data[0].x) == [0.908, 0.889, 0.903, 0.892]
    np.testing.assert_allclose(figure.data[0].error_x.array, [0.01] * 4)
    notes = [annotation.text for annotation in figure.layout.annotations]
    assert notes[:2] == ["90.8%", "88.9% (−1.9 [−2.4, −1.4])"]
    assert says(figure.layout.title.subtitle.text, "positions.accuracy_note_far", n=2480, seeds=3)


def test_a_far_baseline_is_outside_the_axis_so_that_intervals_are_visible(say, light):
    far = order_accuracy_chart(accuracy(), say, light)
    low, high = far.layout.xaxis.range
    assert says(far.layout.title.subtitle.text, "positions.accuracy_note_far")
    assert low > 0.8 and high <= 1
    near = order_accuracy_chart(accuracy(0.86), say, light)
    low, _ = near.layout.xaxis.range
    assert says(near.layout.title.subtitle.text, "positions.accuracy_note")
    assert low < 0.86


@pytest.mark.browser
class TestPictures:
    @pytest.mark.slow
    def test_of_the_probabilities(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(order_probabilities(effects(), 1, say, theme), f"order_probabilities_{name}")

    @pytest.mark.slow
    def test_of_the_attention(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(order_attention(effects(), say, theme), f"order_attention_{name}")

    def test_of_the_accuracies(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(order_accuracy_chart(accuracy(0.86), say, theme), f"order_accuracy_{name}")
