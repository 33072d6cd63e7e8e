"""Geometry: the visible part of a heat map, and which links are drawn."""

import numpy as np
import pytest

from tests.rendering.examples import attention

pytestmark = pytest.mark.browser

# 400 deterministic random viewports; `problems` collects failed checks.
MANY = """let seed = 7;
const random = (from, to) => from + (to - from) * ((seed = (seed * 16807) % 2147483647) / 2147483647);
const problems = [], near = (a, b) => Math.abs(a - b) < 1e-6;
for (let round = 0; round < 400; round++) {
  const columns = Math.ceil(random(0, 512)), rows = round % 3 ? columns : Math.ceil(random(0, 90));
  const { frame, viewport } = viewport_.fit(random(120, 900), random(200, 700), columns, rows);
  const cell = random(frame.least, frame.largest);
  const visible = viewport_.clamp({ x: random(-5, columns), y: random(-5, rows), cell }, frame);
  const left = random(0, frame.width), top = random(0, frame.height);
  const inside = ({ x, y, cell: size }) => x >= 0 && y >= 0 && x * size + frame.width <= columns * size + 1e-6
    && y * size + frame.height <= rows * size + 1e-6;
  const check = (...results) => results.forEach((result, at) => { if (!result) problems.push([round, at]); });
  %s
}
return problems"""


def many(js, body):
    return js("const viewport_ = viewport; " + MANY.replace("%s", body))


def test_ten_cells_fit_by_hand(js):
    assert js("return viewport.fit(500, 400, 10, 10)") == {
        "frame": {"width": 400, "height": 400, "columns": 10, "rows": 10, "least": 40, "largest": 72},
        "viewport": {"x": 0, "y": 0, "cell": 40},
    }
    assert js("return viewport.fit(500, 400, 3, 2).viewport.cell") == 72, "cells of a short input stay small"


def test_cell_at_and_zoom_to_range_by_hand(js):
    frame = js("return viewport.fit(400, 400, 100, 100).frame")
    assert js("return viewport.cellAt({ x: 10, y: 20.5, cell: 8 }, frame, 16, 4)", frame=frame) == {
        "row": 21,
        "column": 12,
    }
    assert (
        js(
            "return [[-1, 0], [0, -1], [400, 0], [0, 400]].map(([x, y]) => viewport.cellAt({ x: 0, y: 0, cell: 4 }, "
            "frame, x, y))",
            frame=frame,
        )
        == [None] * 4
    )
    assert js("return viewport.zoomToRange(frame, [40, 47], [60, 67])", frame=frame) == {"x": 59, "y": 39, "cell": 40}


def test_the_whole_matrix_never_moves(js):
    """Not even by a rounding error: it would take the wheel from the page."""
    body = """return Array.from({ length: 512 }, (_, index) => index + 1).filter((count) => {
      const { frame, viewport: whole } = viewport.fit(640, 543.7, count, count);
      const { x, y } = viewport.panBy(whole, frame, -100, -100);
      return x !== 0 || y !== 0;
    })"""
    assert js(body) == []


def test_nothing_outside_the_matrix_is_ever_visible(js):
    assert (
        many(
            js,
            """check(inside(visible), inside(viewport_.panBy(visible, frame, random(-999, 999), random(-999, 999))),
        inside(viewport_.zoomAt(visible, frame, random(0.1, 9), left, top)),
        near(viewport_.clamp(visible, frame).x, visible.x));""",
        )
        == []
    )


def test_zooming_keeps_the_point_under_the_pointer(js):
    """Zooming in always does; zooming out may be limited by the edges."""
    assert (
        many(
            js,
            """const next = viewport_.zoomAt(visible, frame, random(1, 4), left, top);
        check(near(visible.x + left / visible.cell, next.x + left / next.cell), near(visible.y + top / visible.cell,
        next.y + top / next.cell),
          next.cell >= visible.cell - 1e-9, next.cell <= frame.largest + 1e-9);""",
        )
        == []
    )


def test_zooming_out_ends_at_the_whole_matrix(js):
    assert (
        many(
            js,
            """const all = viewport_.zoomAt(visible, frame, 1e-3, left, top);
        check(near(all.x, 0), near(all.y, 0), near(all.cell, frame.least));""",
        )
        == []
    )


def test_revealing_a_cell_shows_it_and_does_not_move_visible_cells(js):
    assert (
        many(
            js,
            """const row = Math.floor(random(0, rows)), column = Math.floor(random(0, columns));
        const next = viewport_.revealCell(visible, frame, row, column), size = next.cell; const whole = ({ x, y }) =>
        column - x >= -1e-6 && row - y >= -1e-6 && (column + 1 - x) * size <= frame.width + 1e-6
          && (row + 1 - y) * size <= frame.height + 1e-6;
        check(whole(next) || size > Math.min(frame.width, frame.height), inside(next),
          !whole(visible) || (near(next.x, visible.x) && near(next.y, visible.y)));""",
        )
        == []
    )


def test_the_cell_at_the_centre_of_a_cell_is_that_cell(js):
    assert (
        many(
            js,
            """const cell_ = viewport_.cellAt(visible, frame, left, top);
        const middle = [cell_.column + 0.5 - visible.x, cell_.row + 0.5 - visible.y].map((at) => at * visible.cell);
        const back = viewport_.cellAt(visible, frame, ...middle);
        check(cell_.row < rows && cell_.column < columns,
          !back || (back.row === cell_.row && back.column === cell_.column));""",
        )
        == []
    )


def test_the_strongest_keys_of_each_query(js):
    weights = attention(60, 3)
    weights[5] = 0
    weights[6] = np.eye(60)[9]
    columns = js(
        "const tokens = [...Array(60).keys()]; "
        "return links_layout.strongestLinks({ weights, queries: tokens, keys: tokens }, 3)",
        weights=weights.ravel(),
    )
    expected = np.argsort(-weights, axis=1, kind="stable")[:, :3]
    expected[5], expected[6, 1:] = -1, -1
    np.testing.assert_array_equal(np.reshape(columns, (60, 3)), expected)


def test_the_links_of_a_token_are_sorted_by_weight(js):
    map_ = {
        "weights": [0.7, 0.3, 0, 0.1, 0.9, 0, 0.001, 0.5, 0.499],
        "queries": [4, 5, 6],
        "keys": [4, 5, 6],
        "rowOf": [-1] * 4 + [0, 1, 2],
        "columnOf": [-1] * 4 + [0, 1, 2],
    }
    links = "return links_layout.linksOf(map, { side, unit }).map(({ row, column, weight }) => [row, column, weight])"
    assert js(links, map=map_, side="query", unit=4) == [[0, 0, 0.7], [0, 1, 0.3]], "no weight, no link"
    assert js(links, map=map_, side="key", unit=4) == [[0, 0, 0.7], [1, 0, 0.1]], "too faint to be drawn"
    assert js(links, map=map_, side="key", unit=0) == [], "it is left out of this map"


UNITS = {"labels": ["[CLS]", "not", "x" * 25, "👍" * 14], "of": [0, 1, 1, 2, 3]}


def test_names_include_the_position_and_are_cut_if_long(js):
    assert js("return [0, 1, 2].map((unit) => names.tokenName(units_, unit))", units_=UNITS) == [
        "[CLS] (1)",
        "not (2)",
        "x" * 24 + "… (3)",
    ]
    assert js("return [-1, 0, 1].map(cells.sideOf)") == ["", "A", "B"]


def test_the_length_of_a_name_counts_characters_not_code_units(js):
    assert js("return names.tokenName(units_, 3)", units_=UNITS) == "👍" * 14 + " (4)"


def test_a_range_of_tokens_maps_to_the_rows_shown(js):
    index_range = "return cells.indexRange(range, units_, indexOf)"
    assert js(index_range, units_=UNITS, range=[1, 4], indexOf=[-1, 0, 1, 2]) == [0, 2]
    assert js(index_range, units_=UNITS, range=[0, 3], indexOf=[-1, 0, 1, -1]) == [0, 1], "what is left out at its ends"
    assert js(index_range, units_=UNITS, range=[0, 0], indexOf=[-1, 0, 1, 2]) is None


def test_hovering_over_a_token_refers_to_its_cell_with_the_selected_token(js):
    hovered = "return cells.hoveredCell({ map, token, over }, unit)"
    map_ = {"rowOf": [-1, 0, 1], "columnOf": [-1, 0, 1]}
    assert js(hovered, map=map_, token=1, over="key", unit=2) == {"query": 1, "key": 2}
    assert js(hovered, map=map_, token=1, over="query", unit=2) == {"query": 2, "key": 1}
    assert js(hovered, map=map_, token=1, over="key", unit=0) is None, "it is left out"
    assert js(hovered, map=map_, token=None, over="key", unit=2) is None
