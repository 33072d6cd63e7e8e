"""The Streamlit component, without Streamlit: the explorer in a page that reruns."""

import pytest

from tests.explorer import examples
from tests.explorer.explorer_page import ExplorerPage, weight_text
from tests.explorer.instrument_page import HEADS, LINK
from tests.words import chinese, english, says

pytestmark = pytest.mark.browser

LONG = examples.of_length(128, heads=3)  # too many bytes for all heads at once


@pytest.fixture
def component(instrument):
    return Component(instrument)


class Component:
    """The component as a page that reruns: it is given new data without a word being typed."""

    def __init__(self, instrument):
        self.instrument, self.page, self.server = instrument, instrument.page, instrument.server

    def show(self, explanation, selection=None, request=None, language="en", **options):
        self.server.explanation = explanation
        self.instrument.open(
            explanation, selection=selection or {"views": "12345"}, request=request, language=language, **options
        )
        return ExplorerPage(self.page, explanation)

    def reports(self):
        return self.instrument.reports()


def test_a_selection_is_reported_once_after_a_pause(component):
    explorer = component.show(examples.review(), LINK)
    assert component.reports() == [], "equal to the link"
    explorer.page.evaluate("""() => [..."hhl"].forEach((key) => document.querySelector(".explorer").dispatchEvent(
        new KeyboardEvent("keydown", { key, bubbles: true })))""")
    assert component.reports() == [["selection", LINK | {"head": "2.3"}]]
    explorer.point_at(explorer.cell(3, 3))
    explorer.point_at(explorer.cell(4, 3))
    assert len(component.reports()) == 1, "hovering is not reported"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_name_of_a_head_says_how_it_is_written_elsewhere(component, language):
    explorer = component.show(examples.review(), {"head": "2.3", "views": "2"}, language=language)
    title = explorer.page.locator(".reading h2")
    assert says(title.get_attribute("title"), "explorer.of_head_short", language, layer=2, head=3)


def test_the_same_data_again_changes_nothing(component):
    explanation = examples.review()
    explorer = component.show(explanation)
    explorer.click(explorer.token("not"))
    before = explorer.view("text").element_handle()
    component.show(explanation)
    assert says(explorer.reading, "explorer.selected_from", query="not (5)")
    assert before.evaluate("(view) => view.isConnected")


def test_another_language_keeps_the_selection(component):
    explanation = examples.review()
    explorer = component.show(explanation)
    explorer.click(explorer.token("not"))
    explorer.click(explorer.head(2, 4))
    component.show(explanation, language="zh")
    explorer.point_at((1, 1))
    assert explorer.title == chinese("explorer.of_head", layer=2, head=4)
    assert says(explorer.reading, "explorer.selected_from", "zh", query="not (5)")
    assert explorer.page.locator(".explorer .toolbar").count() == 1


def test_another_text_keeps_the_head_and_clears_tokens_that_it_lacks(component):
    """A text that the browser never reported: the page shows another one."""
    explorer = component.show(examples.review())
    explorer.click(explorer.token("not"))
    explorer.click(explorer.head(2, 4))
    explorer.press("s", "5")
    component.show(examples.explanation(examples.encoding("A good film")))
    explorer.point_at((1, 1))
    assert explorer.title == "Layer 2, head 4" and explorer.reading == english("explorer.nothing_selected")
    assert explorer.views == ["overview", "distribution"]
    component.show(examples.explanation(examples.encoding("A good plot"), layers=1))
    assert explorer.title == "Layer 1, head 1", "a smaller model may not have that head"


def test_another_model_keeps_the_settings_and_clears_the_tokens(component):
    explanation = examples.review()
    explorer = component.show(explanation)
    explorer.click(explorer.token("not"))
    explorer.click(explorer.head(2, 4))
    component.show(examples.review(model="wide"), model="wide")
    explorer.point_at((1, 1))
    assert explorer.title == "Layer 2, head 4" and explorer.reading == english("explorer.nothing_selected")


def test_an_unmounted_component_reports_nothing(component):
    component.show(examples.review(), LINK)  # a selection that is in the link is not reported, however long this takes
    # It goes in the frame in which the selection is drawn: nothing of this depends on how fast the machine is.
    component.page.evaluate("""() => new Promise((done) => {
      document.querySelector(".explorer").dispatchEvent(new KeyboardEvent("keydown", { key: "h", bubbles: true }));
      requestAnimationFrame(() => done(unmount()));
    })""")
    assert component.reports() == []
    component.show(examples.review(), LINK)
    component.show(examples.review(), LINK)
    component.page.evaluate("unmount()")  # also where the page was run again with the same data
    explorer = component.show(examples.review(), LINK)
    explorer.click(explorer.head(2, 4))
    assert len(component.reports()) == 1
    assert component.page.locator(".explorer .toolbar").count() == 1


def test_a_page_that_turned_dark_reports_its_background_once(component):
    """Streamlit passes the theme to the component, but does not rerun the page."""
    explanation, turn = (
        examples.review(),
        "(colour) => parentElement.style.setProperty('--st-background-color', colour)",
    )
    component.page.evaluate(turn, "#ffffff")
    component.show(explanation, LINK)
    assert component.reports() == []
    component.page.evaluate(turn, "#0e1117")
    component.show(explanation, LINK)
    component.show(explanation, LINK)
    assert component.reports() == [["theme", "#0e1117"]]


class TestFetchedHeads:
    def test_heads_are_fetched_when_selected(self, component):
        explorer = component.show(LONG, {"head": "2.1"}, HEADS)
        assert component.server.requests == []
        explorer.click(explorer.head(1, 2))
        explorer.page.wait_for_selector(".explorer[data-exact=true]")
        assert component.server.requests == [{"visitor": "a", "heads": [[0, 1]]}]
        size = explorer.map_box()["width"] / 128
        explorer.point_at(explorer.cell(40, 41, size))
        assert explorer.tip()[0] == weight_text(LONG.attention[0, 1], 40, 41)

    def test_heads_can_be_fetched_again_after_a_failure(self, component):
        explorer = component.show(LONG, {"head": "2.1"}, HEADS)
        component.server.broken = True
        explorer.click(explorer.head(1, 3))
        retry = explorer.page.get_by_role("button", name="Try again")
        retry.wait_for()
        assert explorer.title == "Layer 1, head 3" and explorer.reading.startswith(english("explorer.failed"))
        count = len(component.server.requests)
        explorer.page.wait_for_timeout(300)
        assert len(component.server.requests) == count, "failed requests are not repeated automatically"
        component.server.broken = False
        explorer.click(retry)
        explorer.page.wait_for_selector(".explorer[data-exact=true]")
        assert explorer.reading == english("explorer.nothing_selected") and not retry.is_visible()

    def test_many_heads_are_fetched_as_one_mean(self, component):
        explanation = examples.of_length(128, layers=3, heads=3)
        explorer = component.show(explanation, {"head": "2.1"}, HEADS)
        explorer.click(explorer.page.get_by_role("button", name="Mean over all layers and heads"))
        explorer.page.wait_for_selector(".explorer[data-exact=true]")
        assert [len(body["heads"]) for body in component.server.requests] == [9]
        explorer.point_at(explorer.cell(40, 41, explorer.map_box()["width"] / 128))
        assert explorer.tip()[0] == weight_text(explanation.attention.mean((0, 1)), 40, 41)
