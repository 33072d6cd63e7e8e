"""BertViz's model view (all heads of all layers) of the same attention in the same browser, for comparison."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import torch
from playwright.sync_api import Browser, Error, Page

from benchmarks.chromium import VIEWPORT, chromium, renderer_memory, renderers
from benchmarks.libraries import HOST, fetch, library
from viz_core.records import Explanation

SWITCHES = 4
_DRAWN = "benchmark: drawn after "
# Logs the time two frames after every line exists; BertViz draws a line per weight.
_WATCH = """
const expected = %d;
const check = () => document.getElementsByTagName("line").length < expected ? requestAnimationFrame(check)
  : requestAnimationFrame(() => requestAnimationFrame(() => console.log("%s" + performance.now())));
requestAnimationFrame(check);
"""
# A click on a head's thumbnail shows that head at full size, and removes the previous head.
_SWITCH = """head => new Promise(done => {
  const start = performance.now();
  document.querySelectorAll("#vis svg > g > rect:last-of-type")[head].dispatchEvent(new MouseEvent("click"));
  requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - start)));
})"""


@dataclass(frozen=True)
class Limits:
    """Drawing is aborted after `seconds`, or once the renderer takes `memory` bytes."""

    seconds: float = 60
    memory: float = 12e9


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


def measure(explanation: Explanation, limits: Limits) -> Drawing:
    """Builds the page and opens it in a new browser."""
    fetch()
    start = time.perf_counter()
    page = _html(explanation)
    build_seconds = time.perf_counter() - start
    lines = explanation.attention.size
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        file, empty = Path(folder) / "bertviz.html", Path(folder) / "empty.html"
        file.write_text(page, encoding="utf-8")
        empty.write_text("<!doctype html><title>empty</title>", encoding="utf-8")
        del page  # up to 400 MB
        draw_seconds, waited, memory, switches = _open(browser, empty, file, lines, limits)
        return Drawing(
            len(explanation.encoding.tokens), build_seconds, file.stat().st_size, draw_seconds, waited, memory, switches
        )


def _html(explanation: Explanation) -> str:
    from bertviz import model_view  # installed by `make bench` only

    layers = [torch.from_numpy(layer.copy())[None] for layer in explanation.attention]
    return model_view(layers, list(explanation.encoding.tokens), html_action="return").data


def _open(browser: Browser, empty: Path, file: Path, lines: int, limits: Limits) -> tuple:
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
    page.add_init_script(_WATCH % (lines, _DRAWN))
    waited, used = _wait(page, file, times, limits)
    draw_seconds = float(times[0].removeprefix(_DRAWN)) / 1000 if times else None
    memory = None if before is None else used - before
    return draw_seconds, waited, memory, _switches(page) if times else ()


def _wait(page: Page, file: Path, times: list[str], limits: Limits) -> tuple[float, int]:
    """Waits until the page is drawn, a limit is reached or the renderer crashes; returns seconds and bytes."""
    browser, start, used = page.context.browser, time.monotonic(), 0
    try:
        page.goto(file.as_uri(), wait_until="commit", timeout=limits.seconds * 1000)
        while not times and time.monotonic() - start < limits.seconds and used < limits.memory:
            page.wait_for_timeout(200)
            used = renderer_memory(renderers(browser)) or 0
    except Error as error:
        print(f"BertViz: {error.message}")
    return time.monotonic() - start, used


def _switches(page: Page) -> tuple[float, ...]:
    return tuple(page.evaluate(_SWITCH, head) for head in range(SWITCHES))[
        1:
    ]  # the first has no previous head to remove
