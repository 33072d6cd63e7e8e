"""Training from the page in a real browser: started, watched, stopped, kept as a model; killed, and resumed."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from tests.browser import FLAGS, running_app


@pytest.fixture
def folders(tmp_path, checkpoints_dir) -> dict[str, str]:
    return {"VIZ_RUNS_DIR": str(tmp_path / "runs"), "VIZ_CHECKPOINTS_DIR": str(checkpoints_dir)}


@pytest.fixture
def address(folders):
    with running_app(**folders) as address:
        yield address
    for file in Path(folders["VIZ_RUNS_DIR"]).glob("*/request.json"):
        (file.parent / "stop").touch()  # nothing goes on training behind the test's back


@pytest.fixture
def page(chromium):
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page(locale="en-GB", viewport={"width": 1280, "height": 1000})
        page.set_default_timeout(30_000)
        yield page
        assert page.get_by_text("Traceback").count() == 0
        browser.close()


def started(page: Page, address: str, epochs: int) -> None:
    """The page, with a run of the smallest kind that was just asked for."""
    page.goto(f"{address}/training?lang=en")
    box = page.get_by_role("spinbutton", name="Epochs", exact=True)
    box.fill(str(epochs))
    box.press("Enter")
    name = page.get_by_role("textbox", name="Name of the run")
    name.fill("tiny run")
    name.press("Enter")
    page.get_by_role("button", name="Start training").click()


def status(folder: str) -> dict:
    file, = Path(folder).glob("*/status.json")
    return json.loads(file.read_text(encoding="utf-8"))


def until(told, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not told():
        assert time.monotonic() < deadline, "in vain"
        time.sleep(0.2)


def loss(page: Page) -> str:
    return page.locator(".st-key-view_curve_loss .annotation-text").all_text_contents()[-1]


def test_a_run_is_watched_stopped_kept_and_opened(page, address, folders):
    started(page, address, epochs=500)
    page.wait_for_selector(".st-key-view_curve_loss .scatterlayer .trace", timeout=90_000)
    typed = page.get_by_role("textbox", name="Inputs to follow")
    typed.fill("half a sentence that nobody has ")
    first = loss(page)
    until(lambda: loss(page) != first)  # the curves move without anybody doing anything
    assert typed.input_value() == "half a sentence that nobody has "  # and what was typed stays
    page.get_by_role("button", name="Stop", exact=True).click()
    keep = page.get_by_role("button", name="Keep as model")
    keep.wait_for(timeout=60_000)
    expect(page.get_by_text("tiny run · stopped")).to_be_visible()
    assert status(folders["VIZ_RUNS_DIR"])["state"] == "stopped"
    keep.click()
    name = page.get_by_role("textbox", name="Name of the model")
    name.fill("mine")
    name.press("Enter")
    page.get_by_role("button", name="Keep", exact=True).click()
    page.get_by_role("button", name="Open mine").click()
    page.wait_for_url(re.compile("sentiment"))
    page.wait_for_selector(".explorer[data-drawn]")
    expect(page.get_by_role("combobox").first).to_have_value(re.compile("^mine"))
    card = Path(folders["VIZ_CHECKPOINTS_DIR"]) / "imdb/mine/README.md"
    assert card.read_text(encoding="utf-8").startswith("# imdb / mine\n")


def test_a_run_that_is_killed_says_so_and_goes_on_where_it_was(page, address, folders):
    started(page, address, epochs=300)
    until(lambda: list(Path(folders["VIZ_RUNS_DIR"]).glob("*/checkpoints/*/resume.json")), 90)
    os.kill(status(folders["VIZ_RUNS_DIR"])["pid"], signal.SIGKILL)
    page.get_by_text("The run was ended from outside").wait_for()
    reached = status(folders["VIZ_RUNS_DIR"])["step"]
    page.get_by_role("button", name="Resume").click()
    until(lambda: status(folders["VIZ_RUNS_DIR"])["state"] == "running"
          and status(folders["VIZ_RUNS_DIR"])["step"] > reached)
    assert status(folders["VIZ_RUNS_DIR"])["attempt"] == 2
    page.get_by_role("button", name="Stop", exact=True).click()
    until(lambda: status(folders["VIZ_RUNS_DIR"])["state"] == "stopped")
