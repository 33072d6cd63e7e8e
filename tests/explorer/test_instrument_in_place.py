"""Every key is drawn by the same explorer: the same elements and listeners; zoom, scrolling and selection stay."""

import pytest
from playwright.sync_api import expect

from tests.explorer.instrument_page import explain

pytestmark = pytest.mark.browser

WORDS = " ".join(f"w{number}" for number in range(60))


def replace_text(instrument, text):
    """In one event, which unlike typing leaves nothing in the history that the browser keeps to undo it."""
    instrument.box().evaluate(
        "(box, text) => { box.value = text; box.dispatchEvent(new InputEvent('input', { bubbles: true })); }", text
    )
    instrument.wait_until_drawn(text)


def counters(instrument):
    """Nodes and event listeners that exist in the page, after a garbage collection."""
    session = instrument.page.context.new_cdp_session(instrument.page)
    for _ in range(2):
        session.send("HeapProfiler.collectGarbage")
    counts = session.send("Memory.getDOMCounters")
    session.detach()
    return counts["nodes"], counts["jsEventListeners"]


def contents(instrument):
    """The elements of the explorer, and the pixels of its canvases."""
    return instrument.page.locator(".explorer").evaluate(
        """(explorer) => [explorer.innerHTML,
          ...[...explorer.querySelectorAll("canvas")].map((canvas) => canvas.toDataURL())]"""
    )


def cell_at(instrument, share):
    """Query and key in the tooltip of the heat map, at this share of its width and height."""
    box = instrument.page.locator(".heatmap .stage canvas.over").bounding_box()
    instrument.page.mouse.move(1, 1)
    instrument.page.mouse.move(box["x"] + box["width"] * share, box["y"] + box["height"] * share)
    instrument.frame()
    return instrument.page.locator(".heatmap .tip > span").inner_text().split(" → ")


def zoom_in(instrument, times=5):
    for _ in range(times):
        instrument.page.get_by_role("button", name="Zoom in").click()
    instrument.frame()


def test_many_inputs_leave_as_many_nodes_and_listeners_as_a_few(instrument):
    instrument.open_texts("a good film")
    after = []
    for inputs in (6, 30):
        for _ in range(inputs // 2):
            replace_text(instrument, "a film")
            replace_text(instrument, "a good film")
        after.append(counters(instrument))
    assert after[0] == after[1]


def test_what_is_drawn_in_place_is_what_a_new_explorer_draws(instrument, open_instrument):
    """After longer and shorter texts, with tokens of several widths."""
    instrument.open_texts("a good film", selection={"head": "1.2"})
    for text in (WORDS, "an extraordinarily good film", "the plot is not so good"):
        replace_text(instrument, text)
    in_place = contents(instrument)
    instrument.page.evaluate("unmount()")
    instrument.open_texts("the plot is not so good", selection={"head": "1.2"})
    instrument.wait_until_drawn("the plot is not so good")
    assert in_place[1:] == contents(instrument)[1:], "the same pixels"


def test_a_head_that_is_selected_below_is_selected_here_once_and_the_rest_stays(instrument):
    instrument.open_texts("a good film", selection={"head": "1.2", "query": "2"})
    instrument.type(" indeed")
    instrument.rest()
    chosen = {"selection": {"head": "2.1", "query": "3"}, "choices": 1}
    instrument.open_texts("a good film indeed", **chosen)
    instrument.frame()
    reading = instrument.page.locator(".explorer .reading")
    assert "Layer 2, head 1" in reading.inner_text() and instrument.box().input_value() == "a good film indeed"
    assert instrument.page.locator(".explorer").evaluate("(root) => root === document.activeElement")
    instrument.page.keyboard.press("h")
    instrument.frame()
    assert "Layer 2, head 2" in reading.inner_text()
    instrument.open_texts("a good film indeed", **chosen)
    instrument.frame()
    assert "Layer 2, head 2" in reading.inner_text()


def test_the_views_stay_the_same_elements(instrument):
    instrument.open_texts("a good film")
    views = instrument.page.locator(".explorer .view, .explorer canvas").element_handles()
    replace_text(instrument, "another film")
    assert len(views) > 5 and all(view.evaluate("(view) => view.isConnected") for view in views)


def test_an_enlarged_map_stays_on_its_tokens(instrument):
    instrument.open_texts(WORDS)
    zoom_in(instrument)
    before = cell_at(instrument, 0.7)
    replace_text(instrument, f"yes {WORDS} indeed")
    moved = [f"{name.split()[0]} ({int(name.split('(')[1].rstrip(')')) + 1})" for name in before]
    assert cell_at(instrument, 0.7) == moved and moved[0].startswith("w")


def test_the_whole_map_is_shown_once_the_tokens_in_view_are_gone(instrument):
    instrument.open_texts(WORDS)
    zoom_in(instrument)
    replace_text(instrument, "x " * 40 + "y")
    instrument.page.mouse.move(1, 1)
    fitted = instrument.page.locator(".heatmap .stage canvas").first.evaluate("(canvas) => canvas.toDataURL()")
    instrument.page.get_by_role("button", name="Fit all tokens").click()
    instrument.page.mouse.move(1, 1)
    instrument.frame()
    assert fitted == instrument.page.locator(".heatmap .stage canvas").first.evaluate("(canvas) => canvas.toDataURL()")


def test_scrolled_links_stay_on_their_tokens(instrument):
    instrument.open_texts(WORDS)
    stage = instrument.page.locator(".links .stage")
    stage.evaluate("(stage) => { stage.scrollTop = 300; }")
    instrument.frame()
    replace_text(instrument, f"yes {WORDS}")
    rows = len(explain([WORDS]).encoding.tokens) + 1
    row = stage.evaluate("(stage) => stage.firstElementChild.offsetHeight") / rows
    assert stage.evaluate("(stage) => stage.scrollTop") == pytest.approx(300 + row, abs=row / 4)


def test_a_selected_range_stays_while_its_tokens_are_there(instrument):
    instrument.open_texts("one two three four five six")
    stage = instrument.page.locator(".heatmap .stage")
    stage.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight", "Shift+ArrowDown", "Shift+ArrowRight"):
        stage.press(key)
    instrument.frame()
    assert "queries one (2) to two (3)" in instrument.reading
    replace_text(instrument, "zero one two three four five six")
    assert "queries one (3) to two (4)" in instrument.reading
    replace_text(instrument, "zero one three four five six")
    assert "queries" not in instrument.reading


def test_after_going_back_the_texts_and_the_selection_are_those_of_the_page(instrument):
    """Otherwise a text that the page sends is never taken for newer than what was typed."""
    instrument.open_texts("a good film", selection={"head": "1.2"})
    instrument.type(" with a plot")
    instrument.wait_until_idle()
    instrument.open_texts("a good film", selection={"head": "1.2"})
    assert instrument.box().input_value() == "a good film with a plot"
    reports = instrument.page.evaluate("reports.length")
    instrument.open_texts("a good film", selection={"head": "1.2"}, turns=1)
    instrument.wait_until_drawn("a good film")
    instrument.wait_until_idle()
    assert instrument.box().input_value() == "a good film"
    assert "Layer 1, head 2" in instrument.page.locator(".explorer .reading").inner_text()
    assert instrument.page.evaluate("reports.length") == reports, "which would be a new step"


def test_a_text_that_the_browser_went_back_from_is_among_those_to_compare_with(instrument):
    instrument.open_texts("a good film")
    replace_text(instrument, "a bad film")
    instrument.open_texts("a good film", turns=1)
    instrument.wait_until_drawn("a good film")
    instrument.page.locator(".explorer .history summary").click()
    texts = instrument.page.locator(".explorer .history li .text")
    expect(texts).to_have_text(["a good film", "a bad film"])
