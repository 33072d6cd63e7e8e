"""Pages without a network that show the explorer."""

import json

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import PATIENCE
from tests.explorer import examples
from tests.explorer.atlas_page import AtlasPage
from tests.explorer.calculator_page import CalculatorPage
from tests.explorer.comparison_page import AFTER, ALL, BEFORE, ComparisonPage
from tests.explorer.explorer_page import ExplorerPage
from tests.explorer.inside_page import InsidePage
from tests.explorer.inside_page import Server as InsideServer
from tests.explorer.instrument_page import InstrumentPage
from tests.explorer.instrument_page import Server as InstrumentServer
from tests.explorer.reused_pages import ReusedPages
from tests.explorer.whatif_page import Server, WhatIfPage
from viz_core.analysis.heads.statistics import head_statistics
from viz_core.explorer.standalone import standalone_explorer
from viz_core.language import Translator
from viz_core.records import Explanation
from viz_core.rendering.theme import Theme, theme

expect.set_options(timeout=1000 * PATIENCE)


class Visitor:
    """Opens a file URL or a document, offline; reuses a page with the same settings, which takes half the time.

    problems: unexpected requests, uncaught errors and dialogs.
    """

    def __init__(self, browser: Browser) -> None:
        self.browser, self.pages, self.problems, self.target = browser, {}, [], ""

    def __call__(self, target: str, **context: object) -> Page:
        kind, self.target = json.dumps(context, sort_keys=True), target
        page = self.pages[kind] = self.pages.get(kind) or self._page(context)
        if target.startswith("file:"):
            page.goto(target)
        else:
            page.goto("about:blank")  # runs the init script; set_content alone would keep the old state
            page.set_content(target)
        return page

    def _page(self, context: dict) -> Page:
        page = self.browser.new_context(
            offline=True, **{"viewport": {"width": 1280, "height": 900}, **context}
        ).new_page()
        page.set_default_timeout(1000 * PATIENCE)
        page.add_init_script(RECORD_CANVAS)
        page.on(
            "request", lambda request: request.url in ("about:blank", self.target) or self.problems.append(request.url)
        )
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("dialog", lambda dialog: (self.problems.append(dialog.message), dialog.dismiss()))
        return page


@pytest.fixture(scope="module")
def visitor(browser):
    return Visitor(browser)


@pytest.fixture
def visit(visitor):
    """A visitor; the test fails if anything went wrong."""
    visitor.problems.clear()
    yield visitor
    assert visitor.problems == []


# Records the texts drawn on a canvas since it was last cleared, with positions in px (`canvas.texts`), and the
# last outline.
RECORD_CANVAS = """const pen = CanvasRenderingContext2D.prototype, { fillText, clearRect, strokeRect } = pen;
pen.fillText = function (text, x, y) {
  const { a, b, c, d, e, f } = this.getTransform();
  const [across, down] = [a * x + c * y + e, b * x + d * y + f];
  (this.canvas.texts ??= []).push({ text, x: across / devicePixelRatio, y: down / devicePixelRatio });
  return fillText.call(this, text, x, y);
};
pen.clearRect = function (...box) {
  this.canvas.texts = [];
  return clearRect.apply(this, box);
};
pen.strokeRect = function (...box) {
  this.canvas.outline = box;
  return strokeRect.apply(this, box);
};"""


@pytest.fixture
def open_explorer(visit):
    """Opens an explanation as a standalone file; returns the page object. Other keyword arguments are the browser's."""

    def open_page(
        explanation: Explanation,
        selection: dict | None = None,
        language: str = "en",
        colours: Theme | None = None,
        norms: np.ndarray | None = None,
        **context: object,
    ) -> ExplorerPage:
        say, colours = Translator(language), colours or theme("light")
        document = standalone_explorer(
            explanation, head_statistics(explanation), say, colours, ALL | (selection or {}), norms
        )
        return ExplorerPage(visit(document, **context), explanation)

    return open_page


@pytest.fixture(scope="module")
def reused_pages(browser):
    return ReusedPages(browser, RECORD_CANVAS)


@pytest.fixture
def take_page(reused_pages):
    """Returns a page that no other test uses at the moment; the test fails if an error was thrown in it or a dialog
    opened."""
    reused_pages.problems.clear()
    yield reused_pages.take
    reused_pages.give_back()
    assert reused_pages.problems == []


@pytest.fixture
def open_instrument(take_page):
    """A page for the instrument."""

    def open_page(background: str = "#ffffff", **context: object) -> InstrumentPage:
        page, server = take_page(**context), InstrumentServer(background)
        page.route("**/*", server)
        return InstrumentPage(page, server)

    return open_page


@pytest.fixture
def instrument(open_instrument):
    return open_instrument()


@pytest.fixture
def open_calculator(take_page):
    """A page for the calculator."""

    def open_page(background: str = "#ffffff", **context: object) -> CalculatorPage:
        return CalculatorPage(take_page(**{"viewport": {"width": 1280, "height": 900}, **context}), background)

    return open_page


@pytest.fixture
def open_atlas(take_page):
    """Opens what `pack_atlas` returns."""

    def open_page(packed: bytes, background: str = "#ffffff", **context: object) -> AtlasPage:
        return AtlasPage(take_page(**context), background).show(packed)

    return open_page


@pytest.fixture
def open_whatif(take_page):
    """Opens what-if for an explanation."""

    def open_page(
        explanation: Explanation | None = None,
        language: str = "en",
        mode: str = "light",
        projector: bool = False,
        **context: object,
    ) -> WhatIfPage:
        page, colours = take_page(**context), theme(mode, projector)
        server = Server(explanation or examples.review(), colours.background)
        page.route("**/*", server)
        return WhatIfPage(page, server).show(language, colours)

    return open_page


@pytest.fixture
def open_inside(browser):
    """Opens the component about the inside of attention, with a model of inside_packets.py."""
    problems, contexts = [], []

    def open_page(
        name: str = "pre", step: str = "", width: int = 1280, still: bool = False, **options: object
    ) -> InsidePage:
        motion = "reduce" if still else "no-preference"
        size = {"width": width, "height": 1000}
        contexts.append(browser.new_context(offline=True, viewport=size, reduced_motion=motion))
        page, server = contexts[-1].new_page(), InsideServer(name, theme(options.get("mode", "light")).background)
        page.set_default_timeout(1000 * PATIENCE)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.route("**/*", server)
        return InsidePage(page, server).show(step, **options)

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []


@pytest.fixture
def open_comparison(take_page):
    """Opens the page of a language and theme."""

    def open_page(language: str = "en", mode: str = "light", width: int = 1280, height: int = 1400) -> ComparisonPage:
        return ComparisonPage(take_page(viewport={"width": width, "height": height}), language, mode)

    return open_page


@pytest.fixture
def difference_page(open_comparison):
    """AFTER beside the reference BEFORE, as a difference."""
    page = open_comparison()
    page.show(BEFORE, {"head": "2.1"})
    page.pin()
    page.show(AFTER)
    page.click(page.bar.get_by_role("button", name="difference"))
    return page
