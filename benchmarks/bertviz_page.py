"""BertViz's model view (all heads of all layers) of the same attention, in the same browser."""

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
# Says when every line is there and two more frames have been made of them. BertViz draws one line per weight.
_WATCH = """
const expected = %d;
const look = () => document.getElementsByTagName("line").length < expected ? requestAnimationFrame(look)
  : requestAnimationFrame(() => requestAnimationFrame(() => console.log("%s" + performance.now())));
requestAnimationFrame(look);
"""
# A click on the thumbnail of one head shows it at full size, and takes the one shown before away.
_SWITCH = """head => new Promise(done => {
  const start = performance.now();
  document.querySelectorAll("#vis svg > g > rect:last-of-type")[head].dispatchEvent(new MouseEvent("click"));
  requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - start)));
})"""


@dataclass(frozen=True)
class Limits:
    """After so many seconds, or with so many bytes of memory, drawing is given up."""

    seconds: float = 60
    memory: float = 12e9


@dataclass(frozen=True)
class Drawing:
    """One page: seconds until its HTML was made, its size, seconds until it was drawn (None: given up, after
    `waited`), renderer memory above an empty page, and milliseconds of each change of head."""

    tokens: int
    made: float
    html_bytes: int
    drawn: float | None
    waited: float
    memory: int | None
    switches: tuple[float, ...] = ()


def measure(explanation: Explanation, limits: Limits) -> Drawing:
    """Makes the page and opens it in a browser of its own."""
    fetch()
    start = time.perf_counter()
    page = _html(explanation)
    made = time.perf_counter() - start
    lines = explanation.attention.size
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        file, empty = Path(folder) / "bertviz.html", Path(folder) / "empty.html"
        file.write_text(page, encoding="utf-8")
        empty.write_text("<!doctype html><title>empty</title>", encoding="utf-8")
        del page  # up to 400 MB
        drawn, waited, memory, switches = _open(browser, empty, file, lines, limits)
        return Drawing(len(explanation.encoding.tokens), made, file.stat().st_size, drawn, waited, memory, switches)


def _html(explanation: Explanation) -> str:
    from bertviz import model_view  # only make bench installs it

    layers = [torch.from_numpy(layer.copy())[None] for layer in explanation.attention]
    return model_view(layers, list(explanation.encoding.tokens), html_action="return").data


def _open(browser: Browser, empty: Path, file: Path, lines: int, limits: Limits) -> tuple:
    """Seconds until drawn, seconds waited, memory above the empty page, milliseconds of changes: as in Drawing."""
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
    page.on("console", lambda said: times.append(said.text) if said.text.startswith(_DRAWN) else None)
    page.add_init_script(_WATCH % (lines, _DRAWN))
    waited, held = _wait(page, file, times, limits)
    drawn = float(times[0].removeprefix(_DRAWN)) / 1000 if times else None
    memory = None if before is None else held - before
    return drawn, waited, memory, _switches(page) if times else ()


def _wait(page: Page, file: Path, times: list[str], limits: Limits) -> tuple[float, int]:
    """Until the page is drawn, a limit is reached or the renderer breaks down: seconds, and memory at the end."""
    browser, start, held = page.context.browser, time.monotonic(), 0
    try:
        page.goto(file.as_uri(), wait_until="commit", timeout=limits.seconds * 1000)
        while not times and time.monotonic() - start < limits.seconds and held < limits.memory:
            page.wait_for_timeout(200)
            held = renderer_memory(renderers(browser)) or 0
    except Error as error:
        print(f"BertViz: {error.message}")
    return time.monotonic() - start, held


def _switches(page: Page) -> tuple[float, ...]:
    return tuple(page.evaluate(_SWITCH, head) for head in range(SWITCHES))[1:]  # the first has nothing to take away
