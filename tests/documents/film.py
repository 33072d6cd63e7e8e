"""The moving picture and the five pictures of the README: `python -m tests.documents.film [film | NAME …]`.

Run it after a change of what they show, and look at them before you commit them. It takes some minutes: for the picture
of a training, one is run, in a temporary folder.
"""

import io
import sys
import tempfile
from collections.abc import Callable, Iterator

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser import FLAGS, executable, running_app
from tests.documents.reference import DOCS

FOLDER = DOCS / "pictures"
FILM_WIDTH, FILM_COLOURS, FILM_BYTES = 900, 96, 3_000_000
PICTURE_WIDTH, PICTURE_BYTES = 880, 150_000
VIEWPORT, FILM_HEIGHT = {"width": 1120, "height": 800}, 650
KEY, STEP, SHORT, LONG = 120, 60, 900, 1900  # ms that a frame is shown
TEXT = "The film is not good."

# A pointer, as a browser without a window draws none.
POINTER = """addEventListener("DOMContentLoaded", () => {
  const dot = document.createElement("div");
  dot.style.cssText = "position:fixed;z-index:9999999;width:22px;height:22px;margin:-11px;border-radius:50%;" +
    "background:rgba(214,72,72,.35);border:2px solid rgba(190,40,40,.9);pointer-events:none;left:-99px;top:-99px";
  document.documentElement.append(dot);
  addEventListener("mousemove", ({ clientX, clientY }) => {
    Object.assign(dot.style, { left: clientX + "px", top: clientY + "px" });
  }, true);
});"""

Frame = tuple[Image.Image, int]


def main(names: list[str]) -> None:
    """Makes what is named, by default everything."""
    FOLDER.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as runs,
        running_app(VIZ_RUNS_DIR=runs, VIZ_ALONE="1") as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=executable(), args=FLAGS)
        for name in names or ["film", *PICTURES]:
            film(browser, address) if name == "film" else picture(browser, address, name)
        browser.close()


def film(browser: Browser, address: str) -> None:
    """A text is typed, a head is clicked, its links are followed, a word is deleted."""
    page = open_page(browser)
    page.set_viewport_size({**VIEWPORT, "height": FILM_HEIGHT})
    page.add_init_script(POINTER)
    page.goto(f"{address}/sentiment?lang=en&text=The+film&head=1.3&views=14")
    wait_until_idle(page)
    images, durations = zip(*scenes(page), strict=True)
    page.context.close()
    palette = images[-1].quantize(FILM_COLOURS)
    size = (FILM_WIDTH, round(images[0].height * FILM_WIDTH / images[0].width))
    small = [image.resize(size, Image.Resampling.LANCZOS).quantize(palette=palette, dither=0) for image in images]
    file = FOLDER / "film.gif"
    small[0].save(file, save_all=True, append_images=small[1:], duration=list(durations), loop=0, optimize=True)
    report(file, FILM_BYTES)
    print(f"{sum(durations) / 1000:.1f} s, {len(small)} frames")


def scenes(page: Page) -> Iterator[Frame]:
    box = page.get_by_label("Movie review (English)")
    box.focus()
    page.keyboard.press("End")
    yield shot(page), SHORT
    for key in TEXT.removeprefix("The film"):
        page.keyboard.type(key)
        wait_until_idle(page)
        yield shot(page), KEY
    yield shot(page), SHORT
    yield from click(page, page.locator(".explorer .overview .head").nth(4))
    yield shot(page), LONG
    yield from click(page, page.locator(".explorer .overview .head").nth(4), presses=False, away=(260, 40))
    box.focus()
    page.keyboard.press("End")
    for _ in " good.":
        page.keyboard.press("ArrowLeft")
    for _ in "not ":
        page.keyboard.press("Backspace")
        wait_until_idle(page)
        yield shot(page), 2 * KEY
    yield shot(page), LONG


def click(page: Page, element, presses: bool = True, away: tuple[int, int] = (0, 0)) -> Iterator[Frame]:
    """The pointer moves to an element, or beside it, and presses."""
    place = element.bounding_box()
    x, y = place["x"] + place["width"] / 2 + away[0], place["y"] + place["height"] / 2 + away[1]
    start = (x + 220, y + 160) if presses else (x - away[0], y - away[1])
    for part in (0, 0.25, 0.5, 0.75, 0.9, 1):
        page.mouse.move(start[0] + (x - start[0]) * part, start[1] + (y - start[1]) * part)
        yield shot(page), STEP
    if presses:
        page.mouse.click(x, y)
        wait_until_idle(page)


def picture(browser: Browser, address: str, name: str) -> None:
    """A part of a page, as WebP."""
    page = open_page(browser)
    link, prepare = PICTURES[name]
    page.goto(f"{address}/{link}")
    part = prepare(page)
    image = Image.open(io.BytesIO(page.screenshot(clip=part))).convert("RGB")
    page.context.close()
    height = round(image.height * PICTURE_WIDTH / image.width)
    file = FOLDER / f"{name}.webp"
    image.resize((PICTURE_WIDTH, height), Image.Resampling.LANCZOS).save(file, quality=82, method=6)
    report(file, PICTURE_BYTES)


def see(page: Page) -> dict:
    wait_until_idle(page)
    return area(page, ".explorer", 640)


def change(page: Page) -> dict:
    page.wait_for_selector(".whatif[data-idle=true]")
    return area(page, ".whatif", 640)


def inside(page: Page) -> dict:
    page.wait_for_selector(".inside[data-idle=true]")
    return area(page, ".inside", 640)


def translate(page: Page) -> dict:
    page.wait_for_selector(".translation[data-idle=true]")
    page.locator(".word").first.click()
    page.wait_for_selector(".translation[data-idle=true]")
    return area(page, ".translation", 640)


def train(page: Page) -> dict:
    page.get_by_role("textbox", name="Name of the run").fill("my first run")  # "small" is also a model that ships
    page.get_by_role("button", name="Start training").click()
    page.wait_for_selector(".st-key-view_curve_loss .scatterlayer .trace", timeout=180_000)
    expect(page.get_by_text("finished").first).to_be_visible(timeout=600_000)
    page.wait_for_timeout(3000)
    return {"x": 0, "y": 60, "width": VIEWPORT["width"], "height": 700}


# By name: the page, and what is done there before the part that it returns is taken.
PICTURES: dict[str, tuple[str, Callable[[Page], dict]]] = {
    "see": (
        "matching?lang=en&a=花呗怎么还款&b=花呗如何还钱&head=2.4&views=14&query=all&special=hidden&unit=word&block=ab",
        see,
    ),
    "change": (f"sentiment?lang=en&text={TEXT}&evidence=whatif&masked=2.1", change),
    "inside": (f"inside?lang=en&task=imdb&text={TEXT}&head=2.1&query=1&key=5&step=scores", inside),
    "translate": ("translation?lang=en", translate),
    "train": ("training?lang=en", train),
}


def open_page(browser: Browser) -> Page:
    context = browser.new_context(locale="en-GB", viewport=VIEWPORT, device_scale_factor=2, color_scheme="light")
    page = context.new_page()
    page.set_default_timeout(60_000)
    return page


def wait_until_idle(page: Page) -> None:
    page.wait_for_selector(".explorer[data-drawn]:not([hidden])")
    expect(page.locator(".instrument")).to_have_attribute("data-idle", "true")
    page.wait_for_timeout(120)


def area(page: Page, selector: str, height: int) -> dict:
    """The upper part of an element, brought to the top of the window."""
    element = page.locator(selector).first
    element.evaluate("(element) => element.scrollIntoView({ block: 'start' })")
    page.wait_for_timeout(800)
    box = element.bounding_box()
    top = max(box["y"], 0)
    return {
        "x": max(box["x"] - 8, 0),
        "y": top,
        "width": box["width"] + 16,
        "height": min(height, VIEWPORT["height"] - top, box["height"] + 16),
    }


def shot(page: Page) -> Image.Image:
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def report(file, most: int) -> None:
    size = file.stat().st_size
    print(f"{file.relative_to(DOCS)}: {size / 1000:.0f} kB")
    assert size <= most, f"more than {most / 1000:.0f} kB"


if __name__ == "__main__":
    main(sys.argv[1:])
