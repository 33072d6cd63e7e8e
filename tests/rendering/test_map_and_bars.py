"""Two figures in one: every plot area keeps its size, its axes and its title."""

from dataclasses import replace

import plotly.graph_objects as go
import pytest

from tests.rendering import examples
from viz_core.language import Translator
from viz_core.records import Message
from viz_core.rendering.bars import token_bars
from viz_core.rendering.heatmap import attention_heatmap
from viz_core.rendering.map_and_bars import join, map_and_bars
from viz_core.rendering.theme import theme

PAIR, REVIEW = examples.encoding(*examples.PAIR), examples.encoding(examples.REVIEW)


def add_title(record, what: str):
    where = Message("analysis.of_head", {"layer": 2, "head": 1})
    return replace(record, title=Message(f"analysis.title_{what}", {"where": where}))


def map_of(encoding):
    return add_title(examples.attention_map(encoding), "map")


def weights_of(encoding):
    return add_title(examples.token_weights(encoding), "cls")


def plot_area(figure: go.Figure, suffix: str = "") -> tuple[float, float, float, float]:
    """Left, top, width and height of a plot area in px."""
    layout = figure.layout
    margin = layout.margin
    width, height = layout.width - margin.l - margin.r, layout.height - margin.t - margin.b
    (left, right), (bottom, top) = (layout[f"{axis}axis{suffix}"].domain or (0, 1) for axis in "xy")
    return margin.l + left * width, margin.t + (1 - top) * height, (right - left) * width, (top - bottom) * height


@pytest.mark.parametrize("below", [False, True])
def test_both_plot_areas_keep_their_size_and_the_distance_to_their_borders(say, light, below):
    first = attention_heatmap(map_of(PAIR), say, light)
    second = token_bars(weights_of(PAIR), say, light)
    figure = join(first, second, light, below)
    alone, other = plot_area(first), plot_area(second)
    left, right = plot_area(figure), plot_area(figure, "2")
    assert left[2:] == pytest.approx(alone[2:], abs=1) and right[2:] == pytest.approx(other[2:], abs=1)
    assert left[:2] == pytest.approx(alone[:2], abs=1), "the first one stays where it was"
    if below:
        assert right[0] == pytest.approx(other[0], abs=1)
        assert right[1] > first.layout.height and figure.layout.width == max(first.layout.width, second.layout.width)
    else:
        assert (right[0] - first.layout.width, right[1]) == pytest.approx((other[0], left[1]), abs=1)
        assert figure.layout.width == first.layout.width + second.layout.width


def test_axes_colour_bar_and_titles_belong_to_their_figure(say, light):
    first, second = attention_heatmap(map_of(PAIR), say, light), token_bars(weights_of(PAIR), say, light)
    figure = join(first, second, light)
    assert figure.data[0].xaxis is None and {trace.xaxis for trace in figure.data[1:]} == {"x2"}
    assert figure.layout.yaxis2.categoryarray == second.layout.yaxis.categoryarray
    assert figure.layout.xaxis.ticktext == first.layout.xaxis.ticktext
    assert figure.layout.coloraxis.colorbar.x == figure.layout.xaxis.domain[1]
    assert figure.layout.title.text == first.layout.title.text
    assert figure.layout.annotations[-1].text == second.layout.title.text
    assert second.data[0].xaxis is None and not second.layout.annotations, "both remain as they were"


@pytest.mark.parametrize("encoding", [PAIR, REVIEW], ids=["pair", "review"])
def test_bars_stand_beside_a_map_where_they_have_room(say, light, encoding):
    small = replace(light, side=258)
    arguments = map_of(encoding), weights_of(encoding), say, small, (0, 0.2)
    wide, narrow = map_and_bars(*arguments, 650), map_and_bars(*arguments, 560)
    assert wide.layout.width == 650 and plot_area(wide, "2")[1] == pytest.approx(plot_area(wide)[1])
    assert plot_area(wide, "2")[3] <= plot_area(wide)[3] + len(weights_of(encoding).labels), "no longer than the map"
    assert narrow.layout.width < 560 and plot_area(narrow, "2")[1] > plot_area(narrow)[1] + 258
    assert wide.layout.coloraxis.cmax == 1 and wide.layout.xaxis2.range[1] == pytest.approx(0.23)


@pytest.mark.browser
class TestPictures:
    def test_beside_a_map(self, picture_of_figure):
        light, say = replace(theme("light"), side=258), Translator("en")
        figure = map_and_bars(map_of(REVIEW), weights_of(REVIEW), say, light, (0, 0.2), 650)
        picture_of_figure(figure, "map_and_bars_beside")

    def test_below_a_map_on_a_projector(self, picture_of_figure):
        dark = theme("dark", projector=True)
        dark, say = replace(dark, side=round(258 * 1.4)), Translator("zh")
        figure = map_and_bars(map_of(PAIR), weights_of(PAIR), say, dark, (0, 0.2), 650)
        picture_of_figure(figure, "map_and_bars_below")
