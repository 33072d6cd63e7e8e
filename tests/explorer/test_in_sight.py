"""While one scrolls through the views, the head, the reading line and a row of all heads stay in sight."""

import pytest

from tests.explorer import examples

pytestmark = pytest.mark.browser

MANY = examples.review(layers=6, heads=12)


@pytest.fixture
def explorer(open_explorer):
    return open_explorer(examples.review(), {"head": "2.1"}, viewport={"width": 1280, "height": 500})


def scroll_to(explorer, top):
    explorer.page.evaluate("(top) => scrollTo(0, top)", top)
    explorer.frame()


def scroll_past(explorer, view):
    """Until the view is above the upper edge of the window."""
    box = explorer.view(view).bounding_box()
    scroll_to(explorer, explorer.page.evaluate("scrollY") + box["y"] + box["height"])


def strip(explorer):
    return explorer.page.locator(".heads-strip")


def marks(explorer):
    """The marked thumbnails of the strip."""
    return explorer.page.locator(".heads-strip .head").evaluate_all(
        """(all) => all.filter((head) => !["", "transparent"].includes(head.style.getPropertyValue("--mark")))
          .map(({ title }) => title)"""
    )


def test_the_strip_comes_when_the_overview_goes_and_nothing_moves(explorer):
    page = explorer.page
    assert not strip(explorer).is_visible()
    tops = "() => [...document.querySelectorAll('.view')].map((view) => view.getBoundingClientRect().top + scrollY)"
    before = page.evaluate(tops)
    scroll_to(explorer, explorer.view("overview").bounding_box()["y"])
    assert not strip(explorer).is_visible(), "the overview is still in sight"
    scroll_past(explorer, "overview")
    strip(explorer).wait_for(state="visible")
    assert page.locator(".reading").bounding_box()["y"] == 0 and explorer.title == "Layer 2, head 1"
    assert page.evaluate(tops) == before
    scroll_to(explorer, 0)
    strip(explorer).wait_for(state="hidden")


def test_a_thumbnail_of_the_strip_selects_its_head(explorer):
    scroll_past(explorer, "overview")
    strip(explorer).wait_for(state="visible")
    assert strip(explorer).locator(".head").count() == 8 and marks(explorer) == ["Layer 2, head 1"]
    explorer.click(strip(explorer).get_by_title("Layer 1, head 3"))
    assert explorer.title == "Layer 1, head 3" and marks(explorer) == ["Layer 1, head 3"]
    explorer.click(strip(explorer).get_by_title("Layer 1, head 4"), modifiers=["Shift"])
    assert marks(explorer) == ["Layer 1, head 3", "Layer 1, head 4"]
    explorer.press("l")  # a shortcut works after a click
    assert explorer.title == "Layer 2, head 3" and marks(explorer) == ["Layer 2, head 3"]


def test_it_shows_the_thumbnails_of_the_overview(explorer):
    scroll_past(explorer, "overview")
    strip(explorer).wait_for(state="visible")
    pictures = [
        [canvas.evaluate("(canvas) => canvas.toDataURL()") for canvas in place.locator("canvas").all()]
        for place in (explorer.view("overview").locator(".heads"), strip(explorer))
    ]
    assert pictures[0] == pictures[1] and len(set(pictures[0])) == 8


def test_it_stands_in_for_an_overview_that_is_hidden(explorer):
    explorer.click(explorer.page.locator(".views-shown button").first)
    scroll_past(explorer, "heatmap")
    strip(explorer).wait_for(state="visible")


def test_for_keyboard_and_screen_readers_there_is_the_overview(explorer):
    scroll_past(explorer, "overview")
    strip(explorer).wait_for(state="visible")
    assert strip(explorer).get_attribute("aria-hidden") == "true"
    assert strip(explorer).evaluate("(strip) => [...strip.querySelectorAll('*')].every(({ tabIndex }) => tabIndex < 0)")


def test_many_heads_scroll_sideways_to_the_selected_one(open_explorer):
    explorer = open_explorer(MANY, {"head": "6.12"}, viewport={"width": 800, "height": 500})
    scroll_past(explorer, "overview")
    strip(explorer).wait_for(state="visible")
    row, head = strip(explorer).bounding_box(), strip(explorer).get_by_title("Layer 6, head 12").bounding_box()
    assert row["x"] <= head["x"] and head["x"] + head["width"] <= row["x"] + row["width"] <= 800
    assert strip(explorer).evaluate("(strip) => strip.scrollWidth > strip.clientWidth")
    assert explorer.page.evaluate("document.documentElement.scrollWidth") == 800


def test_a_presentation_has_all_heads_in_sight_already(explorer):
    scroll_past(explorer, "overview")
    strip(explorer).wait_for(state="visible")
    explorer.press("Tab", "f")
    strip(explorer).wait_for(state="hidden")
    explorer.press("Escape")
    scroll_past(explorer, "overview")
    strip(explorer).wait_for(state="visible")
