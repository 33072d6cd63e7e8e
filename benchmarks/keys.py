"""From a key in the text box until everything is drawn, on the real pages with the shipped models: time and bytes.

`python -m benchmarks --only keys` prints the section of the report.
"""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Page, Response

from benchmarks import devtools, machine
from benchmarks.chromium import VIEWPORT, chromium, renderer_memory
from benchmarks.inputs import review
from benchmarks.tables import milliseconds, row, size
from pages.routes import explain
from pages.shared.tasks import PAGES
from tests.browser import running_app
from viz_core import checkpoints
from viz_core.explorer.packed_weights import SIDE

STOPWATCH = Path(__file__).parent / "stopwatch.js"
RATE = 250  # milliseconds between two keys
KEYS, QUICK_KEYS = 24, 4  # timed; the first ones of each case warm up
WARM_UP = 4
MANY_KEYS, QUICK_MANY_KEYS, FEW_KEYS = 2000, 40, 20  # between two measurements of memory
SMALL_BYTES, BYTES_PER_WEIGHT = 60_000, 1.3  # at most received for each key
# 30 characters: with a typed one, a pair has 64 tokens.
HALF = "花呗怎么还款才能不影响我的信用额度以后还想再用它买东西可以吗"


@dataclass(frozen=True)
class Case:
    """An input to type at the end of. limit: milliseconds from a key to everything drawn."""

    task: str
    model: str
    tokens: int
    texts: tuple[str, ...]
    limit: float

    @property
    def name(self) -> str:
        return f"`{self.task}/{self.model}`, {'a pair of ' if len(self.texts) == 2 else ''}{self.tokens} tokens"

    @property
    def bytes_limit(self) -> float:
        """For each key. Weights shown: those of the heat map and the cells of all small maps."""
        if (self.task, self.model, self.tokens) == ("imdb", "small", 64):
            return SMALL_BYTES
        sizes = checkpoints.load(self.task, self.model).settings.config
        side = ceil(self.tokens / ceil(self.tokens / SIDE))
        return BYTES_PER_WEIGHT * (self.tokens**2 + sizes.layers * sizes.heads * side**2)


@dataclass(frozen=True)
class Keys:
    """Of every key: milliseconds until drawn, bytes received."""

    drawn: list[float]
    received: list[float]


def report(quick: bool = False) -> str:
    """The section of the report, as Markdown."""
    load, rows = machine.load(), []
    with running_app() as address:
        for case in _cases():
            print(f"keys, {case.name}", flush=True)
            with _page(address, case) as page:
                trip = _round_trips(page)
                keys = _time_keys(page, WARM_UP + (QUICK_KEYS if quick else KEYS))
            rows += [
                row(f"{case.name}: key to everything drawn", [keys.drawn], case.limit, milliseconds),
                row(f"{case.name}: an empty request's round trip", [trip], None, milliseconds),
                row(f"{case.name}: received for each key", [keys.received], case.bytes_limit, size),
            ]
        before, after = _memory(address, QUICK_MANY_KEYS if quick else MANY_KEYS)
    rows.append(
        f"| renderer memory after {FEW_KEYS} and after {QUICK_MANY_KEYS if quick else MANY_KEYS:,} keys "
        f"| ± 10 MB | {size(before)} / {size(after)} | | |"
    )
    body = "\n".join(rows)
    return f"""## Typing

| a key at the end of a text, {1000 // RATE} a second | target | reached | largest | |
|---|---|---|---|---|
{body}

{machine.conditions(load)}"""


def _cases() -> list[Case]:
    limits = {64: 80, 128: 120, 512: 250}
    return [
        *(Case("imdb", "small", tokens, (review(tokens, "keys"),), limit) for tokens, limit in limits.items()),
        Case("imdb", "wide", 512, (review(512, "keys"),), 350),
        Case("afqmc", "small", 64, (HALF, HALF), 80),
    ]


@contextmanager
def _page(address: str, case: Case) -> Iterator[Page]:
    """The page of a task with a model and texts, at rest and with the caret at the end of the last box."""
    with chromium() as browser:
        page = browser.new_page(viewport=VIEWPORT)
        page.set_default_timeout(60_000)
        page.add_init_script(path=STOPWATCH)
        page.goto(_url(address, case))
        _wait_until_idle(page)
        boxes = page.locator(".instrument textarea")
        for number, text in enumerate(case.texts):
            boxes.nth(number).fill(text)
            _wait_until_idle(page)
        boxes.last.focus()
        page.keyboard.press("ControlOrMeta+End")
        yield page


def _url(address: str, case: Case) -> str:
    return f"{address}/{PAGES[case.task].url}?{urlencode({'lang': 'en', 'model': case.model})}"


def _wait_until_idle(page: Page) -> None:
    page.wait_for_selector(".instrument[data-idle=true]")
    page.wait_for_selector(".explorer[data-exact=true]")
    page.wait_for_selector("[data-test-script-state=notRunning]")
    page.wait_for_timeout(1000)


def _time_keys(page: Page, count: int) -> Keys:
    drawn, received = [], []
    page.on("response", lambda response: received.append(_length(response)))
    for number in range(count):
        page.evaluate("stopwatch.wait('typing')")
        page.keyboard.press("abcdefgh"[number % 8] if number % 2 == 0 else "Backspace")
        drawn.append(page.evaluate("stopwatch.result")["drawn"])
        page.wait_for_timeout(max(RATE - drawn[-1], 1))
    return Keys(drawn[WARM_UP:], [length for length in received if length])


def _length(response: Response) -> int:
    """Bytes of what a key leads to, compressed as they are sent; 0 of other responses."""
    return int(response.headers["content-length"]) if response.url.endswith(explain.PATH) else 0


def _round_trips(page: Page, count: int = 12) -> list[float]:
    """Milliseconds of requests that the route refuses at once."""
    return page.evaluate(
        """async ([count, path]) => {
          const trips = [];
          for (let trip = 0; trip < count; trip++) {
            const start = performance.now();
            await (await fetch(path, { method: "POST", body: "{}" })).text();
            trips.push(performance.now() - start);
          }
          return trips.slice(2);
        }""",
        [count, explain.PATH],
    )


def _memory(address: str, many: int) -> tuple[int, int]:
    """Bytes of the renderer after a few and after many keys, garbage collected."""
    case = _cases()[0]
    with devtools.page(**VIEWPORT) as page:

        def press(count: int) -> int:
            for number in range(count):
                page.evaluate("stopwatch.wait('typing')")
                page.press("a" if number % 2 == 0 else "Backspace")
                page.evaluate("stopwatch.result.then(() => null)")
            page.wait("stopwatch.isIdle()")
            time.sleep(2)  # the rest of the page follows
            for _ in range(2):  # what the first one leaves to finalizers is freed by the second
                page.send("HeapProfiler.collectGarbage")
            time.sleep(1)
            return renderer_memory(page.renderers()) or 0

        page.send("Page.addScriptToEvaluateOnNewDocument", source=STOPWATCH.read_text(encoding="utf-8"))
        page.send("Page.navigate", url=_url(address, case))
        page.wait("globalThis.stopwatch?.isIdle()")
        page.evaluate(f"stopwatch.enter({json.dumps(case.texts[-1])})")
        time.sleep(1)
        page.wait("stopwatch.isIdle()")
        return press(FEW_KEYS), press(many)
