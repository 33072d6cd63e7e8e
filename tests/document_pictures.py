"""The pictures of the README and of docs/, cut from the app: `python -m tests.document_pictures [NAME …]`.

Run it after a change of what they show. They are committed, and small: a README is read on phones, too.
"""

import io
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

from PIL import Image
from playwright.sync_api import Locator, Page, sync_playwright

from tests.browser import FLAGS, PROJECT, executable, running_app
from tests.screenshots import wait_until_drawn

FOLDER = PROJECT / "docs" / "pictures"
WIDTH = 1100  # px of the window; below, boxes stand under one another
SHOWN = 880  # px of a picture
FRAME, PAUSE = 110, 1600  # milliseconds of the film: between two keys, and to look


class Picture(NamedTuple):
    """What a picture shows.

    Attributes:
        link: Address in the app.
        ready: Selector of what must be drawn.
        first: Selector of what stands at its upper edge.
        height: In px of the window.
        before: What a visitor does first.
    """

    link: str
    ready: str
    first: str
    height: int
    before: Callable[[Page], None] = lambda page: None


def _mask_a_head(page: Page) -> None:
    page.locator(".whatif .heads button").nth(7).click()  # head 2.2
    page.wait_for_timeout(3000)


PICTURES = {
    "see": Picture(
        "matching?views=14&query=all&special=hidden&unit=word&block=ab", ".explorer .links", ".instrument", 640
    ),
    "change": Picture("sentiment?evidence=whatif", ".whatif", ".whatif", 700, _mask_a_head),
    "inside": Picture("inside?task=imdb&step=scores", ".inside", ".inside", 700),
    "translate": Picture("translation", ".candidates", ".instrument", 400),
    "train": Picture("training", ".st-key-view_curve_loss", "#recorded", 640),
}


def main(names: list[str]) -> None:
    """Draws these pictures, by default all, and the film."""
    with running_app() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=FLAGS)
        page = browser.new_page(viewport={"width": WIDTH, "height": 900}, device_scale_factor=2)
        for name in names or PICTURES:
            if name in PICTURES:
                _shrink(_picture(page, address, PICTURES[name])).save(FOLDER / f"{name}.webp", quality=75, method=6)
        if not names or "film" in names:
            _save_film(list(_film(page, address)))
        browser.close()


def _picture(page: Page, address: str, picture: Picture) -> bytes:
    page.goto(f"{address}/{picture.link}{'&' if '?' in picture.link else '?'}lang=en")
    wait_until_drawn(page, picture.ready)
    picture.before(page)
    page.set_viewport_size({"width": WIDTH, "height": 3000})
    page.wait_for_timeout(1500)
    box = page.locator(picture.first).first.bounding_box()
    assert box, picture.first
    shot = page.screenshot(clip={"x": 0, "y": box["y"] - 12, "width": WIDTH, "height": picture.height})
    page.set_viewport_size({"width": WIDTH, "height": 900})
    return shot


def _shrink(shot: bytes, width: int = SHOWN) -> Image.Image:
    image = Image.open(io.BytesIO(shot)).convert("RGB")
    return image.resize((width, round(image.height * width / image.width)), Image.Resampling.LANCZOS)


def _film(page: Page, address: str) -> Iterator[tuple[Image.Image, int]]:
    """Frames and how long each is shown: a review is typed; a head is chosen; a word is changed."""

    def frame(milliseconds: int) -> tuple[Image.Image, int]:
        page.evaluate("document.querySelector('[data-testid=stMain]').scrollTo(0, 0)")
        page.wait_for_timeout(600)
        return _shrink(page.screenshot()), milliseconds

    page.set_viewport_size({"width": WIDTH, "height": 640})
    page.goto(f"{address}/sentiment?lang=en&views=14")
    wait_until_drawn(page, ".explorer .links")
    box: Locator = page.locator("textarea:visible").first
    box.fill("")
    for word in ("The", " film", " is", " not", " good", "."):
        box.press_sequentially(word)
        yield frame(3 * FRAME)
    yield frame(PAUSE)
    heads = page.locator(".explorer .heads button.head")
    for number in (1, 5):
        heads.nth(number).click()
        page.mouse.move(1, 1)
        yield frame(PAUSE)
    box.fill("The film is good.")
    yield frame(PAUSE)


def _save_film(frames: list[tuple[Image.Image, int]]) -> None:
    images = [image.quantize(160, dither=Image.Dither.NONE) for image, _ in frames]
    images[0].save(
        FOLDER / "film.gif",
        save_all=True,
        append_images=images[1:],
        duration=[milliseconds for _, milliseconds in frames],
        loop=0,
        optimize=True,
    )


if __name__ == "__main__":
    main(sys.argv[1:])
