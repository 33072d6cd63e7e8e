"""The diagram of what a head feeds."""

import numpy as np
import pytest

from tests.rendering.test_patching import CONTRAST, told
from tests.words import says
from viz_core.records import Failure, Paths
from viz_core.rendering.patching_paths import paths_map
from viz_core.tables.downloads import paths_csv

EFFECTS = np.full((3, 3, 2), np.nan)
EFFECTS[:, 1:] = [[[0.5, 0.0], [0.0, 0.01]], [[0.0, -0.25], [0.0, 0.0]], [[0.0, 0.0], [1.5, 0.0]]]
PATHS = Paths(CONTRAST, (0, 1), EFFECTS)


def wide() -> Paths:
    random = np.random.default_rng(0)
    effects = random.normal(0, 0.1, (3, 6, 12))
    effects[:, :2] = np.nan
    return Paths(CONTRAST, (1, 4), effects)


def test_each_later_head_has_a_cell_for_queries_keys_and_values(say, light):
    figure = paths_map(PATHS, say, light)
    (cells,) = (trace for trace in figure.data if trace.type == "heatmap")
    nothing = np.nan
    expected = [[nothing] * 7, [nothing] * 7, [0.5, 0, 0, nothing, 0, -0.25, 0], [0, 0, 1.5, nothing, 0.01, 0, 0]]
    np.testing.assert_array_equal(cells.z, expected)
    assert list(figure.layout.yaxis.ticktext) == ["1", "2", "3"]
    assert says(told(figure)[5, 2][1], "patching.hover_keys", head="2.2", value="−0.25")
    assert says(told(figure)[2, 3][1], "patching.hover_values", head="3.1", value="+1.50")


def test_lines_lead_from_the_sender_to_what_it_feeds_and_are_thicker_for_more(say, light):
    lines = [trace for trace in paths_map(PATHS, say, light).data if trace.type == "scatter" and trace.mode == "lines"]
    ends = {(line.x[1], line.y[1]): line.line.width for line in lines}
    assert {(line.x[0], line.y[0]) for line in lines} == {(5, 0)}
    assert list(ends) == [(5, 1.5), (0, 1.5), (2, 2.5)], "the strongest last, on top; 0.01 is too little for a line"
    assert ends[2, 2.5] > ends[0, 1.5] > ends[5, 1.5]


def test_numbers_are_checked(say, light):
    with pytest.raises(Failure):
        paths_map(Paths(CONTRAST, (0, 1), np.full((3, 2, 2), np.nan)), say, light)


def test_the_table_has_a_line_per_head_and_input():
    lines = [line.split(",") for line in paths_csv(PATHS).splitlines()]
    assert lines[0] == ["sender", "head", "input", "effect"] and len(lines) == 1 + 3 * 2 * 2
    assert lines[1][:3] == ["1.2", "2.1", "queries"] and float(lines[1][3]) == 0.5


@pytest.mark.browser
class TestPictures:
    def test_of_a_small_model(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(paths_map(PATHS, say, theme), f"paths_{name}")

    def test_of_many_heads(self, say, light, picture_of_figure):
        picture_of_figure(paths_map(wide(), say, light), "paths_wide")
