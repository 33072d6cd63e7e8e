"""Training from the page in a real browser: started, watched, stopped, kept as a model; killed, and resumed."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect


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


def stop(page: Page) -> None:
    """Asks for it on the page itself: Streamlit has a button of that name above it, while it runs the page."""
    page.get_by_test_id("stMain").get_by_role("button", name="Stop", exact=True).click()


def status(folder: Path) -> dict:
    """What the run says of itself."""
    (file,) = folder.glob("runs/*/status.json")
    return json.loads(file.read_text(encoding="utf-8"))


def until(told, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not told():
        assert time.monotonic() < deadline, "in vain"
        time.sleep(0.2)


def loss(page: Page) -> str:
    return page.locator(".st-key-view_curve_loss .annotation-text").all_text_contents()[-1]


def test_a_run_is_watched_stopped_kept_and_opened(page, own_address, tmp_path, checkpoints_dir):
    started(page, own_address, epochs=500)
    page.wait_for_selector(".st-key-view_curve_loss .scatterlayer .trace", timeout=180_000)
    typed = page.get_by_role("textbox", name="Inputs to follow")
    typed.fill("half a sentence that nobody has ")
    first = loss(page)
    until(lambda: loss(page) != first)  # the curves move without anybody doing anything
    assert typed.input_value() == "half a sentence that nobody has "  # and what was typed stays
    stop(page)
    keep = page.get_by_role("button", name="Keep as model")
    keep.wait_for(timeout=60_000)
    expect(page.get_by_text("tiny run · stopped")).to_be_visible()
    assert status(tmp_path)["state"] == "stopped"
    keep.click()
    name = page.get_by_role("textbox", name="Name of the model")
    name.fill("mine")
    name.press("Enter")
    page.get_by_role("button", name="Keep", exact=True).click()
    page.get_by_role("button", name="Open mine").click()
    page.wait_for_url(re.compile("sentiment"))
    page.wait_for_selector(".explorer[data-drawn]")
    expect(page.get_by_role("combobox").first).to_have_value(re.compile("^mine"))
    model = checkpoints_dir / "imdb/mine"
    assert (model / "README.md").read_text(encoding="utf-8").startswith("# imdb / mine\n")
    page.goto(f"{own_address}/training?lang=en")  # anew: the browser is known by its cookie, not by its tab
    page.get_by_text("mine · Sentiment (IMDB) · kept on").wait_for()
    page.locator(".st-key-kept_imdb_mine").get_by_role("button", name="Delete model").click()
    page.locator(".st-key-give_up_imdb_mine_now button").click()
    until(lambda: not model.exists())


VIEWS = ["curve_loss", "curve_accuracy", "replay_heatmap", "replay_bars", "replay_probabilities"]
# Of every frame: how high each view is, and whether it is drawn. Streamlit makes a chart with other numbers anew and draws
# it when it comes to it: in its first frame, and in no other, a chart may be empty.
WATCH = """views => {
  window.seen = Object.fromEntries(views.map(name => [name, {}]));
  window.looked = false;
  const charts = {};
  const look = () => {
    if (window.looked) return;
    for (const name of views) {
      const view = document.querySelector(`.st-key-view_${name}`);
      const chart = view?.querySelector(".stPlotlyChart > div");
      const drawn = chart?.querySelector(".main-svg")?.childElementCount > 2;
      const state = drawn ? "drawn" : chart && chart !== charts[name] ? "new" : "blank";
      const frame = `${Math.round(view?.getBoundingClientRect().height ?? 0)}px ${state}`;
      window.seen[name][frame] = (window.seen[name][frame] ?? 0) + 1;
      charts[name] = chart;
    }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""
CHANGES = """() => {
  window.changes = [];
  new MutationObserver(found => found.forEach(one => window.changes.push(
    `${one.type} ${one.target.className || one.target.nodeName}`)))
    .observe(document.querySelector("[data-testid=stMain]"), {subtree: true, childList: true, characterData: true});
}"""


def watch(page: Page) -> None:
    """From now on looks at every frame. The views are drawn one after the other at first: not before all of them are."""
    for name in VIEWS:
        page.wait_for_selector(f".st-key-view_{name} .main-svg .infolayer", state="attached", timeout=180_000)
    page.evaluate(WATCH, VIEWS)


def nothing_flickered(page: Page) -> None:
    """Since `watch`, each view was as high in every frame, and its chart was drawn or new in that very frame."""
    page.evaluate("window.looked = true")
    seen = page.evaluate("window.seen")
    assert all(len({frame.split()[0] for frame in frames}) == 1 for frames in seen.values()), seen
    assert not any("blank" in frame for frames in seen.values() for frame in frames), seen


@pytest.mark.slow
def test_nothing_flickers_while_a_run_is_watched_and_its_epochs_are_replayed(page, own_address, tmp_path):
    started(page, own_address, epochs=500)
    watch(page)
    typed = page.get_by_role("textbox", name="Inputs to follow")
    typed.focus()
    typed.press("End")
    before, step = typed.input_value(), status(tmp_path)["best"]["step"]
    written = ""
    while status(tmp_path)["last"]["step"] < step + 3 * 12 or len(written) < 20:  # three evaluations
        page.keyboard.type("x")
        written += "x"
        page.wait_for_timeout(400)
    page.wait_for_timeout(3000)
    assert written in typed.input_value() and len(typed.input_value()) == len(before) + len(written)
    assert typed.evaluate("box => box === document.activeElement")  # nothing takes the cursor away
    nothing_flickered(page)
    stop(page)
    page.get_by_role("button", name="Keep as model").wait_for(timeout=60_000)
    page.get_by_text("if nothing else runs").wait_for(timeout=60_000)  # timed anew, now that no run disturbs it
    page.wait_for_timeout(5000)
    page.evaluate(CHANGES)
    page.wait_for_timeout(14_000)
    assert page.evaluate("window.changes") == []  # two looks at the runs later, nothing was drawn anew
    slider = page.get_by_role("slider").first
    slider.focus()
    watch(page)
    for _ in range(4):
        page.keyboard.press("ArrowLeft")
        page.wait_for_timeout(700)
    nothing_flickered(page)


def test_a_run_that_is_killed_says_so_and_goes_on_where_it_was(page, own_address, tmp_path):
    started(page, own_address, epochs=300)
    until(lambda: list(tmp_path.glob("runs/*/checkpoints/*/resume.json")), 90)
    os.kill(status(tmp_path)["pid"], signal.SIGKILL)
    page.get_by_text("The run was ended from outside").wait_for()
    reached = status(tmp_path)["step"]
    page.get_by_role("button", name="Resume").click()
    until(lambda: status(tmp_path)["state"] == "running" and status(tmp_path)["step"] > reached)
    assert status(tmp_path)["attempt"] == 2
    stop(page)
    until(lambda: status(tmp_path)["state"] == "stopped")
