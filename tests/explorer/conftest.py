"""Pages without a network: one that runs the explorer's modules one by one, and those that show it."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

from tests.explorer.explorer_page import ExplorerPage
from viz_core.analysis.heads import head_statistics
from viz_core.explorer import packing
from viz_core.explorer.standalone import standalone_explorer
from viz_core.language import Translator
from viz_core.records import Explanation
from viz_core.rendering.theme import Theme, theme

EXPLORER = Path(packing.__file__).parent
SOURCE = EXPLORER / "source"
HOST = "http://explorer.test/"  # nobody's: what is asked of it is answered from SOURCE, or not at all
MODULES = {  # those without a page of their own, by the names that tests call them
    **{
        name: f"explorer/{name}"
        for name in (
            "attention",
            "cells",
            "links_layout",
            "matrices",
            "scales",
            "selection",
            "units",
            "unpack",
            "viewport",
        )
    },
    **{name: f"shared/{name}" for name in ("colours", "names", "order", "store")},
    **{f"whatif_{name}": f"whatif/{name}" for name in ("changes", "numbers", "weights")},
}


class Modules:
    """Runs JavaScript with the explorer's modules at hand by their names, as `attention.sorted(weights, [0, 1])`."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def __call__(self, body: str, **values: object) -> object:
        """What the function `body` returns. values: its arguments; arrays and bytes arrive as typed arrays."""
        return self.page.evaluate(
            "([body, names, values]) => run(body, names, values.map(unwrapped))",
            [body, list(values), [_wrapped(value) for value in values.values()]],
        )


def _wrapped(value: object) -> object:
    if isinstance(value, list):
        return [_wrapped(one) for one in value]
    if isinstance(value, bytes):
        value = np.frombuffer(value, np.uint8)
    if not isinstance(value, np.ndarray):
        return value
    kind = {"u1": "Uint8Array", "u2": "Uint16Array", "i4": "Int32Array", "f4": "Float32Array"}[value.dtype.str[1:]]
    return {"kind": kind, "bytes": b64encode(np.ascontiguousarray(value).tobytes()).decode()}


_RUNNER = """<!DOCTYPE html><script type="module">
const sources = %s, names = Object.keys(sources);
const modules = await Promise.all(Object.values(sources).map((path) => import(`/${path}.js`)));
const AsyncFunction = (async () => {}).constructor;
globalThis.run = (body, arguments_, values) => new AsyncFunction(...names, ...arguments_, body)(...modules, ...values);
globalThis.unwrapped = (value) => Array.isArray(value) ? value.map(unwrapped) : value?.kind ? typed(value) : value;
const typed = (value) => new globalThis[value.kind](
  Uint8Array.from(atob(value.bytes), (character) => character.charCodeAt(0)).buffer);
</script>""" % json.dumps(MODULES)


@pytest.fixture(scope="module")
def js(browser):
    """The explorer's own arithmetic, run by the browser that it is written for."""
    context = browser.new_context(offline=True)
    context.route("**/*", lambda route: route.abort())
    context.route(HOST, lambda route: route.fulfill(body=_RUNNER, content_type="text/html"))
    context.route(
        f"{HOST}**/*.js",
        lambda route: route.fulfill(path=SOURCE / route.request.url.removeprefix(HOST), content_type="text/javascript"),
    )
    page = context.new_page()
    page.goto(HOST)
    page.wait_for_function("Boolean(globalThis.unwrapped)")
    yield Modules(page)
    context.close()


class Visitor:
    """Opens a file's address or a document, offline; a page of the same kind is used again, which saves half the time.

    wrong: what was asked for besides, what broke, what opened a dialog.
    """

    def __init__(self, browser: Browser) -> None:
        self.browser, self.pages, self.wrong, self.target = browser, {}, [], ""

    def __call__(self, target: str, **context: object) -> Page:
        kind, self.target = json.dumps(context, sort_keys=True), target
        page = self.pages[kind] = self.pages.get(kind) or self._page(context)
        if target.startswith("file:"):
            page.goto(target)
        else:
            page.goto("about:blank")  # where the script below runs; a document alone would keep what was there before
            page.set_content(target)
        return page

    def _page(self, context: dict) -> Page:
        page = self.browser.new_context(
            offline=True, **{"viewport": {"width": 1280, "height": 900}, **context}
        ).new_page()
        page.set_default_timeout(10_000)
        page.add_init_script(REMEMBER)
        page.on(
            "request", lambda request: request.url in ("about:blank", self.target) or self.wrong.append(request.url)
        )
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("dialog", lambda dialog: (self.wrong.append(dialog.message), dialog.dismiss()))
        return page


@pytest.fixture(scope="module")
def visitor(browser):
    return Visitor(browser)


@pytest.fixture
def visit(visitor):
    """The visitor, and in the end a look at what went wrong."""
    visitor.wrong.clear()
    yield visitor
    assert visitor.wrong == []


# What stands on a canvas since it was last cleared: `canvas.written`, with where it stands in px; and its last outline.
REMEMBER = """const pen = CanvasRenderingContext2D.prototype, { fillText, clearRect, strokeRect } = pen;
pen.fillText = function (text, x, y) {
  const { a, b, c, d, e, f } = this.getTransform();
  const [across, down] = [a * x + c * y + e, b * x + d * y + f];
  (this.canvas.written ??= []).push({ text, x: across / devicePixelRatio, y: down / devicePixelRatio });
  return fillText.call(this, text, x, y);
};
pen.clearRect = function (...box) {
  this.canvas.written = [];
  return clearRect.apply(this, box);
};
pen.strokeRect = function (...box) {
  this.canvas.outline = box;
  return strokeRect.apply(this, box);
};"""


@pytest.fixture
def opened(visit):
    """An explanation as a file of its own, with its page object. Keyword arguments not named here are the browser's."""

    def open_(
        given: Explanation,
        selection: dict | None = None,
        language: str = "en",
        look: Theme | None = None,
        **context: object,
    ) -> ExplorerPage:
        document = standalone_explorer(
            given, head_statistics(given), Translator(language), look or theme("light"), selection
        )
        return ExplorerPage(visit(document, **context), given)

    return open_
