"""Training in a real browser: a run is started, watched, stopped and saved as a model; killed and resumed."""

import json
import os
import re
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, TimeoutError, expect

from pages.training.estimates import TIMEOUT_SECONDS
from tests.words import english, opening


def start_run(page: Page, address: str, epochs: int) -> None:
    """Opens the page and starts a run on the sample."""
    page.goto(f"{address}/training?lang=en")
    box = page.get_by_role("spinbutton", name=english("pages.training_epochs"), exact=True)
    box.fill(str(epochs))
    box.press("Enter")
    name = page.get_by_role("textbox", name=english("pages.training_name"))
    name.fill("tiny run")
    name.press("Enter")
    page.get_by_role("button", name=english("pages.training_start")).click()


def stop(page: Page) -> None:
    """Clicks Stop on the page; while a page runs, Streamlit shows a button of the same name above it."""
    page.get_by_test_id("stMain").get_by_role("button", name=english("pages.training_stop")).click()


def unfold_form(page: Page) -> Locator:
    """Unfolds the form, which a start folds, and returns its text box of inputs to track."""
    box = page.get_by_role("textbox", name=english("pages.training_pinned_single"))
    expect(box).to_be_hidden()
    page.locator(".st-key-recipe summary").first.click()
    expect(box).to_be_visible()
    return box


def read_status(folder: Path) -> dict:
    """The status.json of the only run."""
    (file,) = folder.glob("runs/*/status.json")
    return json.loads(file.read_text(encoding="utf-8"))


def wait_until(condition, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "timed out"
        time.sleep(0.2)


def open_popover(button: Locator, content: Locator) -> None:
    """Clicks until the content is there: a rerun of the page can close a popover that has just opened."""
    for _ in range(6):
        button.click()
        with suppress(TimeoutError):
            return content.wait_for(timeout=10_000)
    raise AssertionError(f"{content} does not appear")


def wait_for_its_views(page: Page) -> None:
    """Waits until the run that was started is shown, in place of the recorded one, and has a curve."""
    page.wait_for_selector("[class*=st-key-replay_input_2]", timeout=180_000)  # an id begins with the year
    page.wait_for_selector(".st-key-view_curve_loss .scatterlayer .trace", timeout=180_000)


def loss(page: Page) -> str:
    """The last loss that the curve names. Waits for it: while the page connects again, no curve is drawn."""
    return page.locator(".st-key-view_curve_loss .annotation-text").last.text_content()


@pytest.mark.slow
def test_a_run_is_watched_stopped_saved_and_opened(page, own_address, tmp_path, checkpoints_dir):
    start_run(page, own_address, epochs=500)
    expect(page.get_by_text(f"tiny run: {opening('pages.training_starting')}")).to_be_visible()
    wait_for_its_views(page)
    for view in ("curve_loss", "curve_accuracy", "replay_heatmap"):  # together on a screen of 1280 × 800
        area = page.locator(f".st-key-view_{view}").bounding_box()
        assert area["y"] > 0 and area["y"] + area["height"] <= 800, view
    box = unfold_form(page)
    box.fill("half a sentence that nobody has ")
    first = loss(page)
    wait_until(lambda: loss(page) != first)  # the curves are updated without a click
    assert box.input_value() == "half a sentence that nobody has "  # what was typed is not lost
    stop(page)
    save = page.get_by_role("button", name=english("pages.training_save_model"))
    save.wait_for()
    expect(page.get_by_text(f"tiny run · {english('jobs.state_stopped')}")).to_be_visible()
    assert read_status(tmp_path)["state"] == "stopped"
    name = page.get_by_role("textbox", name=english("pages.training_save_model_name"))
    open_popover(save, name)
    name.fill("mine")
    name.press("Enter")
    page.get_by_role("button", name=english("pages.training_save_model_now"), exact=True).click()
    page.get_by_role(
        "button", name=english("pages.training_open", name="mine")
    ).first.click()  # below the run, and soon also in the list of saved models
    page.wait_for_url(re.compile("sentiment"))
    page.wait_for_selector(".explorer[data-drawn]")
    expect(page.get_by_role("combobox").first).to_have_value(re.compile("^mine"))
    model = checkpoints_dir / "imdb/mine"
    assert (model / "README.md").read_text(encoding="utf-8").startswith("# imdb / mine\n")
    page.goto(f"{own_address}/training?lang=en")  # a new session: the cookie, not the tab, identifies the owner
    page.get_by_text(f"mine · {english('imdb.name')}").wait_for()
    page.locator(".st-key-saved_imdb_mine").get_by_role("button", name=english("pages.training_delete_model")).click()
    page.locator(".st-key-delete_model_imdb_mine_now button").click()
    wait_until(lambda: not model.exists())


VIEWS = ["curve_loss", "curve_accuracy", "replay_heatmap", "replay_probabilities"]
# Records the height of each view in every frame, and whether its chart is drawn. Streamlit recreates a chart whose data
# changed: it may be empty until it is drawn, which takes a busy machine several frames, and never after that.
WATCH = """views => {
  window.frames_seen = Object.fromEntries(views.map(name => [name, {}]));
  window.stopped = false;
  const once_drawn = new WeakSet();
  const record = () => {
    if (window.stopped) return;
    for (const name of views) {
      const view = document.querySelector(`.st-key-view_${name}`);
      const chart = view?.querySelector(".stPlotlyChart > div");
      const drawn = chart?.querySelector(".main-svg")?.childElementCount > 2;
      const state = drawn ? "drawn" : chart && !once_drawn.has(chart) ? "new" : "blank";
      const frame = `${Math.round(view?.getBoundingClientRect().height ?? 0)}px ${state}`;
      window.frames_seen[name][frame] = (window.frames_seen[name][frame] ?? 0) + 1;
      if (drawn) once_drawn.add(chart);
    }
    requestAnimationFrame(record);
  };
  requestAnimationFrame(record);
}"""
CHANGES = """() => {
  window.changes = [];
  new MutationObserver(records => records.forEach(({ type, target }) => window.changes.push(
    `${type} ${target.className || target.nodeName}`)))
    .observe(document.querySelector("[data-testid=stMain]"), {subtree: true, childList: true, characterData: true});
}"""


def watch_frames(page: Page) -> None:
    """Starts recording every frame, once all views are drawn."""
    wait_for_its_views(page)
    for name in VIEWS:
        page.wait_for_selector(f".st-key-view_{name} .main-svg .infolayer", state="attached", timeout=180_000)
    page.evaluate(WATCH, VIEWS)


def assert_no_flicker(page: Page) -> None:
    """Since `watch_frames`, the height of each view was constant, and its chart always drawn or just created."""
    page.evaluate("window.stopped = true")
    frames_by_view = page.evaluate("window.frames_seen")
    assert all(len({frame.split()[0] for frame in frames}) == 1 for frames in frames_by_view.values()), frames_by_view
    assert not any("blank" in frame for frames in frames_by_view.values() for frame in frames), frames_by_view


@pytest.mark.slow
def test_nothing_flickers_while_a_run_is_watched_and_replayed(page, own_address, tmp_path):
    start_run(page, own_address, epochs=500)
    watch_frames(page)
    box = unfold_form(page)
    box.focus()
    box.press("End")
    before, step = box.input_value(), read_status(tmp_path)["best"]["step"]
    typed_text = ""
    while read_status(tmp_path)["last"]["step"] < step + 3 * 12 or len(typed_text) < 20:  # three evaluations
        page.keyboard.type("x")
        typed_text += "x"
        page.wait_for_timeout(400)
    page.wait_for_timeout(3000)
    assert page.get_by_role("dialog").all_text_contents() == []  # “Connection error”: the page would be dead
    assert typed_text in box.input_value() and len(box.input_value()) == len(before) + len(typed_text)
    assert box.evaluate("box => box === document.activeElement")  # the box keeps the focus
    assert_no_flicker(page)
    slider = page.get_by_role("slider").first
    slider.evaluate("slider => { slider.isTheSame = true; }")
    stop(page)
    page.get_by_role("button", name=english("pages.training_save_model")).wait_for()
    # Timed again, without a run beside it, at the lowest priority: beside other work that takes minutes.
    expect(page.get_by_text(english("pages.training_measuring"))).to_be_hidden(timeout=1000 * TIMEOUT_SECONDS)
    page.wait_for_timeout(5000)
    page.evaluate(CHANGES)
    page.wait_for_timeout(14_000)
    assert page.evaluate("window.changes") == []  # after two updates of the table, nothing was redrawn
    assert slider.evaluate("slider => slider.isTheSame")  # a new one may forget its place
    assert slider.input_value() == slider.get_attribute("max")
    slider.focus()
    watch_frames(page)
    last = int(slider.input_value())
    for place in range(last - 1, last - 5, -1):
        page.keyboard.press("ArrowLeft")
        expect(slider).to_have_value(str(place))
        page.wait_for_timeout(700)
    page.get_by_role("button", name=english("pages.training_play")).click()
    page.get_by_role("button", name=english("pages.training_pause")).wait_for()
    expect(slider).to_have_value(str(last), timeout=180_000)
    page.get_by_role("button", name=english("pages.training_play")).wait_for(timeout=180_000)  # at the end
    assert_no_flicker(page)


@pytest.mark.slow
def test_a_killed_run_says_so_and_resumes_where_it_was(page, own_address, tmp_path):
    start_run(page, own_address, epochs=300)
    wait_until(lambda: list(tmp_path.glob("runs/*/checkpoints/*/resume.json")), 90)
    os.kill(read_status(tmp_path)["handle"]["pid"], signal.SIGKILL)
    page.get_by_text(english("jobs.killed")).wait_for()
    reached = read_status(tmp_path)["step"]
    page.get_by_role("button", name=english("pages.training_resume")).click()
    wait_until(lambda: read_status(tmp_path)["state"] == "running" and read_status(tmp_path)["step"] > reached)
    assert read_status(tmp_path)["attempt"] == 2
    stop(page)
    wait_until(lambda: read_status(tmp_path)["state"] == "stopped")
