"""The output of a notebook's cell, as a page in a new browser: until it is drawn, changes of head, memory."""

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Error, Page

from benchmarks.chromium import VIEWPORT, chromium, renderer_memory, renderers
from benchmarks.libraries import HOST, library

SWITCHES = 4
_DRAWN = "benchmark: drawn after "
# Logs the time two frames after everything exists.
_WATCH = """
const check = () => !(%s) ? requestAnimationFrame(check)
  : requestAnimationFrame(() => requestAnimationFrame(() => console.log("%s" + performance.now())));
requestAnimationFrame(check);
"""
# Milliseconds of a change of head, until two frames have begun.
_SWITCH = """number => new Promise(done => {
  const start = performance.now();
  (%s)(number);
  requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - start)));
})"""


@dataclass(frozen=True)
class Limits:
    """Drawing is aborted after `seconds`, or once the renderer takes `memory` bytes."""

    seconds: float = 60
    memory: float = 12e9


@dataclass(frozen=True)
class Tool:
    """How a page shows attention, in JavaScript. is_drawn: an expression; true once everything is there. change_head: a
    function of the number of the change."""

    name: str
    is_drawn: str
    change_head: str


@dataclass(frozen=True)
class Drawing:
    """Measurements of a page.

    build_seconds: until its HTML was complete. draw_seconds: until it was drawn; None if aborted, after `waited`
    seconds. memory: bytes of the renderer above an empty page. switches: milliseconds of each change of head.
    """

    tokens: int
    build_seconds: float
    html_bytes: int
    draw_seconds: float | None
    waited: float
    memory: int | None
    switches: tuple[float, ...] = ()


def measure(tool: Tool, tokens: int, build: Callable[[], str], limits: Limits) -> Drawing:
    """Builds the page and opens it in a new browser. tokens: of its input."""
    start = time.perf_counter()
    html = build()
    build_seconds = time.perf_counter() - start
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        file, empty = Path(folder) / "page.html", Path(folder) / "empty.html"
        file.write_text(html, encoding="utf-8")
        empty.write_text("<!doctype html><title>empty</title>", encoding="utf-8")
        del html  # up to 400 MB
        return Drawing(tokens, build_seconds, file.stat().st_size, *_open(tool, browser, empty, file, limits))


def _open(tool: Tool, browser: Browser, empty: Path, file: Path, limits: Limits) -> tuple:
    """The fields draw_seconds, waited, memory and switches of a Drawing."""
    page = browser.new_page(viewport=VIEWPORT)
    page.route(
        HOST + "**",
        lambda route: route.fulfill(
            body=library(route.request.url),
            content_type="text/javascript",
            headers={"Access-Control-Allow-Origin": "*"},
        ),
    )
    page.goto(empty.as_uri())
    page.wait_for_timeout(1000)
    before = renderer_memory(renderers(browser))
    times = []
    page.on("console", lambda message: times.append(message.text) if message.text.startswith(_DRAWN) else None)
    page.add_init_script(_WATCH % (tool.is_drawn, _DRAWN))
    waited, used = _wait(tool, page, file, times, limits)
    draw_seconds = float(times[0].removeprefix(_DRAWN)) / 1000 if times else None
    memory = None if before is None else used - before
    return draw_seconds, waited, memory, _switches(tool, page) if times else ()


def _wait(tool: Tool, page: Page, file: Path, times: list[str], limits: Limits) -> tuple[float, int]:
    """Waits until the page is drawn, a limit is reached or the renderer crashes; returns seconds and bytes."""
    browser, start, used = page.context.browser, time.monotonic(), 0
    try:
        page.goto(file.as_uri(), wait_until="commit", timeout=limits.seconds * 1000)
        while not times and time.monotonic() - start < limits.seconds and used < limits.memory:
            page.wait_for_timeout(200)
            used = renderer_memory(renderers(browser)) or 0
    except Error as error:
        print(f"{tool.name}: {error.message}")
    return time.monotonic() - start, used


def _switches(tool: Tool, page: Page) -> tuple[float, ...]:
    """Without the first, which has no previous head to remove."""
    return tuple(page.evaluate(_SWITCH % tool.change_head, number) for number in range(SWITCHES))[1:]
