"""The atlas of heads as a component without Streamlit, and its page object."""

from __future__ import annotations

from base64 import b64encode

from playwright.sync_api import Locator, Page, Route

from tests.explorer.locations import EXPLORER, HOST

PAGE = """<!DOCTYPE html><meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="atlas.css">
<style>body { margin: 24px; background: BACKGROUND }</style>
<div id="parent"><div class="explorer atlas"></div></div>
<script type="module">
import mounted from "./atlas.js";
const parentElement = document.querySelector("#parent");
globalThis.reports = [];
const setTriggerValue = (name, value) => reports.push([name, value]);
globalThis.mount = (text) => {
  const data = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  globalThis.unmount = mounted({ data, parentElement, setTriggerValue });
};
</script>"""
FILES = {"atlas.js": "text/javascript", "atlas.css": "text/css"}


class AtlasPage:
    """The page object: pointing at heads by their names, and reading what is marked."""

    def __init__(self, page: Page, background: str = "#ffffff") -> None:
        self.page = page

        def serve(route: Route) -> None:
            name = route.request.url.removeprefix(HOST)
            if name in FILES:
                return route.fulfill(path=EXPLORER / name, content_type=FILES[name])
            return route.fulfill(body=PAGE.replace("BACKGROUND", background), content_type="text/html")

        page.route("**/*", serve)
        page.goto(HOST)
        page.wait_for_function("Boolean(globalThis.mount)")

    def show(self, packed: bytes) -> AtlasPage:
        self.page.evaluate("(text) => mount(text)", b64encode(packed).decode())
        self.page.wait_for_selector(".atlas[data-drawn]")
        return self.frame()

    def frame(self) -> AtlasPage:
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return self

    def cell(self, number: int) -> Locator:
        """A head of the grid, counted from 0, layer by layer."""
        return self.page.locator(".cell").nth(number)

    def dot(self, number: int) -> tuple[float, float]:
        """The middle of its dot on the screen."""
        box = self.page.locator("svg circle:not(.ring)").nth(number).bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def ring(self) -> tuple[float, float]:
        """The middle of the ring that marks a dot."""
        box = self.page.locator("svg .ring").bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    @property
    def marked(self) -> list[int]:
        """The cells that are marked."""
        return [
            number
            for number, is_marked in enumerate(
                self.page.locator(".cell").evaluate_all("(all) => all.map((cell) => 'marked' in cell.dataset)")
            )
            if is_marked
        ]

    @property
    def title(self) -> str:
        """What the card is about."""
        return self.page.locator(".card h3").inner_text()

    def select(self, label: str, option: str) -> None:
        """Selects an option of the dropdown with this label."""
        dropdown = self.page.locator(".dropdown", has=self.page.get_by_text(label, exact=True))
        dropdown.locator("select").select_option(option)
        self.frame()

    @property
    def reports(self) -> list:
        return self.page.evaluate("reports")
