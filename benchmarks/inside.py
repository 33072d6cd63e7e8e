"""The page about the inside of attention on the real app: from the click on a weight until its computation is drawn,
what is sent, and the script of every step. Before the click, value-weighted attention in the explorer.

`python -m benchmarks --only inside` prints the section of the report.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlencode

from playwright.sync_api import Page, WebSocket

from benchmarks import machine
from benchmarks.chromium import VIEWPORT, chromium
from benchmarks.inputs import review
from benchmarks.keys import HALF, STOPWATCH
from benchmarks.tables import milliseconds, row, size
from pages.shared.tasks import PAGES
from tests.browser import running_app

SWITCHES = 4  # to norms and back
OPENINGS, QUICK_OPENINGS = 6, 2  # the first warms up: the browser then has the script of the page
STEP_LIMIT, OPENING_LIMIT, BYTES_LIMIT = 16, 400, 400_000  # milliseconds, milliseconds, bytes


@dataclass(frozen=True)
class Case:
    """An input whose query 1 and key 5 are selected in a head. limited: whether the targets are for it."""

    task: str
    model: str
    tokens: int
    texts: tuple[str, ...]
    head: str
    limited: bool = True

    @property
    def name(self) -> str:
        return f"`{self.task}/{self.model}`, {'a pair of ' if len(self.texts) == 2 else ''}{self.tokens} tokens"


@dataclass(frozen=True)
class Measured:
    """Milliseconds of each opening, bytes that it received, and milliseconds of script of each step and of each change
    of the explorer between weights and norms."""

    opened: list[float] = field(default_factory=list)
    received: list[float] = field(default_factory=list)
    steps: list[float] = field(default_factory=list)
    norms: list[float] = field(default_factory=list)


def report(quick: bool = False) -> str:
    """The section of the report, as Markdown."""
    load, rows = machine.load(), []
    with running_app() as address:
        for case in _cases(quick):
            print(f"inside, {case.name}", flush=True)
            measured = _measure(address, case, QUICK_OPENINGS if quick else OPENINGS)
            opening, sent, step = (OPENING_LIMIT, BYTES_LIMIT, STEP_LIMIT) if case.limited else (None, None, None)
            rows += [
                row(f"{case.name}: click to drawn", [measured.opened], opening, milliseconds),
                row(f"{case.name}: received", [measured.received], sent, size),
                row(f"{case.name}: script of a step", [measured.steps], step, milliseconds),
                row(f"{case.name}: norms in the explorer, script", [measured.norms], None, milliseconds),
            ]
    body = "\n".join(rows)
    return f"""## Inside attention

| how a weight came about | target | reached | largest | |
|---|---|---|---|---|
{body}

The page is opened from the explorer, without reloading the app. *Received* is all that the server sends from the click
on. The first opening, which also sends the script of the page, is not counted; with 512 tokens the page is loaded anew
each time. *Norms*: the explorer changes between weights and value-weighted attention. The norms are in the browser
already; all views are computed and drawn anew.

{machine.conditions(load)}"""


def _cases(quick: bool) -> list[Case]:
    pair = Case("afqmc", "small", 63, (HALF, HALF), "2.4")
    if quick:
        return [pair]
    wide = Case("imdb", "wide", 64, (review(64, "inside"),), "2.1")
    return [wide, pair, Case("imdb", "wide", 512, (review(512, "inside"),), "2.1", limited=False)]


def _measure(address: str, case: Case, openings: int) -> Measured:
    measured = Measured()
    with _page(address, case) as (page, frames):
        _switch_measure(page, measured)
        for number in range(openings):
            page.wait_for_timeout(1500)
            frames.clear()
            page.evaluate("stopwatch.wait('inside')")
            page.locator(".reading .inside").click()
            drawn = page.evaluate("stopwatch.result")["drawn"]
            if number:
                measured.opened.append(drawn)
                measured.received.append(sum(frames))
            if number < openings - 1:
                page.go_back() if case.limited else page.goto(_url(address, case))  # no link has a text so long
                _wait_until_selected(page)
        page.locator(".inside .stepper select").select_option("model")
        forward = page.locator(".inside .stepper > button").nth(1)
        while forward.is_enabled():
            page.evaluate("stopwatch.wait('step')")
            forward.press("Enter")
            measured.steps.append(page.evaluate("stopwatch.result")["script"])
    return measured


def _switch_measure(page: Page, measured: Measured) -> None:
    """From weights to norms and back; the first time, which fetches the norms, does not count."""
    page.locator("[aria-controls=settings]").click()
    page.locator(".measure select").focus()
    page.keyboard.press("ArrowDown")
    page.wait_for_timeout(2000)
    for key in ("ArrowUp", "ArrowDown") * SWITCHES + ("ArrowUp",):
        page.evaluate("stopwatch.wait('change')")
        page.keyboard.press(key)
        measured.norms.append(page.evaluate("stopwatch.result")["script"])


@contextmanager
def _page(address: str, case: Case) -> Iterator[tuple[Page, list[int]]]:
    """The page of a task with the weight selected, and the sizes of the messages that it has received."""
    frames: list[int] = []

    def listen(socket: WebSocket) -> None:
        socket.on("framereceived", lambda payload: frames.append(len(payload)))

    with chromium() as browser:
        page = browser.new_page(viewport=VIEWPORT)
        page.set_default_timeout(60_000)
        page.on("websocket", listen)
        page.add_init_script(path=STOPWATCH)
        page.goto(_url(address, case))
        _wait_until_selected(page)
        yield page, frames


def _url(address: str, case: Case) -> str:
    boxes = dict(zip(PAGES[case.task].boxes, case.texts, strict=True))
    link = {"lang": "en", "model": case.model, "head": case.head, "query": 1, "key": 5, **boxes}
    return f"{address}/{PAGES[case.task].url}?{urlencode(link)}"


def _wait_until_selected(page: Page) -> None:
    page.wait_for_selector(".explorer[data-exact=true] .reading .inside")
    page.wait_for_selector("[data-test-script-state=notRunning]")
