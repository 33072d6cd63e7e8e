"""The pictures of the cards on the home page, cut from the app: `python -m tests.card_pictures [NAME …]`.

Run it after a change of what they show, with a training run in `VIZ_RUNS_DIR` to draw the last one. They are committed.
No words are in them, so that one serves both languages.
"""

import io
import sys

from PIL import Image, ImageOps
from playwright.sync_api import Page, sync_playwright

from tests.browser import FLAGS, PROJECT, executable, running_app
from tests.explorer.conftest import RECORD_CANVAS
from tests.screenshots import page_height, wait_until_drawn
from viz_core.rendering.theme import theme

FOLDER = PROJECT / "pages" / "home" / "pictures"
SIZE = (256, 256)  # pixels: more than twice those of a tile
# Boxes in px on the page: the lines between two columns of names, the plot of a figure, the rows of a table that
# scrolls.
LINES = """(canvas) => {
  const { x, y } = canvas.getBoundingClientRect(), { texts } = canvas, across = texts.map((text) => text.x);
  const middle = (Math.min(...across) + Math.max(...across)) / 2, left = across.filter((place) => place < middle);
  const rows = [...new Set(texts.map((text) => text.y))].sort((a, b) => a - b).slice(1); // without the headings
  const [start, top, room] = [Math.max(...left) + 4, rows[0] - 14, rows.at(-1) - rows[0] + 28];
  return { x: x + start, y: y + top, width: 2 * (middle - start), height: room };
}"""
PLOT = """(plot) => {
  const { x, y, width, height } = plot.getBoundingClientRect();
  return { x, y, width, height };
}"""
ROWS = """(canvas) => {
  const { x, y, width } = canvas.getBoundingClientRect(), { height } = canvas.closest(".body").getBoundingClientRect();
  return { x, y, width, height };
}"""
# By the last part of a page's address: the rest of the address, the element, its box, and whether all of it is shown.
TILES = {
    "matching": ("?views=4&query=all&special=hidden&unit=word&block=ab", ".links canvas", LINES, True),
    "inside": ("?task=afqmc&step=scores", ".inside .rows .image", ROWS, False),
    "models": ("?task=imdb&model=minilm&atlas_colour=entropy", ".atlas .cells", PLOT, False),
    "training": ("", ".st-key-view_curve_loss .scatterlayer", PLOT, False),
}


def main(names: list[str]) -> None:
    """Draws the pictures of these tiles, by default of all."""
    FOLDER.mkdir(exist_ok=True)
    with running_app() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=FLAGS)
        for mode in ("light", "dark"):
            page = browser.new_page(viewport={"width": 1280, "height": 1000}, color_scheme=mode, device_scale_factor=2)
            page.add_init_script(RECORD_CANVAS)
            for name in names or TILES:
                picture(page, address, name, mode).save(FOLDER / f"{name}_{mode}.webp", quality=80, method=6)
        browser.close()


def picture(page: Page, address: str, name: str, mode: str) -> Image.Image:
    """The upper left square of the box, or all of it."""
    link, selector, box, is_whole = TILES[name]
    page.goto(f"{address}/{name}{link}{'&' if link else '?'}lang=en")
    wait_until_drawn(page, selector)
    element = page.locator(selector).first
    page.set_viewport_size({"width": 1280, "height": page_height(page)})
    page.wait_for_timeout(1000)
    part = Image.open(io.BytesIO(page.screenshot(clip=element.evaluate(box)))).convert("RGB")
    if is_whole:
        return ImageOps.pad(part, SIZE, Image.Resampling.LANCZOS, color=theme(mode).background)
    return ImageOps.fit(part, SIZE, Image.Resampling.LANCZOS, centering=(0, 0))


if __name__ == "__main__":
    main(sys.argv[1:])
