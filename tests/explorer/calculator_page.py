"""The calculator as a component without Streamlit, and its page object."""

from __future__ import annotations

import json

from playwright.sync_api import Locator, Page, Route

from tests.explorer.locations import EXPLORER, HOST
from viz_core.explorer.shared import appearance
from viz_core.language import Translator
from viz_core.rendering.theme import Theme, theme

PAGE = """<!DOCTYPE html><meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="calculator.css">
<style>body { margin: 24px; background: BACKGROUND }</style>
<div id="parent"><div class="explorer calculator"></div></div>
<script type="module">
import mounted from "./calculator.js";
const parentElement = document.querySelector("#parent");
globalThis.reports = [];
const setTriggerValue = (name, value) => reports.push([name, value]);
globalThis.mount = (data) => { globalThis.unmount = mounted({ data, parentElement, setTriggerValue }); };
</script>"""
FILES = {"calculator.js": "text/javascript", "calculator.css": "text/css"}


class CalculatorPage:
    """The page object: opening, reading and typing into cells by matrix, row and column, counted from 1."""

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

    def show(self, language: str = "en", colours: Theme | None = None, turns: int = 0, **link: str) -> CalculatorPage:
        """Opens what a link says."""
        data = {
            **appearance(Translator(language), colours or theme("light"), "calculator"),
            "link": link,
            "turns": turns,
        }
        self.page.evaluate("(data) => mount(data)", json.loads(json.dumps(data)))
        self.page.wait_for_selector(".calculator[data-drawn]")
        return self

    def cell(self, matrix: str, row: int, column: int, occurrence: int = 0) -> Locator:
        place = f'td[data-block="{matrix}"][data-row="{row - 1}"][data-column="{column - 1}"]'
        return self.page.locator(place).nth(occurrence)

    def input(self, matrix: str, row: int, column: int) -> Locator:
        """The box of a number that is given."""
        return self.cell(matrix, row, column).locator("input")

    def select(self, label: str, option: str) -> None:
        """Selects an option of the dropdown with this label."""
        dropdown = self.page.locator(".dropdown", has=self.page.get_by_text(label, exact=True))
        dropdown.locator("select").select_option(option)

    def numbers(self, matrix: str) -> list[list[str]]:
        """What the first table of a matrix shows."""
        table = self.page.locator(f'table:has(td[data-block="{matrix}"])').first
        return [
            [
                cell.locator("input").input_value() if cell.locator("input").count() else cell.inner_text()
                for cell in cells
            ]
            for cells in (row.locator("td[data-block]").all() for row in table.locator("tr").all())
            if cells
        ]

    def marks(self, name: str) -> set[tuple[str, int, int]]:
        """Matrix, row and column of the cells with a class, such as `source`."""
        cells = self.page.locator(f"td.{name}").evaluate_all("(all) => all.map(({ dataset }) => ({ ...dataset }))")
        return {(cell["block"], int(cell["row"]) + 1, int(cell["column"]) + 1) for cell in cells}

    @property
    def trace(self) -> list[str]:
        """The sentence about the selected cell, and the sum written out."""
        return [self.page.locator(f".trace .{name}").inner_text() for name in ("sentence", "sum")]

    @property
    def problem(self) -> str:
        return self.page.locator(".problem").inner_text()

    @property
    def reports(self) -> list:
        return self.page.evaluate("reports")
