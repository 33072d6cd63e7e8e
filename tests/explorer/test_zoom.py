"""A heat map of many tokens is enlarged, moved and looked at closely, with a mouse, with keys and with two fingers."""

import pytest

from tests.explorer import examples
from tests.explorer.explorer_page import weight_text

pytestmark = pytest.mark.browser

LONG = examples.of_length(128, heads=1)
WEIGHTS = LONG.attention[1, 0]


def names(places):
    return [LONG.encoding.label(place) for place in places]


@pytest.fixture
def explorer(opened):
    return opened(LONG, {"head": "2.1", "views": "23"}, viewport={"width": 1280, "height": 800})


def cell_under(explorer, place):
    """Row and column that the tip tells of, counted from 0."""
    explorer.point_at(place)
    query, key = explorer.tip()[1].split(" → ")
    return tuple(int(name.rsplit("(", 1)[1].rstrip(")")) - 1 for name in (query, key))


def middle(explorer, share=0.5):
    box = explorer.map_box()
    return box["x"] + box["width"] * share + 1, box["y"] + box["height"] * share + 1


def test_names_thin_out_and_come_back_when_there_is_room(explorer):
    whole = explorer.canvas_texts("heatmap")
    assert len(whole) == 2 * 32, "every fourth row and column has room for its name"
    for _ in range(4):
        explorer.click(explorer.page.get_by_role("button", name="Larger"))
    row, column = cell_under(explorer, middle(explorer, 0))
    seen = 128 / 1.5**4
    rows = [name for name in explorer.canvas_texts("heatmap") if not name.startswith("0.")]
    assert rows[:12] == names(range(row, row + 12)) and len(rows) == pytest.approx(2 * seen, abs=4)
    assert not any(name.startswith("0.") for name in whole)


def test_cells_that_are_large_enough_carry_their_weights(explorer):
    explorer.view("heatmap").locator(".stage").focus()
    explorer.press(*["+"] * 9)
    written = explorer.canvas_texts("heatmap")
    row, column = cell_under(explorer, middle(explorer))
    assert WEIGHTS[row, column] < WEIGHTS.max() / 20 or f"{WEIGHTS[row, column]:.2f}" in written
    assert sum(text.startswith("0.") for text in written) > 3
    explorer.press("0")
    assert not any(text.startswith("0.") for text in explorer.canvas_texts("heatmap")), "seen as a whole again"


def test_ctrl_and_wheel_keep_what_is_under_the_pointer(explorer):
    place = middle(explorer, 0.3)
    before = cell_under(explorer, place)
    explorer.wheel(place, 0, -150, "Control")
    assert cell_under(explorer, place) == before
    corner = cell_under(explorer, middle(explorer, 0))
    assert corner[0] > 20 and corner[1] > 20, "and it is enlarged"
    explorer.wheel(place, 0, 500, "Control")
    assert cell_under(explorer, middle(explorer, 0)) == (0, 0)


def test_the_wheel_scrolls_the_page_over_a_map_that_is_seen_as_a_whole(explorer):
    explorer.wheel(middle(explorer, 0.2), 0, 120)
    explorer.page.wait_for_function("scrollY > 0")


def test_the_wheel_moves_an_enlarged_map_until_it_ends(explorer):
    place = middle(explorer, 0.2)
    explorer.wheel(place, 0, -100, "Control")
    before = cell_under(explorer, place)
    explorer.wheel(place, 0, 60)
    after = cell_under(explorer, place)
    assert after[0] > before[0] and after[1] == before[1] and explorer.page.evaluate("scrollY") == 0
    for _ in range(12):
        explorer.wheel(place, 0, 300)
    assert explorer.page.evaluate("scrollY") > 0, "from its end on, the page goes on"


def test_an_enlarged_map_is_dragged(explorer):
    explorer.click(explorer.page.get_by_role("button", name="Larger"))
    explorer.click(explorer.page.get_by_role("button", name="move", exact=True))
    place = middle(explorer, 0.5)
    before = cell_under(explorer, place)
    explorer.drag(place, (place[0] - 60, place[1] - 90))
    after = cell_under(explorer, (place[0] - 60, place[1] - 90))
    assert after == before, "the map follows the hand"
    assert explorer.reading.startswith(names([before[0]])[0]) and "On average" not in explorer.reading


def test_a_range_is_enlarged_to(explorer):
    box = explorer.map_box()
    size = box["width"] / 128
    explorer.drag(explorer.cell(40, 60, size), explorer.cell(47, 67, size))
    explorer.view("heatmap").locator(".stage").focus()
    explorer.press("z")
    assert cell_under(explorer, middle(explorer, 0)) == (39, 59), "with a cell of room around it"
    row, column = cell_under(explorer, middle(explorer))
    assert explorer.tip()[0] == weight_text(WEIGHTS, row, column)
    explorer.click(explorer.page.get_by_role("button", name="Fit all tokens"))
    assert cell_under(explorer, middle(explorer, 0)) == (0, 0)


def test_arrows_bring_a_cell_into_sight(explorer):
    explorer.view("heatmap").locator(".stage").focus()
    explorer.press(*["+"] * 6)
    for key in ["ArrowDown"] * 30 + ["ArrowRight"] * 3:
        explorer.press(key)
    assert explorer.reading.split(" gives")[0].endswith("(30)")
    seen = explorer.canvas_texts("heatmap")
    assert names([29])[0] in seen and cell_under(explorer, middle(explorer, 0))[0] > 0


class TestFingers:
    @pytest.fixture
    def touched(self, opened):
        return opened(LONG, {"head": "2.1", "views": "23"}, viewport={"width": 800, "height": 1300}, has_touch=True)

    def test_a_tap_selects_a_cell(self, touched):
        size = touched.map_box()["width"] / 128
        touched.page.touchscreen.tap(*touched.cell(50, 52, size))
        touched.frame()
        assert touched.reading == (
            f"{names([50])[0]} (51) gives {weight_text(WEIGHTS, 50, 52)} of its weight to {names([52])[0]} (53)."
        )

    def test_a_tap_selects_a_token(self, touched):
        touched.token("not").tap()
        touched.frame()
        assert touched.reading == "not (5) is selected: the text shows what it looks at."

    def test_two_fingers_enlarge_what_is_between_them(self, touched):
        box = touched.map_box()
        middle_ = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.fingers(
            touched,
            [[(middle_[0] - apart, middle_[1]), (middle_[0] + apart, middle_[1])] for apart in range(40, 130, 10)],
        )
        assert touched.page.evaluate("visualViewport.scale") == 1, "the page is as it was"
        row, column = cell_under(touched, middle_)
        assert abs(row - 64) <= 1 and abs(column - 64) <= 1
        corner = cell_under(touched, middle(touched, 0))
        assert corner == pytest.approx((64 - 64 / 3, 64 - 64 / 3), abs=2), "three times as large"

    def test_one_finger_scrolls_the_page_over_a_map_that_is_seen_as_a_whole(self, touched):
        x, y = middle(touched)
        touched.page.set_viewport_size({"width": 800, "height": 700})
        self.fingers(touched, [[(x, y - down)] for down in range(0, 130, 12)])
        touched.page.wait_for_function("scrollY > 0")
        assert touched.reading.startswith("Nothing selected")

    def fingers(self, explorer, places):
        """Fingers that touch, move from place to place, and leave."""
        hand = explorer.page.context.new_cdp_session(explorer.page)
        for at, points in enumerate([*places, []]):
            hand.send(
                "Input.dispatchTouchEvent",
                {
                    "type": "touchStart" if at == 0 else "touchMove" if points else "touchEnd",
                    "touchPoints": [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)],
                },
            )
            explorer.frame()
