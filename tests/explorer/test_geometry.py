"""Where things stand: what of a heat map is seen, and which links are drawn."""

import numpy as np
import pytest

from tests.rendering.examples import attention

pytestmark = pytest.mark.browser

# The same 400 frames with a place in each, in every run; `wrong` collects what breaks a rule.
MANY = """let seed = 7;
const random = (from, to) => from + (to - from) * ((seed = (seed * 16807) % 2147483647) / 2147483647);
const wrong = [], near = (a, b) => Math.abs(a - b) < 1e-6;
for (let round = 0; round < 400; round++) {
  const columns = Math.ceil(random(0, 512)), rows = round % 3 ? columns : Math.ceil(random(0, 90));
  const { frame, viewport } = viewport_.fit(random(120, 900), random(200, 700), columns, rows);
  const cell = random(frame.least, frame.largest);
  const seen = viewport_.clamped({ x: random(-5, columns), y: random(-5, rows), cell }, frame);
  const left = random(0, frame.width), top = random(0, frame.height);
  const inside = ({ x, y, cell: size }) => x >= 0 && y >= 0 && x * size + frame.width <= columns * size + 1e-6
    && y * size + frame.height <= rows * size + 1e-6;
  const check = (...truths) => truths.forEach((truth, at) => { if (!truth) wrong.push([round, at]); });
  %s
}
return wrong"""


def many(js, body):
    return js("const viewport_ = viewport; " + MANY.replace("%s", body))


def test_ten_cells_fit_by_hand(js):
    assert js("return viewport.fit(500, 400, 10, 10)") == {
        "frame": {"width": 400, "height": 400, "columns": 10, "rows": 10, "least": 40, "largest": 72},
        "viewport": {"x": 0, "y": 0, "cell": 40},
    }
    assert js("return viewport.fit(500, 400, 3, 2).viewport.cell") == 72, "three tokens make no poster"


def test_a_cell_is_found_and_a_range_enlarged_by_hand(js):
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
    assert js("return viewport.zoomedTo(frame, [40, 47], [60, 67])", frame=frame) == {"x": 59, "y": 39, "cell": 40}


def test_nothing_outside_the_matrix_is_ever_seen(js):
    assert (
        many(
            js,
            """check(inside(seen), inside(viewport_.panned(seen, frame, random(-999, 999), random(-999, 999))),
        inside(viewport_.zoomed(seen, frame, random(0.1, 9), left, top)),
        near(viewport_.clamped(seen, frame).x, seen.x));""",
        )
        == []
    )


def test_what_is_under_the_pointer_stays_there(js):
    """Where the matrix does not end: zooming in always, out as far as the edges allow."""
    assert (
        many(
            js,
            """const next = viewport_.zoomed(seen, frame, random(1, 4), left, top);
        check(near(seen.x + left / seen.cell, next.x + left / next.cell), near(seen.y + top / seen.cell, next.y + top / next.cell),
          next.cell >= seen.cell - 1e-9, next.cell <= frame.largest + 1e-9);""",
        )
        == []
    )


def test_zooming_out_ends_at_the_whole_matrix(js):
    assert (
        many(
            js,
            """const all = viewport_.zoomed(seen, frame, 1e-3, left, top);
        check(near(all.x, 0), near(all.y, 0), near(all.cell, frame.least));""",
        )
        == []
    )


def test_a_revealed_cell_is_seen_and_what_was_seen_does_not_move(js):
    assert (
        many(
            js,
            """const row = Math.floor(random(0, rows)), column = Math.floor(random(0, columns));
        const shown = viewport_.revealed(seen, frame, row, column), size = shown.cell;
        const whole = ({ x, y }) => column - x >= -1e-6 && row - y >= -1e-6 && (column + 1 - x) * size <= frame.width + 1e-6
          && (row + 1 - y) * size <= frame.height + 1e-6;
        check(whole(shown) || size > Math.min(frame.width, frame.height), inside(shown),
          !whole(seen) || (near(shown.x, seen.x) && near(shown.y, seen.y)));""",
        )
        == []
    )


def test_the_cell_at_its_own_middle_is_that_cell(js):
    assert (
        many(
            js,
            """const cell_ = viewport_.cellAt(seen, frame, left, top);
        const middle = [cell_.column + 0.5 - seen.x, cell_.row + 0.5 - seen.y].map((at) => at * seen.cell);
        const back = viewport_.cellAt(seen, frame, ...middle);
        check(cell_.row < rows && cell_.column < columns,
          !back || (back.row === cell_.row && back.column === cell_.column));""",
        )
        == []
    )


def test_the_strongest_keys_of_each_query_are_found_without_sorting(js):
    weights = attention(60, 3)
    weights[5] = 0
    weights[6] = np.eye(60)[9]
    found = js(
        "return links_layout.strongest({ weights, queries: [...Array(60).keys()], keys: [...Array(60).keys()] }, 3)",
        weights=weights.ravel(),
    )
    expected = np.argsort(-weights, axis=1, kind="stable")[:, :3]
    expected[5], expected[6, 1:] = -1, -1
    np.testing.assert_array_equal(np.reshape(found, (60, 3)), expected)


def test_a_token_s_links_run_from_the_strongest_on(js):
    map_ = {
        "weights": [0.7, 0.3, 0, 0.1, 0.9, 0, 0.001, 0.5, 0.499],
        "queries": [4, 5, 6],
        "keys": [4, 5, 6],
        "rowOf": [-1] * 4 + [0, 1, 2],
        "columnOf": [-1] * 4 + [0, 1, 2],
    }
    links = "return links_layout.linksOf(map, { side, unit }).map(({ row, column, weight }) => [row, column, weight])"
    assert js(links, map=map_, side="query", unit=4) == [[0, 0, 0.7], [0, 1, 0.3]], "no weight, no link"
    assert js(links, map=map_, side="key", unit=4) == [[0, 0, 0.7], [1, 0, 0.1]], "too faint to be seen"
    assert js(links, map=map_, side="key", unit=0) == [], "it is left out of this map"


UNITS = {"labels": ["[CLS]", "not", "x" * 25, "👍" * 14], "of": [0, 1, 1, 2, 3]}


def test_names_tell_their_place_and_are_cut_where_they_are_long(js):
    assert js("return [0, 1, 2].map((unit) => names.tokenName(units_, unit))", units_=UNITS) == [
        "[CLS] (1)",
        "not (2)",
        "x" * 24 + "… (3)",
    ]
    assert js("return [-1, 0, 1].map(cells.sideOf)") == ["", "A", "B"]


def test_a_name_of_few_signs_that_take_much_room_in_memory_is_whole(js):
    assert js("return names.tokenName(units_, 3)", units_=UNITS) == "👍" * 14 + " (4)"


def test_a_range_of_tokens_is_the_rows_that_are_shown_of_it(js):
    span = "return cells.span(range, units_, places)"
    assert js(span, units_=UNITS, range=[1, 4], places=[-1, 0, 1, 2]) == [0, 2]
    assert js(span, units_=UNITS, range=[0, 3], places=[-1, 0, 1, -1]) == [0, 1], "what is left out at its ends"
    assert js(span, units_=UNITS, range=[0, 0], places=[-1, 0, 1, 2]) is None


def test_pointing_at_a_token_means_the_cell_that_it_shares_with_the_selected_one(js):
    pointed = "return cells.pointed({ map, query }, direction, unit)"
    map_ = {"rowOf": [-1, 0, 1], "columnOf": [-1, 0, 1]}
    assert js(pointed, map=map_, query=1, direction="from", unit=2) == {"query": 1, "key": 2}
    assert js(pointed, map=map_, query=1, direction="to", unit=2) == {"query": 2, "key": 1}
    assert js(pointed, map=map_, query=1, direction="from", unit=0) is None, "it is left out"
    assert js(pointed, map=map_, query=None, direction="from", unit=2) is None
