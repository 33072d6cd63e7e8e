"""The Streamlit component, without Streamlit: the explorer in a page that reruns."""

from base64 import b64encode

import pytest

from tests.explorer import examples
from tests.explorer.conftest import RECORD_CANVAS
from tests.explorer.explorer_page import ExplorerPage, weight_text
from tests.explorer.locations import EXPLORER, HOST
from viz_core.explorer.packing import pack_heads

pytestmark = pytest.mark.browser

LONG = examples.of_length(128, heads=3)  # too many bytes for all heads at once
LINK = {
    "head": "1.1",
    "query": "all",
    "key": "",
    "unit": "token",
    "special": "shown",
    "block": "all",
    "scale": "sqrt",
    "direction": "from",
    "views": "12345",
}
REQUEST = {"url": "heads", "body": {"visitor": "a"}}
PAGE = """<!DOCTYPE html><link rel="stylesheet" href="explorer.css"><div id="parent"><div class="explorer"></div></div>
<script type="module">
import component from "./explorer.js";
const reports = [], parentElement = document.querySelector("#parent");
const bytes = (data) => Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
const setTriggerValue = (name, value) => reports.push([name, value]);
Object.assign(globalThis, { reports, parentElement });
globalThis.mount = (data) => { globalThis.unmount = component({ data: bytes(data), parentElement, setTriggerValue }); };
</script>"""


class Server:
    """Serves the page and heads of `explanation`; aborts requests for heads while it is `broken`."""

    def __init__(self):
        self.explanation, self.requests, self.broken = None, [], False

    def __call__(self, route):
        name = route.request.url.removeprefix(HOST)
        if name in ("explorer.js", "explorer.css"):
            kind = "text/javascript" if name.endswith("js") else "text/css"
            return route.fulfill(path=EXPLORER / name, content_type=kind)
        if name == "heads":
            self.requests.append(route.request.post_data_json)
            heads = [tuple(head) for head in self.requests[-1]["heads"]]
            return route.abort() if self.broken else route.fulfill(body=pack_heads(self.explanation, heads))
        return route.fulfill(body=PAGE, content_type="text/html")


class Component:
    """A page with the component, which can be given new data."""

    def __init__(self, page, server):
        self.page, self.server = page, server
        page.goto(HOST)
        page.wait_for_function("Boolean(globalThis.mount)")

    def show(self, explanation, selection=None, request=None, language="en"):
        self.server.explanation = explanation
        data = examples.pack_example(explanation, selection, request, language)
        self.page.evaluate("(data) => mount(data)", b64encode(data).decode())
        return ExplorerPage(self.page, explanation)

    def reports(self):
        """Everything reported to the server until half a second after the last change."""
        self.page.wait_for_timeout(700)
        return self.page.evaluate("reports")


@pytest.fixture
def component(browser):
    errors, context = [], browser.new_context(offline=True, viewport={"width": 1280, "height": 1000})
    page, server = context.new_page(), Server()
    page.set_default_timeout(10_000)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.add_init_script(RECORD_CANVAS)
    page.route("**/*", server)
    yield Component(page, server)
    context.close()
    assert errors == []


def test_a_selection_is_reported_once_after_a_pause(component):
    explorer = component.show(examples.review(), LINK)
    assert component.reports() == [], "equal to the link"
    explorer.page.evaluate("""() => [..."hhl"].forEach((key) => document.querySelector(".explorer").dispatchEvent(
        new KeyboardEvent("keydown", { key, bubbles: true })))""")
    assert component.reports() == [["selection", LINK | {"head": "2.3"}]]
    explorer.point_at(explorer.cell(3, 3))
    explorer.point_at(explorer.cell(4, 3))
    assert len(component.reports()) == 1, "hovering is not reported"


def test_the_same_data_again_changes_nothing(component):
    explanation = examples.review()
    explorer = component.show(explanation)
    explorer.click(explorer.token("not"))
    before = explorer.view("text").element_handle()
    component.show(explanation)
    assert explorer.reading.startswith("not (5) is selected") and before.evaluate("(view) => view.isConnected")


def test_another_language_keeps_the_selection(component):
    explanation = examples.review()
    explorer = component.show(explanation)
    explorer.click(explorer.token("not"))
    explorer.click(explorer.head(2, 4))
    component.show(explanation, language="zh")
    explorer.point_at((1, 1))
    assert explorer.title == "第 2 层，第 4 头" and explorer.reading.startswith("已选中 not (5)")
    assert explorer.page.locator(".explorer .toolbar").count() == 1


def test_another_text_keeps_the_head_and_clears_the_tokens(component):
    explorer = component.show(examples.review())
    explorer.click(explorer.token("not"))
    explorer.click(explorer.head(2, 4))
    explorer.press("s", "5")
    component.show(examples.explanation(examples.encoding("A good film")))
    explorer.point_at((1, 1))
    assert explorer.title == "Layer 2, head 4" and explorer.reading.startswith("No token selected")
    assert explorer.views == ["overview", "heatmap", "text", "links"]
    component.show(examples.explanation(examples.encoding("A good film"), layers=1))
    assert explorer.title == "Layer 1, head 1", "a smaller model may not have that head"


def test_an_unmounted_component_reports_nothing(component):
    component.show(examples.review()).press("Tab", "h")
    component.page.evaluate("unmount()")
    assert component.reports() == []
    component.show(examples.review())
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
        explorer = component.show(LONG, {"head": "2.1"}, REQUEST)
        assert component.server.requests == []
        explorer.click(explorer.head(1, 2))
        explorer.page.wait_for_selector(".explorer[data-exact=true]")
        assert component.server.requests == [{"visitor": "a", "heads": [[0, 1]]}]
        size = explorer.map_box()["width"] / 128
        explorer.point_at(explorer.cell(40, 41, size))
        assert explorer.tip()[0] == weight_text(LONG.attention[0, 1], 40, 41)

    def test_heads_can_be_fetched_again_after_a_failure(self, component):
        explorer = component.show(LONG, {"head": "2.1"}, REQUEST)
        component.server.broken = True
        explorer.click(explorer.head(1, 3))
        retry = explorer.page.get_by_role("button", name="Try again")
        retry.wait_for()
        assert explorer.title == "Layer 1, head 3" and "could not be fetched" in explorer.reading
        count = len(component.server.requests)
        explorer.page.wait_for_timeout(300)
        assert len(component.server.requests) == count, "failed requests are not repeated automatically"
        component.server.broken = False
        explorer.click(retry)
        explorer.page.wait_for_selector(".explorer[data-exact=true]")
        assert explorer.reading.startswith("No token selected") and not retry.is_visible()

    def test_many_heads_are_fetched_as_one_mean(self, component):
        explanation = examples.of_length(128, layers=3, heads=3)
        explorer = component.show(explanation, {"head": "2.1"}, REQUEST)
        explorer.click(explorer.page.get_by_role("button", name="Mean over all layers and heads"))
        explorer.page.wait_for_selector(".explorer[data-exact=true]")
        assert [len(body["heads"]) for body in component.server.requests] == [9]
        explorer.point_at(explorer.cell(40, 41, explorer.map_box()["width"] / 128))
        assert explorer.tip()[0] == weight_text(explanation.attention.mean((0, 1)), 40, 41)
