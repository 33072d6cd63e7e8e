"""The atlas of heads and the page of a head on the real app: from the click until everything is drawn.

`python -m benchmarks --only heads` prints the section of the report.
"""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Page

from benchmarks import machine
from benchmarks.chromium import VIEWPORT, chromium
from benchmarks.keys import STOPWATCH
from benchmarks.tables import milliseconds, row
from tests.browser import PROJECT, running_app
from tests.tiny import encoder, text_encoder
from viz_core import checkpoints
from viz_core.checkpoints import Settings
from viz_core.evidence import heads
from viz_core.evidence.job import measure

VISITS, QUICK_VISITS = 6, 2  # of both pages; the first warms up
ATLAS_LIMIT, HEAD_LIMIT = 400, 500  # milliseconds
RANDOM = ("imdb", "random")  # 12 × 12 heads, surveyed over the sample
SHIPPED = (("afqmc", "small"), ("imdb", "minilm"))


@dataclass(frozen=True)
class Measured:
    """Milliseconds of each visit."""

    atlas: list[float] = field(default_factory=list)
    head: list[float] = field(default_factory=list)


def report(quick: bool = False) -> str:
    """The section of the report, as Markdown."""
    load, rows = machine.load(), []
    with _folder() as folder, running_app(VIZ_CHECKPOINTS_DIR=str(folder)) as address:
        for task, model in (RANDOM, *(() if quick else SHIPPED)):
            info = checkpoints.read_info(folder / task / model)
            name = f"`{task}/{model}`, {info.settings.config.layers} × {info.settings.config.heads} heads"
            print(f"heads, {name}", flush=True)
            link = f"lang=en&task={task}&model={model}"
            measured = _measure(address, link, QUICK_VISITS if quick else VISITS)
            rows += [
                row(f"{name}: click to atlas", [measured.atlas], ATLAS_LIMIT, milliseconds),
                row(f"{name}: click to the page of a head", [measured.head], HEAD_LIMIT, milliseconds),
            ]
    body = "\n".join(rows)
    return f"""## Heads

| with stored evidence | target | reached | largest | |
|---|---|---|---|---|
{body}

A click in the atlas opens the page of a head, another one each time; it is drawn with its passages and neighbours. A
click on *Models* leads back to the atlas. `random` has untrained weights and a survey of the sample. The first visit
does not count.

{machine.conditions(load)}"""


@contextmanager
def _folder() -> Iterator[Path]:
    """A folder of checkpoints with the shipped models and the random one."""
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        for task, model in SHIPPED:
            shutil.copytree(PROJECT / "checkpoints" / task / model, root / task / model)
        task, model = RANDOM
        text = text_encoder(task)
        network = encoder(vocabulary=text.vocabulary, max_tokens=text.max_tokens, layers=12, heads=12, width=48)
        metrics = {"task": task, "data": "sample"}
        checkpoints.save(root / task / model, Settings(task, network.config), network, text, metrics)
        measure(heads.NAME, root / task / model, task, lambda done, total: None)
        yield root


def _measure(address: str, link: str, visits: int) -> Measured:
    measured = Measured()
    with chromium() as browser:
        page = browser.new_page(viewport=VIEWPORT)
        page.set_default_timeout(60_000)
        page.add_init_script(path=STOPWATCH)
        for path, drawn in (("head", "#neighbours"), ("models", ".atlas[data-drawn]")):  # the models are loaded here
            page.goto(f"{address}/{path}?{link}")
            page.wait_for_selector(drawn, state="attached")
        for number in range(visits):
            head = _clicked(page, "head", f'.atlas .cell[data-head="{number + 1}"]')
            atlas = _clicked(page, "atlas", '[data-testid="stMain"] a[href*="models"]')
            if number:
                measured.head.append(head)
                measured.atlas.append(atlas)
    return measured


def _clicked(page: Page, kind: str, selector: str) -> float:
    """Milliseconds from the click until the page is drawn; before it, nothing moves any more."""
    page.wait_for_selector("[data-test-script-state=notRunning]")
    page.wait_for_timeout(1500)
    page.evaluate(f"stopwatch.wait('{kind}')")
    page.locator(selector).first.click()
    return page.evaluate("stopwatch.result")["drawn"]
