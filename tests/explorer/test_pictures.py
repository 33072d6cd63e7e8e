"""Views saved as pictures for slides: twice as sharp as the page, with margins, a colour scale and a caption."""

from datetime import datetime
from io import BytesIO

import pytest
from PIL import Image

from tests.explorer import examples
from tests.explorer.explorer_page import ExplorerPage
from tests.pictures import compare
from viz_core.rendering.theme import theme

pytestmark = pytest.mark.browser

MARGIN, LINE = 24, 18  # px on every side; of a line of the caption


def save(explorer: ExplorerPage, view: str) -> bytes:
    explorer.page.clock.set_fixed_time(datetime(2026, 3, 14, 12))
    button = explorer.view(view).get_by_role("button", name="PNG")
    button.hover()
    explorer.frame()  # what was pointed at before is let go
    with explorer.page.expect_download() as download:
        button.click()
    return download.value.path().read_bytes()


@pytest.mark.parametrize("view", ["heatmap", "links"])
@pytest.mark.parametrize("ratio", [1, 3])
def test_is_twice_as_sharp_as_the_page_on_every_screen(open_explorer, view, ratio):
    explorer = open_explorer(examples.review(), {"head": "2.1"}, device_scale_factor=ratio)
    box = explorer.view(view).locator("canvas").first.bounding_box()
    width, height = Image.open(BytesIO(save(explorer, view))).size
    assert width == pytest.approx(2 * (box["width"] + 2 * MARGIN), abs=4)
    assert 2 * (box["height"] + 2 * MARGIN + LINE) <= height <= 2 * (box["height"] + 2 * MARGIN + 6 * LINE)


def test_of_a_text_is_all_of_it_although_the_view_shows_a_part(open_explorer):
    explorer = open_explorer(examples.of_length(200), {"head": "2.1"})
    body = explorer.view("text").locator(".body")
    shown, whole = body.evaluate("(body) => [body.clientHeight, body.scrollHeight]")
    assert whole > 1.2 * shown
    before, height = body.evaluate("(body) => body.scrollTop = 40"), Image.open(BytesIO(save(explorer, "text"))).size[1]
    assert height >= 2 * (whole + 2 * MARGIN + LINE) and body.evaluate("(body) => body.scrollTop") == before


@pytest.mark.parametrize(
    ("view", "language", "mode"),
    [("heatmap", "zh", "light"), ("links", "en", "dark"), ("text", "zh", "light"), ("text", "en", "dark")],
)
def test_pictures(open_explorer, view, language, mode):
    explanation = examples.pair() if language == "zh" else examples.review()
    link = {"head": "2.1 1.2" if view == "links" else "2.1", "query": "3", "unit": "word"}
    explorer = open_explorer(explanation, link, language, theme(mode))
    explorer.point_at(explorer.cell(1, 1))
    compare(save(explorer, view), f"saved_{view}_{language}_{mode}")
