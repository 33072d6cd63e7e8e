"""Zooming and panning a large heat map with the mouse, the keyboard and touch."""

import re

import pytest

from tests.explorer import examples
from tests.explorer.explorer_page import weight_text
from tests.words import says

pytestmark = pytest.mark.browser

LONG = examples.of_length(128, heads=1)
WEIGHTS = LONG.attention[1, 0]
NUMBER = re.compile(r"[01]?\.\d")


def names(tokens):
    return [LONG.encoding.label(token) for token in tokens]


@pytest.fixture
def explorer(open_explorer):
    return open_explorer(LONG, {"head": "2.1", "views": "23"}, viewport={"width": 1280, "height": 800})


def cell_under(explorer, point):
    """Row and column in the tooltip, counted from 0."""
    explorer.point_at(point)
    query, key = explorer.tip()[1].split(" → ")
    return tuple(int(name.rsplit("(", 1)[1].rstrip(")")) - 1 for name in (query, key))


def middle(explorer, share=0.5):
    box = explorer.map_box()
    return box["x"] + box["width"] * share + 1, box["y"] + box["height"] * share + 1


def test_names_thin_out_and_return_when_there_is_space(explorer):
    whole = explorer.canvas_texts("heatmap")
    assert len(whole) == 2 * 32, "there is space for every fourth name"
    for _ in range(4):
        explorer.click(explorer.page.get_by_role("button", name="Zoom in"))
    row, column = cell_under(explorer, middle(explorer, 0))
    visible = 128 / 1.5**4
    rows = [name for name in explorer.canvas_texts("heatmap") if not NUMBER.match(name)]
    assert rows[:12] == names(range(row, row + 12)) and len(rows) == pytest.approx(2 * visible, abs=4)
    assert not any(NUMBER.match(name) for name in whole)


def test_large_cells_show_their_weights(explorer):
    explorer.view("heatmap").locator(".stage").focus()
    explorer.press(*["+"] * 9)
    texts = explorer.canvas_texts("heatmap")
    row, column = cell_under(explorer, middle(explorer))
    assert WEIGHTS[row, column] < WEIGHTS.max() / 20 or f"{WEIGHTS[row, column]:.2f}" in texts
    assert sum(text.startswith("0.") for text in texts) > 3
    explorer.press("0")
    assert not any(NUMBER.match(text) for text in explorer.canvas_texts("heatmap")), "the whole map is visible again"


def test_ctrl_and_wheel_zoom_around_the_pointer(explorer):
    point = middle(explorer, 0.3)
    before = cell_under(explorer, point)
    explorer.wheel(point, 0, -150, "Control")
    assert cell_under(explorer, point) == before
    corner = cell_under(explorer, middle(explorer, 0))
    assert corner[0] > 20 and corner[1] > 20, "and it is enlarged"
    explorer.wheel(point, 0, 500, "Control")
    assert cell_under(explorer, middle(explorer, 0)) == (0, 0)


def test_the_wheel_scrolls_the_page_over_an_unzoomed_map(explorer):
    explorer.wheel(middle(explorer, 0.2), 0, 120)
    explorer.page.wait_for_function("scrollY > 0")


def test_the_wheel_pans_an_enlarged_map_to_its_end(explorer):
    point = middle(explorer, 0.2)
    explorer.wheel(point, 0, -100, "Control")
    before = cell_under(explorer, point)
    explorer.wheel(point, 0, 60)
    after = cell_under(explorer, point)
    assert after[0] > before[0] and after[1] == before[1] and explorer.page.evaluate("scrollY") == 0
    for _ in range(12):
        explorer.wheel(point, 0, 300)
    assert explorer.page.evaluate("scrollY") > 0, "at its end the page scrolls"


def test_an_enlarged_map_is_dragged(explorer):
    explorer.click(explorer.page.get_by_role("button", name="Zoom in"))
    explorer.click(explorer.page.get_by_role("button", name="pan", exact=True))
    point = middle(explorer, 0.5)
    before = cell_under(explorer, point)
    explorer.drag(point, (point[0] - 60, point[1] - 90))
    after = cell_under(explorer, (point[0] - 60, point[1] - 90))
    assert after == before, "the map follows the drag"
    assert explorer.reading.startswith(names([before[0]])[0]) and "On average" not in explorer.reading


def test_zooming_to_a_range(explorer):
    box = explorer.map_box()
    size = box["width"] / 128
    explorer.drag(explorer.cell(40, 60, size), explorer.cell(47, 67, size))
    explorer.view("heatmap").locator(".stage").focus()
    explorer.press("z")
    assert cell_under(explorer, middle(explorer, 0)) == (39, 59), "with a margin of one cell"
    row, column = cell_under(explorer, middle(explorer))
    assert explorer.tip()[0] == weight_text(WEIGHTS, row, column)
    explorer.click(explorer.page.get_by_role("button", name="Fit all tokens"))
    assert cell_under(explorer, middle(explorer, 0)) == (0, 0)


def test_arrows_scroll_a_cell_into_view(explorer):
    explorer.view("heatmap").locator(".stage").focus()
    explorer.press(*["+"] * 6)
    for key in ["ArrowDown"] * 30 + ["ArrowRight"] * 3:
        explorer.press(key)
    assert explorer.reading.split(" gives")[0].endswith("(30)")
    texts = explorer.canvas_texts("heatmap")
    assert names([29])[0] in texts and cell_under(explorer, middle(explorer, 0))[0] > 0


class TestTouch:
    @pytest.fixture
    def explorer(self, open_explorer):
        return open_explorer(
            LONG, {"head": "2.1", "views": "23"}, viewport={"width": 720, "height": 1300}, has_touch=True
        )

    def test_a_tap_selects_a_cell(self, explorer):
        size = explorer.map_box()["width"] / 128
        explorer.page.touchscreen.tap(*explorer.cell(50, 52, size))
        explorer.frame()
        assert explorer.reading == (
            f"{names([50])[0]} (51) gives {weight_text(WEIGHTS, 50, 52)} of its weight to {names([52])[0]} (53) "
            f"(uniform: {float(f'{1 / len(WEIGHTS):.2g}')})."
        )

    def test_a_tap_selects_a_token(self, explorer):
        explorer.token("not").tap()
        explorer.frame()
        assert says(explorer.reading, "explorer.selected_from", query="not (5)")

    def test_pinching_zooms_around_the_centre(self, explorer):
        box = explorer.map_box()
        middle_ = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.touch(
            explorer,
            [[(middle_[0] - apart, middle_[1]), (middle_[0] + apart, middle_[1])] for apart in range(40, 130, 10)],
        )
        assert explorer.page.evaluate("visualViewport.scale") == 1, "the page itself is not zoomed"
        row, column = cell_under(explorer, middle_)
        assert abs(row - 64) <= 1 and abs(column - 64) <= 1
        corner = cell_under(explorer, middle(explorer, 0))
        assert corner == pytest.approx((64 - 64 / 3, 64 - 64 / 3), abs=2), "three times as large"

    def test_one_finger_scrolls_the_page_over_an_unzoomed_map(self, explorer):
        x, y = middle(explorer)
        self.touch(explorer, [[(x, y - down)] for down in range(0, 130, 12)])
        explorer.page.wait_for_function("scrollY > 0")
        assert explorer.reading.startswith("No token selected")

    def test_the_finger_that_a_pinch_leaves_moves_the_map_and_selects_nothing(self, explorer):
        x, y = middle(explorer)
        stage = explorer.view("heatmap").locator(".stage")
        stage.evaluate(
            "(stage) => stage.addEventListener('pointerdown', (event) => { stage.second = event.pointerId; })"
        )
        touch = self.touch(explorer, [[(x - apart, y), (x + apart, y)] for apart in range(40, 130, 10)], release=False)
        stage.evaluate("(stage) => stage.dispatchEvent(new PointerEvent('pointerup', { pointerId: stage.second }))")
        before = cell_under(explorer, middle(explorer, 0))
        self.touch(explorer, [[(x - apart, y), (x + 120, y)] for apart in range(110, 40, -10)], touch)
        assert explorer.reading.startswith("No token selected")
        assert before[1] - cell_under(explorer, middle(explorer, 0))[1] > 1, "to the right"

    def touch(self, explorer, steps, session=None, release=True):
        """Touches the points of each step in turn, then releases. session: of a touch that goes on."""
        goes_on, session = bool(session), session or explorer.page.context.new_cdp_session(explorer.page)
        for at, points in enumerate([*steps, []] if release else steps):
            session.send(
                "Input.dispatchTouchEvent",
                {
                    "type": "touchEnd" if not points else "touchMove" if at or goes_on else "touchStart",
                    "touchPoints": [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)],
                },
            )
            explorer.frame()
        return session
