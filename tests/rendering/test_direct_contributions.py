"""The map of what heads and feed-forward layers add to the difference of two logits."""

from dataclasses import replace

import numpy as np
import pytest

from tests.words import says
from viz_core.records import DirectContributions, Failure
from viz_core.rendering.direct_contributions import contribution_map

SMALL = DirectContributions(
    chosen="positive",
    against="negative",
    heads=np.array([[1.5, -0.25], [0.0, -2.0]]),
    feedforward=np.array([0.5, 0.125]),
    embedding=0.1,
    biases=-0.2,
    difference=-0.225,
)


def deep() -> DirectContributions:
    random = np.random.default_rng(0)
    heads, feedforward = random.normal(0, 0.4, (16, 12)) ** 3, random.normal(0, 0.5, 16)
    difference = float(heads.sum() + feedforward.sum()) + 0.02
    return DirectContributions("␣Qu", "<b>ha</b>", heads, feedforward, 0.02, 0.0, difference)


def test_a_column_per_head_and_one_for_the_feedforward_layers(say, light):
    figure = contribution_map(SMALL, say, light)
    heads, feedforward = (trace for trace in figure.data if trace.type == "heatmap")
    told = {
        (x, y): (text, hover)
        for trace in figure.data
        if trace.type == "scatter"
        for x, y, text, hover in zip(trace.x, trace.y, trace.text, trace.customdata, strict=True)
    }
    np.testing.assert_array_equal(heads.z, SMALL.heads)
    assert feedforward.z.tolist() == [[0.5], [0.125]] and feedforward.x[0] > heads.x[-1] + 1
    assert [told[place][0] for place in ((0, 0), (1, 0), (0, 1), (1, 1))] == ["+1.50", "−0.25", "0.00", "−2.00"]
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (-2, 2)
    assert says(told[1, 1][1], "direct.hover_head", layer=2, head=2, value="−2.000")
    assert says(told[feedforward.x[0], 0][1], "direct.hover_feedforward", layer=1, value="+0.500")


def test_the_subtitle_has_the_sums(say, light):
    subtitle = contribution_map(SMALL, say, light).layout.title.subtitle.text
    sums = dict(heads="−0.75", feedforward="+0.62", embedding="+0.10", biases="−0.20", difference="−0.23")
    assert all(value in subtitle for value in sums.values())


def test_what_a_visitor_typed_is_no_markup(say, light):
    title = contribution_map(deep(), say, light).layout.title.text
    assert "<b>" not in title and "&lt;b&gt;ha" in title


def test_shapes_and_numbers_are_checked(say, light):
    with pytest.raises(ValueError, match=r"\(3,\)"):
        contribution_map(replace(SMALL, feedforward=np.zeros(3)), say, light)
    with pytest.raises(Failure):
        contribution_map(replace(SMALL, heads=SMALL.heads * np.nan), say, light)


@pytest.mark.browser
class TestPictures:
    def test_of_a_deep_model(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(contribution_map(deep(), say, theme), f"contributions_{name}")

    def test_of_two_layers(self, say, light, picture_of_figure):
        picture_of_figure(contribution_map(SMALL, say, light), "contributions_small")
