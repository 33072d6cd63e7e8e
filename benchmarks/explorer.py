"""The explorer in its Streamlit page: first drawing, changes of head, layer and token, memory, size as a file."""

from __future__ import annotations

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
from viz_core.analysis.heads import head_statistics
from viz_core.explorer.standalone import standalone_explorer
from viz_core.language import Translator
from viz_core.rendering.theme import theme

STOPWATCH = Path(__file__).parent / "stopwatch.js"
HEAT_MAP = ".explorer .heatmap .stage"
OPEN = "[...document.querySelectorAll('button')].find(button => button.textContent.trim() === 'Open')"
AT_REST = "document.querySelector('[data-test-script-state=notRunning]')"
TOKENS = 6  # steps of each kind in the heat map
KINDS = ("head", "layer", "token")
FILE = (64, 6, 8, 0)  # tokens, layers, heads, number of the input that is saved as a file


class Shape(NamedTuple):
    """The size of an input."""

    tokens: int
    layers: int
    heads: int


@dataclass(frozen=True)
class Opening:
    """A first drawing: milliseconds from the click, bytes received for it."""

    drawn: float
    received: int


@dataclass(frozen=True)
class Change:
    """A key: what it changed, milliseconds of script and until the frame was drawn, whether weights were fetched."""

    kind: str
    script: float
    drawn: float
    fetched: bool


@dataclass(frozen=True)
class Memory:
    """Renderer memory in bytes above a blank page: of the app's page without the explorer, of the page with it, all of it
    looked at, and of that once garbage has been collected."""

    page: int
    explored: int
    collected: int


@dataclass(frozen=True)
class Measured:
    """Everything about one size."""

    shape: Shape
    openings: tuple[Opening, ...]
    changes: tuple[Change, ...]
    memory: Memory | None


def measure(sizes: Sequence[tuple[Shape, int]]) -> list[Measured]:
    """Sizes, each with so many inputs, of which the first warms everything up; memory in a browser of its own."""
    measured = []
    with running_app("benchmarks/server.py") as address:
        for shape, repeats in sizes:
            print(
                f"explorer, {shape.layers} x {shape.heads} heads, {shape.tokens} tokens: {repeats} inputs", flush=True
            )
            page = f"{address}/?tokens={shape.tokens}&layers={shape.layers}&heads={shape.heads}&inputs={repeats}"
            openings, changes = _repeated(page, shape, repeats)
            measured.append(Measured(shape, openings, changes, _memory(page, shape)))
    return measured


def _repeated(address: str, shape: Shape, repeats: int) -> tuple[tuple[Opening, ...], tuple[Change, ...]]:
    with chromium() as browser:
        page = _page(browser)
        _visit(page, address)
        traffic = Traffic(page)
        rounds = [(_opened(page, traffic), _explored(page, shape)) for _ in range(repeats)][1:]
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


def _opened(page: Page, traffic: Traffic) -> Opening:
    """One click: the next input is shown."""
    _rest(page)
    page.evaluate("stopwatch.wait('opening')")
    traffic.bytes = 0
    page.get_by_role("button", name="Open", exact=True).click()
    drawn = page.evaluate("stopwatch.result")["drawn"]
    opening = Opening(drawn, traffic.bytes)
    page.mouse.move(1, 1)  # off the explorer: what the pointer rests on is fetched ahead
    _rest(page)
    return opening


def _rest(page: Page) -> None:
    """Until the browser has reported what was selected, and the server has taken note."""
    page.wait_for_timeout(1000)
    page.wait_for_selector("[data-test-script-state=notRunning]")


def _explored(page: Page, shape: Shape) -> list[Change]:
    """Keys: through the heads of a layer and down the layers, whose weights are fetched; back, now they are held; then
    along the queries and the keys of the heat map."""
    there = [("head", "h")] * (shape.heads - 1) + [("layer", "l")] * (shape.layers - 1)
    back = [("layer", "L")] * (shape.layers - 1) + [("head", "H")] * (shape.heads - 1)
    tokens = [("token", "ArrowDown")] * TOKENS + [("token", "ArrowRight")] * TOKENS
    page.locator(HEAT_MAP).focus()
    return [_pressed(page, *step) for step in there + back + tokens]


def _pressed(page: Page, kind: str, key: str) -> Change:
    page.evaluate("stopwatch.wait('change')")
    page.keyboard.press(key)
    return Change(kind=kind, **page.evaluate("stopwatch.result"))


def _memory(address: str, shape: Shape) -> Memory | None:
    """One input, all heads of which are looked at."""
    with devtools.page(**VIEWPORT) as page:
        time.sleep(1)
        blank = renderer_memory(page.renderers())
        if blank is None:
            return None
        page.send("Page.addScriptToEvaluateOnNewDocument", source=STOPWATCH.read_text(encoding="utf-8"))
        page.send("Page.navigate", url=address)
        page.wait(f"{OPEN} && {AT_REST}")
        time.sleep(1)
        before = renderer_memory(page.renderers())
        page.evaluate(f"stopwatch.wait('opening'); {OPEN}.click(); stopwatch.result.then(() => null)")
        page.evaluate("stopwatch.focus()")
        for _ in range(shape.layers):
            for key in "h" * shape.heads + "l":  # once around: back at the head it came from
                page.evaluate("stopwatch.wait('change')")
                page.press(key)
                page.evaluate("stopwatch.result.then(() => null)")
        time.sleep(1)
        page.wait(AT_REST)
        explored = renderer_memory(page.renderers())
        page.send("HeapProfiler.collectGarbage")
        time.sleep(1)
        return Memory(before - blank, explored - blank, renderer_memory(page.renderers()) - blank)


def file_size() -> int:
    """Bytes of the self-contained HTML of a small model's input."""
    shown = explanation(*FILE)
    return len(standalone_explorer(shown, head_statistics(shown), Translator("en"), theme("light")).encode())
