"""The explorer inside a page that runs again and again: the Streamlit component, without Streamlit."""

from base64 import b64encode

import pytest

from tests.explorer import examples
from tests.explorer.conftest import EXPLORER, HOST, REMEMBER
from tests.explorer.explorer_page import ExplorerPage, said
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
import mounted from "./explorer.js";
const told = [], parentElement = document.querySelector("#parent");
const bytes = (data) => Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
const setTriggerValue = (name, value) => told.push([name, value]);
Object.assign(globalThis, { told, parentElement });
globalThis.mount = (data) => { globalThis.unmount = mounted({ data: bytes(data), parentElement, setTriggerValue }); };
</script>"""


class Server:
    """Answers what the page asks for, heads of `given` among it; not while it is `broken`."""

    def __init__(self):
        self.given, self.asked, self.broken = None, [], False

    def __call__(self, route):
        name = route.request.url.removeprefix(HOST)
        if name in ("explorer.js", "explorer.css"):
            kind = "text/javascript" if name.endswith("js") else "text/css"
            return route.fulfill(path=EXPLORER / name, content_type=kind)
        if name == "heads":
            self.asked.append(route.request.post_data_json)
            heads = [tuple(head) for head in self.asked[-1]["heads"]]
            return route.abort() if self.broken else route.fulfill(body=pack_heads(self.given, heads))
        return route.fulfill(body=PAGE, content_type="text/html")


class Component:
    """A page with the component, and the data that it is given one after the other."""

    def __init__(self, page, server):
        self.page, self.server = page, server
        page.goto(HOST)
        page.wait_for_function("Boolean(globalThis.mount)")

    def show(self, given, selection=None, request=None, language="en"):
        self.server.given = given
        data = examples.packed(given, selection, request, language)
        self.page.evaluate("(data) => mount(data)", b64encode(data).decode())
        return ExplorerPage(self.page, given)

    def told(self):
        """What was reported to the server half a second after the last change."""
        self.page.wait_for_timeout(700)
        return self.page.evaluate("told")


@pytest.fixture
def component(browser):
    errors, context = [], browser.new_context(offline=True, viewport={"width": 1280, "height": 1000})
    page, server = context.new_page(), Server()
    page.set_default_timeout(10_000)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.add_init_script(REMEMBER)
    page.route("**/*", server)
    yield Component(page, server)
    context.close()
    assert errors == []


def test_a_selection_at_rest_is_told_once(component):
    explorer = component.show(examples.review(), LINK)
    assert component.told() == [], "as it was asked for"
    explorer.page.evaluate("""() => [..."hhl"].forEach((key) => document.querySelector(".explorer").dispatchEvent(
        new KeyboardEvent("keydown", { key, bubbles: true })))""")
    assert component.told() == [["selection", LINK | {"head": "2.3"}]]
    explorer.point_at(explorer.cell(3, 3))
    explorer.point_at(explorer.cell(4, 3))
    assert len(component.told()) == 1, "what is pointed at is nobody else's"


def test_the_same_data_again_change_nothing(component):
    given = examples.review()
    explorer = component.show(given)
    explorer.click(explorer.token("not"))
    before = explorer.view("text").element_handle()
    component.show(given)
    assert explorer.reading.startswith("not (5) is selected") and before.evaluate("(view) => view.isConnected")


def test_another_language_keeps_what_is_selected(component):
    given = examples.review()
    explorer = component.show(given)
    explorer.click(explorer.token("not"))
    explorer.click(explorer.head(2, 4))
    component.show(given, language="zh")
    explorer.point_at((1, 1))
    assert explorer.title == "第 2 层，第 4 头" and explorer.reading.startswith("已选择 not (5)")
    assert explorer.page.locator(".explorer .toolbar").count() == 1


def test_another_text_keeps_the_head_and_lets_go_of_tokens(component):
    explorer = component.show(examples.review())
    explorer.click(explorer.token("not"))
    explorer.click(explorer.head(2, 4))
    explorer.press("s", "5")
    component.show(examples.explanation(examples.encoding("A good film")))
    explorer.point_at((1, 1))
    assert explorer.title == "Layer 2, head 4" and explorer.reading.startswith("Nothing selected")
    assert explorer.views == ["overview", "heatmap", "text", "links"]
    component.show(examples.explanation(examples.encoding("A good film"), layers=1))
    assert explorer.title == "Layer 1, head 1", "a smaller model may not have that head"


def test_a_page_that_is_left_is_left_quiet(component):
    component.show(examples.review()).press("Tab", "h")
    component.page.evaluate("unmount()")
    assert component.told() == []
    component.show(examples.review())
    assert component.page.locator(".explorer .toolbar").count() == 1


def test_a_page_that_turned_dark_asks_once_for_its_colours(component):
    """Streamlit tells a component its theme, but does not run the page again for it."""
    given, turn = examples.review(), "(colour) => parentElement.style.setProperty('--st-background-color', colour)"
    component.page.evaluate(turn, "#ffffff")
    component.show(given, LINK)
    assert component.told() == []
    component.page.evaluate(turn, "#0e1117")
    component.show(given, LINK)
    component.show(given, LINK)
    assert component.told() == [["theme", "#0e1117"]]


class TestHeadsThatAreFetched:
    def test_are_fetched_when_they_are_chosen(self, component):
        explorer = component.show(LONG, {"head": "2.1"}, REQUEST)
        assert component.server.asked == []
        explorer.click(explorer.head(1, 2))
        explorer.page.wait_for_selector(".explorer[data-exact=true]")
        assert component.server.asked == [{"visitor": "a", "heads": [[0, 1]]}]
        size = explorer.map_box()["width"] / 128
        explorer.point_at(explorer.cell(40, 41, size))
        assert explorer.tip()[0] == said(LONG.attention[0, 1], 40, 41)

    def test_are_fetched_again_after_a_failure(self, component):
        explorer = component.show(LONG, {"head": "2.1"}, REQUEST)
        component.server.broken = True
        explorer.click(explorer.head(1, 3))
        retry = explorer.page.get_by_role("button", name="Try again")
        retry.wait_for()
        assert explorer.title == "Layer 1, head 3" and "could not be fetched" in explorer.reading
        asked = len(component.server.asked)
        explorer.page.wait_for_timeout(300)
        assert len(component.server.asked) == asked, "nobody is asked again and again"
        component.server.broken = False
        explorer.click(retry)
        explorer.page.wait_for_selector(".explorer[data-exact=true]")
        assert explorer.reading.startswith("Nothing selected") and not retry.is_visible()

    def test_come_as_one_mean_where_they_are_many(self, component):
        given = examples.of_length(128, layers=3, heads=3)
        explorer = component.show(given, {"head": "2.1"}, REQUEST)
        explorer.click(explorer.page.get_by_role("button", name="Mean over all layers and heads"))
        explorer.page.wait_for_selector(".explorer[data-exact=true]")
        assert [len(body["heads"]) for body in component.server.asked] == [9]
        explorer.point_at(explorer.cell(40, 41, explorer.map_box()["width"] / 128))
        assert explorer.tip()[0] == said(given.attention.mean((0, 1)), 40, 41)
