"""The page object of the explorer with a history: showing one input after another, as while a person types."""

from base64 import b64encode
from dataclasses import replace

import numpy as np
from playwright.sync_api import Locator, Page, Route

from tests.explorer import examples
from tests.explorer.explorer_page import ExplorerPage
from tests.explorer.locations import EXPLORER, HOST, SOURCE
from tests.words import english
from viz_core.analysis.heads.statistics import head_statistics
from viz_core.explorer.packed_weights import pack_heads
from viz_core.explorer.packing import pack
from viz_core.language import Translator
from viz_core.records import Explanation
from viz_core.rendering.theme import theme

PAGE = """<!DOCTYPE html><meta charset="utf-8"><link rel="stylesheet" href="explorer.css">
<style>body { margin: 24px; background: BACKGROUND }</style><div class="explorer"></div><script type="module">
import { createHistory } from "/explorer/comparison/history.js";
import { openExplorer } from "/explorer/explorer.js";
import { withoutTokens } from "/explorer/selection.js";
import { unpack } from "/explorer/unpack.js";
const root = document.querySelector(".explorer"), history = createHistory();
const bytes = (data) => Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
let explorer = null;
function show(input) {
  const selection = explorer ? withoutTokens(explorer.selection()) : {};
  explorer?.close();
  history.add(input);
  explorer = openExplorer(root, input, selection, () => {}, { history, open: show });
}
globalThis.show = (data) => show(unpack(bytes(data)));
globalThis.selection = () => explorer.selection();
</script>"""


def explanation(text: str, positive: float = 0.8, **shape) -> Explanation:
    """positive: the probability of the second class."""
    made = examples.explanation(examples.encode_by_spaces(text), **shape)
    return replace(made, probabilities=np.array([1 - positive, positive]))


ALL = {"views": "12345"}  # all views: the explorer opens with two
BEFORE = explanation("the film is dull but short")
AFTER = explanation("the film is not short but dull", positive=0.3)
MOVED, NEW = 5, 4  # positions in AFTER: short, which stood at the end, and not


class ComparisonPage(ExplorerPage):
    """The explorer in a page that can show another input; `explanation` is the current one."""

    def __init__(self, page: Page, language: str, mode: str) -> None:
        self.page, self.language, self.mode = page, language, mode
        self.explanations, self.requests = [], []
        page.route("**/*", self._respond)
        page.goto(HOST)
        page.wait_for_function("Boolean(globalThis.show)")

    def show(self, explanation: Explanation, selection: dict | None = None, fetch: bool = False) -> None:
        """fetch: the weights of further heads are not sent, but fetched."""
        self.explanation = explanation
        self.explanations.append(explanation)
        request = {"url": "heads", "body": {"number": len(self.explanations) - 1}} if fetch else None
        say, selected = Translator(self.language), ALL | (selection or {})
        data = pack(explanation, head_statistics(explanation), say, theme(self.mode), selected, request)
        self.page.evaluate("(data) => show(data)", b64encode(data).decode())
        self.page.wait_for_selector(".explorer[data-drawn][data-exact=true]")
        self.frame()

    def _respond(self, route: Route) -> None:
        name = route.request.url.removeprefix(HOST)
        if name == "heads":
            request = route.request.post_data_json
            self.requests.append(request)
            heads = [tuple(head) for head in request["heads"]]
            route.fulfill(body=pack_heads(self.explanations[request["number"]].attention, heads))
        elif name == "explorer.css":
            route.fulfill(path=EXPLORER / name, content_type="text/css")
        elif name.endswith(".js"):
            route.fulfill(path=SOURCE / name, content_type="text/javascript")
        else:
            page = PAGE.replace("BACKGROUND", theme(self.mode).background)
            route.fulfill(body=page, content_type="text/html; charset=utf-8")

    def view(self, name: str) -> Locator:
        """The view of the current input."""
        return self.page.locator(f".view.{name}:not(.of-reference)")

    def reference(self, name: str) -> Locator:
        """The view of the reference, side by side."""
        return self.page.locator(f".view.{name}.of-reference")

    def press(self, *keys: str) -> None:
        self.page.locator(".explorer .views").focus()
        super().press(*keys)

    def pin(self) -> None:
        self.click(self.page.get_by_role("button", name=english("explorer.pin_help")))

    def cell_of_reference(self, row: int, column: int, tokens: int) -> tuple[float, float]:
        canvas = self.reference("heatmap").locator("canvas").first
        box, (left, top, width, _) = canvas.bounding_box(), canvas.evaluate("(canvas) => canvas.outline")
        size = (width + 1) / tokens
        return box["x"] + left + (column + 0.5) * size, box["y"] + top + (row + 0.5) * size

    @property
    def bar(self) -> Locator:
        """The line that says what is compared."""
        return self.page.locator(".comparison")

    def tip_of(self, side: Locator) -> list[str]:
        """What stands beside the pointer in a heat map; empty if hidden."""
        tip = side.locator(".tip")
        return tip.locator(":scope > *").all_inner_texts() if tip.is_visible() else []
