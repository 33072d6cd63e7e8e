"""The explorer in its Streamlit page: first drawing, changes of head, layer and token, memory, file size."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, Page

from benchmarks import devtools
from benchmarks.chromium import VIEWPORT, chromium, renderer_memory
from benchmarks.inputs import explanation
from benchmarks.traffic import Traffic
from tests.browser import running_app
from viz_core.analysis.heads.statistics import head_statistics
from viz_core.explorer.standalone import standalone_explorer
from viz_core.language import Translator
from viz_core.rendering.theme import theme

STOPWATCH = Path(__file__).parent / "stopwatch.js"
HEAT_MAP = ".explorer .heatmap .stage"
OPEN = "[...document.querySelectorAll('button')].find(button => button.textContent.trim() === 'Open')"
IDLE = "document.querySelector('[data-test-script-state=notRunning]')"
TOKENS = 6  # steps along the queries and along the keys of the heat map
KINDS = ("head", "layer", "token")
FILE = (64, 6, 8, 0)  # tokens, layers, heads and number of the input saved as a file


class Shape(NamedTuple):
    """Size of an input."""

    tokens: int
    layers: int
    heads: int


@dataclass(frozen=True)
class Opening:
    """A first drawing: milliseconds from the click, and bytes received."""

    drawn: float
    received: int


@dataclass(frozen=True)
class Change:
    """A key press: what changed, milliseconds of script and until the frame was drawn, whether weights were fetched."""

    kind: str
    script: float
    drawn: float
    fetched: bool


@dataclass(frozen=True)
class Memory:
    """Renderer memory in bytes above a blank page.

    page: of the app's page before the explorer opens. explored: after showing every head. collected: after garbage
    collection.
    """

    page: int
    explored: int
    collected: int


@dataclass(frozen=True)
class Measurement:
    """All measurements of an input size."""

    shape: Shape
    openings: tuple[Opening, ...]
    changes: tuple[Change, ...]
    memory: Memory | None


def measure(sizes: Sequence[tuple[Shape, int]]) -> list[Measurement]:
    """Measures each size with a number of inputs, the first of them a warm-up; memory in a fresh browser."""
    measurements = []
    with running_app("benchmarks/server.py") as address:
        for shape, repeats in sizes:
            print(
                f"explorer, {shape.layers} x {shape.heads} heads, {shape.tokens} tokens: {repeats} inputs", flush=True
            )
            page = f"{address}/?tokens={shape.tokens}&layers={shape.layers}&heads={shape.heads}&inputs={repeats}"
            openings, changes = _time_inputs(page, shape, repeats)
            measurements.append(Measurement(shape, openings, changes, _memory(page, shape)))
    return measurements


def _time_inputs(address: str, shape: Shape, repeats: int) -> tuple[tuple[Opening, ...], tuple[Change, ...]]:
    with chromium() as browser:
        page = _page(browser)
        _visit(page, address)
        traffic = Traffic(page)
        rounds = [(_open(page, traffic), _explore(page, shape)) for _ in range(repeats)][1:]
    return tuple(opening for opening, _ in rounds), tuple(change for _, changes in rounds for change in changes)


def _page(browser: Browser) -> Page:
    page = browser.new_page(viewport=VIEWPORT)
    page.add_init_script(path=STOPWATCH)
    return page


def _visit(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_role("button", name="Open", exact=True).wait_for()
    page.wait_for_selector("[data-test-script-state=notRunning]")
    page.wait_for_timeout(1000)


def _open(page: Page, traffic: Traffic) -> Opening:
    """Opens the next input with a click."""
    _wait_until_idle(page)
    page.evaluate("stopwatch.wait('opening')")
    traffic.bytes = 0
    page.get_by_role("button", name="Open", exact=True).click()
    drawn = page.evaluate("stopwatch.result")["drawn"]
    opening = Opening(drawn, traffic.bytes)
    page.mouse.move(1, 1)  # off the explorer, which prefetches what the pointer rests on
    _wait_until_idle(page)
    return opening


def _wait_until_idle(page: Page) -> None:
    """Waits until the browser has reported the selection and the server has processed it."""
    page.wait_for_timeout(1000)
    page.wait_for_selector("[data-test-script-state=notRunning]")


def _explore(page: Page, shape: Shape) -> list[Change]:
    """Presses keys: through the heads of a layer and down the layers, which fetches weights; back, with the weights in
    memory; then along the queries and the keys of the heat map."""
    forth = [("head", "h")] * (shape.heads - 1) + [("layer", "l")] * (shape.layers - 1)
    back = [("layer", "L")] * (shape.layers - 1) + [("head", "H")] * (shape.heads - 1)
    tokens = [("token", "ArrowDown")] * TOKENS + [("token", "ArrowRight")] * TOKENS
    page.locator(HEAT_MAP).focus()
    return [_press(page, *step) for step in forth + back + tokens]


def _press(page: Page, kind: str, key: str) -> Change:
    page.evaluate("stopwatch.wait('change')")
    page.keyboard.press(key)
    return Change(kind=kind, **page.evaluate("stopwatch.result"))


def _memory(address: str, shape: Shape) -> Memory | None:
    """Renderer memory for an input while every head is shown in turn."""
    with devtools.page(**VIEWPORT) as page:
        time.sleep(1)
        blank = renderer_memory(page.renderers())
        if blank is None:
            return None
        page.send("Page.addScriptToEvaluateOnNewDocument", source=STOPWATCH.read_text(encoding="utf-8"))
        page.send("Page.navigate", url=address)
        page.wait(f"{OPEN} && {IDLE}")
        time.sleep(1)
        before = renderer_memory(page.renderers())
        page.evaluate(f"stopwatch.wait('opening'); {OPEN}.click(); stopwatch.result.then(() => null)")
        page.evaluate("stopwatch.focus()")
        for _ in range(shape.layers):
            for key in "h" * shape.heads + "l":  # through all heads, back to the first
                page.evaluate("stopwatch.wait('change')")
                page.press(key)
                page.evaluate("stopwatch.result.then(() => null)")
        time.sleep(1)
        page.wait(IDLE)
        explored = renderer_memory(page.renderers())
        page.send("HeapProfiler.collectGarbage")
        time.sleep(1)
        return Memory(before - blank, explored - blank, renderer_memory(page.renderers()) - blank)


def file_size() -> int:
    """Bytes of the self-contained HTML of a small model's input."""
    example = explanation(*FILE)
    return len(standalone_explorer(example, head_statistics(example), Translator("en"), theme("light")).encode())
