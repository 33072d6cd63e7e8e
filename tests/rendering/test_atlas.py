"""The atlas: dots between two statistics, cells by layer, what a click reports, lines between similar heads."""

import numpy as np
import pytest

from tests.analysis.fake_survey import survey
from tests.rendering.test_importance import importance
from viz_core.records import Failure
from viz_core.rendering.atlas import atlas_values, head_map, head_scatter

PREVIOUS = np.array([[0.05, 0.9], [0.3, 0.1]])
AXES = ("previous", "entropy")


def example(**means):
    return survey(previous=PREVIOUS, **means)


def dots(figure):
    return next(trace for trace in figure.data if trace.type == "scatter" and trace.customdata is not None)


def test_each_head_is_a_dot_with_its_interval_and_its_name(say, light):
    trace = dots(head_scatter(example(), AXES, "same", say, light))
    assert list(trace.x) == PREVIOUS.ravel().tolist() and set(trace.y) == {0.8}
    np.testing.assert_allclose(trace.error_x.array, 0.01)
    np.testing.assert_allclose(trace.error_x.arrayminus, 0.01)
    assert [row[0] for row in trace.customdata] == ["1.1", "1.2", "2.1", "2.2"]
    assert list(trace.customdata[1][1:]) == ["90%", "80%", "5%"]


def test_a_cross_marks_a_uniform_head_unless_an_axis_is_of_the_loss(say, light):
    figure = head_scatter(example(), AXES, "same", say, light)
    assert (figure.data[-1].x, figure.data[-1].y) == ((0.05,), (1.0,))
    assert figure.layout.yaxis.range[1] > 1
    lone = head_scatter(example(), ("importance", "entropy"), "same", say, light, importance(2, 2))
    assert len(lone.data) == len(figure.data) - 1


def test_similar_heads_are_joined_in_both_views(say, light):
    scatter = head_scatter(example(), AXES, "same", say, light, links=[(0, 1)])
    assert list(scatter.data[0].x) == [0.05, 0.9, None] and scatter.data[0].mode == "lines"
    cells = head_map(example(), "same", say, light, links=[(1, 2)])
    assert (list(cells.data[1].x), list(cells.data[1].y)) == ([2, 1, None], [1, 2, None])
    note = say("heads.lines_note")
    assert note in scatter.layout.title.subtitle.text and note in cells.layout.title.subtitle.text
    assert note not in head_scatter(example(), AXES, "same", say, light).layout.title.subtitle.text


def test_names_do_not_cover_each_other_and_those_asked_for_come_first(say, light):
    crowded = survey(1, 4, previous=np.array([[0.5, 0.5001, 0.5002, 0.9]]))
    assert list(dots(head_scatter(crowded, AXES, "same", say, light)).text) == ["1.1", "", "", "1.4"]
    named = head_scatter(crowded, AXES, "same", say, light, named=[(0, 2)])
    assert list(dots(named).text) == ["", "", "1.3", "1.4"]


def test_each_cell_has_its_number_and_reports_its_head(say, light):
    figure = head_map(example(), "previous", say, light)
    cells, points = figure.data[0], dots(figure)
    np.testing.assert_allclose(cells.z, PREVIOUS)
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (0, 1)
    assert list(points.text) == ["5%", "90%", "30%", "10%"]
    assert (list(points.x), list(points.y)) == ([1, 2, 1, 2], [1, 1, 2, 2])
    assert points.customdata[2][0] == "2.1" and points.marker.opacity == 0
    assert figure.layout.yaxis.range == (2.5, 0.5), "the first layer is on top"


def test_a_distance_has_its_own_scale_and_a_change_of_the_loss_is_signed(say, light):
    far = head_map(survey(distance=np.array([[1.0, 2.0], [3.0, 12.0]])), "distance", say, light)
    assert far.layout.coloraxis.cmax == 12 and list(dots(far).text)[-1] == "12.0"
    changes = np.array([[0.02, -0.01], [0.0, 0.04]])
    loss = head_map(example(), "importance", say, light, importance(2, 2, loss_change=changes))
    assert (loss.layout.coloraxis.cmin, loss.layout.coloraxis.cmax) == (-0.04, 0.04)
    assert list(dots(loss).text) == ["+0.0200", "−0.0100", "0.0000", "+0.0400"]


def test_many_narrow_cells_have_no_numbers(say, light):
    assert set(dots(head_map(survey(12, 16), "entropy", say, light)).text) == {""}


def test_inconsistent_values_are_rejected(say, light):
    assert "importance" in atlas_values(example(), importance(2, 2)) and "importance" not in atlas_values(example())
    with pytest.raises(ValueError, match="'charm'.*entropy"):
        head_map(example(), "charm", say, light)
    with pytest.raises(ValueError, match="importance of shape"):
        head_map(example(), "importance", say, light, importance(4, 4))
    with pytest.raises(Failure):
        head_scatter(survey(previous=np.full((2, 2), np.nan)), AXES, "same", say, light)


def many():
    random = np.random.default_rng(0)
    shares = random.beta(0.5, 3, (12, 12))
    return survey(12, 12, previous=shares, entropy=random.beta(4, 2, (12, 12)), same=random.beta(0.4, 4, (12, 12)))


@pytest.mark.browser
class TestPictures:
    def test_of_four_heads(self, look, picture_of_figure):
        theme, say, name = look
        figure = head_scatter(example(), AXES, "previous", say, theme, links=[(0, 3)])
        picture_of_figure(figure, f"atlas_scatter_{name}")
        picture_of_figure(head_map(example(), "previous", say, theme, links=[(0, 3)]), f"atlas_map_{name}")

    def test_of_twelve_layers(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(head_scatter(many(), AXES, "same", say, theme), f"atlas_scatter_many_{name}")
        picture_of_figure(head_map(many(), "same", say, theme), f"atlas_map_many_{name}")
