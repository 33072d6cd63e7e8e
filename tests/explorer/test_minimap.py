"""The small picture of the whole heat map that says which part is visible."""

import pytest

from tests.explorer import examples

pytestmark = pytest.mark.browser

TOKENS = 128
LONG = examples.of_length(TOKENS, heads=1)


@pytest.fixture
def explorer(open_explorer):
    return open_explorer(LONG, {"head": "2.1", "views": "2"}, viewport={"width": 1280, "height": 900})


def minimap(explorer):
    return explorer.view("heatmap").locator(".minimap")


def zoom_in(explorer, times):
    for _ in range(times):
        explorer.click(explorer.page.get_by_role("button", name="Zoom in"))


def visible_part(explorer):
    """Left, top, width and height of the rectangle as shares of the picture."""
    whole, part = (minimap(explorer).locator(name).bounding_box() for name in ("canvas", "i"))
    return tuple(
        (part[side] - (whole[side] if side in "xy" else 0)) / whole[size]
        for side, size in (("x", "width"), ("y", "height"), ("width", "width"), ("height", "height"))
    )


def first_cell(explorer):
    """Row and column at the upper left corner of the map, counted from 0."""
    box = explorer.map_box()
    explorer.point_at((box["x"] + 2, box["y"] + 2))
    query, key = explorer.tip()[1].split(" → ")
    return tuple(int(name.rsplit("(", 1)[1].rstrip(")")) - 1 for name in (query, key))


def point_in(explorer, across, down):
    """A point of the picture, by shares of its sides."""
    box = minimap(explorer).locator("canvas").bounding_box()
    return box["x"] + across * box["width"], box["y"] + down * box["height"]


def test_it_is_there_while_only_a_part_is_visible(explorer):
    assert not minimap(explorer).is_visible()
    zoom_in(explorer, 2)
    assert minimap(explorer).is_visible() and minimap(explorer).get_attribute("aria-hidden") == "true"
    share = 1 / 1.5**2
    assert visible_part(explorer) == pytest.approx(((1 - share) / 2, (1 - share) / 2, share, share), abs=0.02)
    explorer.click(explorer.page.get_by_role("button", name="Fit"))
    assert not minimap(explorer).is_visible()


def test_a_click_and_a_drag_go_there_and_select_nothing(explorer):
    zoom_in(explorer, 4)
    selected, visible = explorer.reading, TOKENS / 1.5**4
    explorer.click_at(point_in(explorer, 0.25, 0.6))
    row, column = first_cell(explorer)
    assert (row, column) == pytest.approx((0.6 * TOKENS - visible / 2, 0.25 * TOKENS - visible / 2), abs=2)
    explorer.drag(point_in(explorer, 0.25, 0.6), point_in(explorer, 0.75, 0.5))
    row, column = first_cell(explorer)
    assert (row, column) == pytest.approx((0.5 * TOKENS - visible / 2, 0.75 * TOKENS - visible / 2), abs=2)
    explorer.point_at((5, 5))
    assert explorer.reading == selected


def test_it_never_hides_the_end_of_the_map(explorer):
    zoom_in(explorer, 4)
    for across in (0, 1):
        explorer.click_at(point_in(explorer, across * 0.98 + 0.01, 0.99))
        explorer.point_at((5, 5))
        box, picture = explorer.map_box(), minimap(explorer).bounding_box()
        edge = box["x"] + across * (box["width"] - 1)
        assert not picture["x"] <= edge <= picture["x"] + picture["width"]
        corner = (edge + (3 if across == 0 else -3), box["y"] + box["height"] - 3)
        explorer.point_at(corner)
        names = [explorer.explanation.encoding.label(token) for token in (TOKENS - 1, across * (TOKENS - 1))]
        assert explorer.tip()[1].startswith(names[0]) and f"→ {names[1]} " in explorer.tip()[1]
