"""The presentation: two views fill the window, with nothing to scroll; how it begins and ends, its keys, its link."""

from dataclasses import replace

import numpy as np
import pytest

from tests.explorer import examples
from tests.explorer.instrument_page import LINK, explain
from tests.pictures import compare
from tests.sampling import few
from tests.words import english
from viz_core.rendering.theme import theme

pytestmark = [pytest.mark.browser, pytest.mark.whole_browser]
PROJECTOR = {"width": 1280, "height": 720}
SIZES = """() => {
  const root = document.querySelector(".explorer"), { x, y, width, height } = root.getBoundingClientRect();
  const isBox = (element) => ["auto", "scroll"].includes(getComputedStyle(element).overflowY);
  return { box: [x, y, width, height], window: [0, 0, innerWidth, innerHeight],
    scrolled: [document.documentElement, root, ...root.querySelectorAll("*")].filter((element) => (
      element === root || element === document.documentElement || isBox(element))
      && (element.scrollHeight > element.clientHeight + 1 || element.scrollWidth > element.clientWidth + 1))
      .map((element) => element.className || element.tagName),
    outside: [...root.querySelectorAll(".slide > *, .reading h2, .view, .stage > canvas, .heads > *")].filter((
      element) => {
      const { left, top, right, bottom } = element.getBoundingClientRect();
      return left < 0 || top < 0 || right > innerWidth || bottom > innerHeight;
    }).map((element) => element.className || element.tagName) };
}"""


@pytest.fixture
def open_presentation(open_instrument):
    """Opens a text or a pair, presented as in a link."""

    def open_page(present="heatmap", explanation=None, language="en", mode="light", selection=(), **context):
        instrument = open_instrument(theme(mode).background, **{"viewport": PROJECTOR, **context})
        explanation = explanation or explain(["The plot is thin but good"])
        selected = LINK | dict(selection) | ({"present": present} if present else {})
        instrument.open(explanation, selection=selected, language=language, colours=theme(mode))
        instrument.frame()
        return instrument

    return open_page


def views_in_window(instrument) -> list[str]:
    """The views that fill the window, from left to right; empty outside a presentation."""
    if not instrument.page.locator(".explorer.presenting").count():
        return []
    return instrument.page.locator(".explorer .view:visible").evaluate_all("(all) => all.map((v) => v.classList[1])")


def press(instrument, *keys):
    for key in keys:
        instrument.page.keyboard.press(key)
        instrument.frame()


def shown_texts(instrument) -> list[str]:
    return instrument.page.locator(".slide .texts span").all_inner_texts()


def wide(layers, heads):
    """A long pair of a model with many heads."""
    pair = examples.pair(layers=layers)
    attention = np.repeat(pair.attention, -(-heads // pair.attention.shape[1]), axis=1)[:, :heads]
    return replace(pair, attention=attention)


@pytest.mark.parametrize("size", [(1280, 720), pytest.param((1920, 1080), marks=pytest.mark.slow)])
@pytest.mark.parametrize("present", ["heatmap", "links"])
@pytest.mark.parametrize(
    "explanation", few([wide(6, 4), wide(2, 8), examples.review()]), ids=["deep", "wide", "review"]
)
def test_two_views_fill_the_window_and_nothing_scrolls(open_presentation, explanation, present, size):
    instrument = open_presentation(present, explanation, viewport=dict(zip(("width", "height"), size, strict=True)))
    sizes = instrument.page.evaluate(SIZES)
    assert views_in_window(instrument) == ["overview", present]
    assert sizes["box"] == sizes["window"] and sizes["scrolled"] == sizes["outside"] == []


def test_ranked_heads_stand_in_rows_of_equal_size_with_nothing_to_scroll(open_presentation):
    """Two layers of four heads and a uniform one."""
    page = open_presentation(explanation=examples.pair(layers=2, heads=4), selection={"order": "same"}).page
    boxes = page.locator(".overview .heads > *").evaluate_all(
        "(elements) => elements.map((e) => e.getBoundingClientRect()).map((b) => [b.left, b.top, b.right, b.bottom])"
    )
    assert len(boxes) == 9 and len({round(right - left) for left, _, right, _ in boxes}) == 1
    rows = sorted({round(top) for _, top, _, _ in boxes})
    assert all(bottom <= min([row for row in rows if row > top + 1], default=720) for _, top, _, bottom in boxes)
    assert page.evaluate(SIZES)["scrolled"] == []


def test_a_heat_map_takes_the_height_that_there_is(open_presentation):
    stage = open_presentation(explanation=examples.review()).page.locator(".heatmap .stage")
    canvas = stage.locator("canvas").first
    assert 0.9 < canvas.bounding_box()["height"] / stage.bounding_box()["height"] < 1.01


def test_type_grows_with_the_window(open_presentation):
    sizes = {}
    for width, height in ((1280, 720), (1920, 1080), (390, 844)):
        page = open_presentation(viewport={"width": width, "height": height}).page
        sizes[width] = page.locator(".explorer").evaluate("(root) => parseFloat(getComputedStyle(root).fontSize)")
    assert sizes == {1280: 18, 1920: 27, 390: theme("light").text}


def test_a_window_of_another_size_is_filled(open_presentation):
    instrument = open_presentation("links", examples.pair())
    instrument.page.set_viewport_size({"width": 1600, "height": 900})
    instrument.frame()
    sizes = instrument.page.evaluate(SIZES)
    assert sizes["box"] == [0, 0, 1600, 900] and sizes["scrolled"] == sizes["outside"] == []


@pytest.mark.parametrize("end", ["Escape", "f", "button"])
def test_it_begins_and_ends_and_the_explorer_is_as_before(open_presentation, end):
    instrument = open_presentation(None, selection={"views": "235", "head": "2.3"})
    before = instrument.page.locator(".explorer .view:visible").count()
    instrument.page.get_by_role("button", name="Present:").first.click()
    instrument.frame()
    assert views_in_window(instrument) == ["overview", "heatmap"]
    if end == "button":
        instrument.page.get_by_role("button", name="End the presentation").click()
        instrument.frame()
    else:
        press(instrument, end)
    assert (
        views_in_window(instrument) == [] and instrument.page.locator(".explorer .view:visible").count() == before == 3
    )
    assert instrument.page.evaluate("document.fullscreenElement") is None
    assert instrument.page.locator(".explorer").evaluate("(root) => root.popover") is None
    assert instrument.page.locator(".reading h2").inner_text() == "Layer 2, head 3"
    press(instrument, "h")
    assert instrument.page.locator(".reading h2").inner_text() == "Layer 2, head 4", "shortcuts still work"


def test_leaving_full_screen_ends_it(open_presentation):
    """The browser keeps Escape to itself while a page fills the screen."""
    instrument = open_presentation(None)
    instrument.page.get_by_role("button", name="Present:").first.click()
    instrument.page.wait_for_function("document.fullscreenElement && document.querySelector('.explorer:popover-open')")
    instrument.page.evaluate("document.exitFullscreen()")
    instrument.page.wait_for_selector(".explorer:not(.presenting)")


def test_leaving_full_screen_closes_the_help_first(open_presentation):
    instrument = open_presentation(None)
    instrument.page.get_by_role("button", name="Present:").first.click()
    instrument.page.wait_for_function("document.fullscreenElement && document.querySelector('.explorer:popover-open')")
    press(instrument, "?")
    keys = instrument.page.locator("#keys")
    assert keys.is_visible()
    instrument.page.evaluate("document.exitFullscreen()")
    keys.wait_for(state="hidden")
    assert views_in_window(instrument) == ["overview", "heatmap"]


def test_it_says_what_rows_and_columns_are_and_what_the_selected_token_attends_to(open_presentation):
    instrument = open_presentation()
    line = instrument.page.locator(".reading .line")
    assert line.inner_text() == english("explorer.present_axes")
    instrument.page.locator(".heatmap .stage").focus()
    press(instrument, "ArrowDown", "ArrowDown")
    assert line.inner_text().endswith(english("explorer.present_axes")) and "The (2)" in line.inner_text()
    press(instrument, "Escape", "Escape")
    assert line.inner_text() == english("explorer.nothing_selected")


def test_what_is_behind_it_cannot_be_seen_or_reached(open_presentation):
    instrument = open_presentation()
    in_front = """() => [[20, 20], [640, 360], [1260, 700]].every(([x, y]) => (
      document.elementFromPoint(x, y).closest(".explorer")))"""
    assert instrument.page.evaluate(in_front)
    assert instrument.page.locator(".explorer :is(.toolbar button, select, .note):visible").count() == 0
    for _ in range(30):
        instrument.page.keyboard.press("Tab")
        assert instrument.page.evaluate("!document.activeElement.closest('.instrument')")


def test_keys_for_views_heads_and_layers(open_presentation):
    instrument = open_presentation()
    title = instrument.page.locator(".reading h2")
    for key, views in (("v", "links"), ("v", "heatmap"), ("4", "links"), ("3", "links"), ("2", "heatmap")):
        press(instrument, key)
        assert views_in_window(instrument) == ["overview", views]
    press(instrument, "h", "l")
    assert title.inner_text() == "Layer 2, head 2"
    instrument.page.mouse.click(640, 100)
    press(instrument, "H")
    assert title.inner_text() == "Layer 2, head 1", "also after a click beside everything"


def test_keys_for_examples(open_presentation):
    instrument = open_presentation()
    assert shown_texts(instrument) == ["The plot is thin but good"]
    verdicts = []
    for key in ("e", "e", "e", "E"):
        press(instrument, key)
        instrument.wait_until_idle()
        verdicts.append((*shown_texts(instrument), instrument.page.locator(".slide .verdict").inner_text()))
    assert [text for text, _ in verdicts] == ["A good film", "The plot is thin"] * 2
    assert ["60.0%" in verdict for _, verdict in verdicts] == [True, False] * 2, "1 - (1 + 1) / (2 + 3)"
    assert views_in_window(instrument) == ["overview", "heatmap"]


def test_the_help_lists_the_keys_and_escape_closes_it_first(open_presentation):
    instrument = open_presentation()
    press(instrument, "?")
    help_ = instrument.page.locator(".help")
    assert {"f, v", "e, E"} <= set(help_.locator("dt").all_inner_texts())
    box = help_.bounding_box()
    assert box["y"] >= 0 and box["y"] + box["height"] <= PROJECTOR["height"]
    press(instrument, "Escape")
    assert not help_.is_visible() and views_in_window(instrument)
    press(instrument, "Escape")
    assert not views_in_window(instrument)


def test_a_comparison_side_by_side_fills_the_window(open_presentation):
    instrument = open_presentation(explanation=examples.pair())
    press(instrument, "p")
    assert views_in_window(instrument) == ["heatmap", "heatmap"]
    sizes = instrument.page.evaluate(SIZES)
    assert sizes["scrolled"] == sizes["outside"] == []


def test_it_is_part_of_the_link(open_presentation):
    instrument = open_presentation(None)
    press(instrument, "Tab")
    instrument.page.locator(".explorer .views").focus()
    press(instrument, "f", "v")
    assert instrument.reports("selection")[-1]["present"] == "links"
    press(instrument, "Escape")
    assert "present" not in instrument.reports("selection")[-1]


def test_another_language_or_theme_goes_on_with_it(open_presentation):
    instrument = open_presentation("links")
    instrument.open(explain(["The plot is thin but good"]), selection=LINK, language="zh", colours=theme("dark"))
    instrument.frame()
    assert views_in_window(instrument) == ["overview", "links"]
    assert instrument.page.locator(".slide button[aria-pressed=true]").inner_text() == "连线"


CASES = {
    "heatmap_en_dark": ("heatmap", examples.review(), "en", "dark"),
    "links_zh_light": ("links", examples.pair(), "zh", "light"),
}


@pytest.mark.parametrize("case", CASES)
def test_pictures(open_presentation, case):
    instrument = open_presentation(*CASES[case])
    compare(instrument.page.screenshot(animations="disabled"), f"presentation_{case}")
