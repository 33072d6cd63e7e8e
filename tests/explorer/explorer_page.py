"""The page object of the explorer: locating, clicking, and reading text."""

import re

import numpy as np
from playwright.sync_api import Locator, Page

from viz_core.explorer.packed_weights import STEPS, fixed_point
from viz_core.records import Explanation

Point = tuple[float, float]  # px on the page
VIEWS = ["overview", "heatmap", "text", "links", "distribution"]
LONGEST = 24  # characters of a token's name in a sentence


class ExplorerPage:
    """The explorer in a page that shows `explanation`."""

    def __init__(self, page: Page, explanation: Explanation) -> None:
        self.page, self.explanation = page, explanation
        page.wait_for_selector(".explorer[data-drawn][data-exact=true]")
        self.frame()

    def frame(self) -> None:
        """Waits until all changes are drawn."""
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def view(self, name: str) -> Locator:
        return self.page.locator(f".view.{name}")

    @property
    def title(self) -> str:
        return self.page.locator(".reading h2").inner_text()

    @property
    def reading(self) -> str:
        return self.page.locator(".reading .line").inner_text()

    @property
    def views(self) -> list[str]:
        """The visible views, in the order of their numbers."""
        visible = self.page.locator(".explorer .view:visible").evaluate_all(
            "(all) => all.map((view) => view.classList[1])"
        )
        return sorted(visible, key=VIEWS.index)

    def open_settings(self) -> None:
        self.click(self.page.locator("[aria-controls=settings]"))

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
        self.frame()

    def click(self, target: Locator, **how: object) -> None:
        target.click(**how)
        self.frame()

    def click_at(self, point: Point, **how: object) -> None:
        self.page.mouse.click(*point, **how)
        self.frame()

    def point_at(self, point: Point) -> None:
        self.page.mouse.move(*point)
        self.frame()

    def drag(self, start: Point, end: Point) -> None:
        self.page.mouse.move(*start)
        self.page.mouse.down()
        self.page.mouse.move(*end, steps=4)
        self.page.mouse.up()
        self.frame()

    def wheel(self, point: Point, right: float, down: float, key: str | None = None) -> None:
        self.page.mouse.move(*point)
        if key:
            self.page.keyboard.down(key)
        self.page.mouse.wheel(right, down)
        self.page.wait_for_timeout(100)  # scrolling is asynchronous
        if key:
            self.page.keyboard.up(key)
        self.frame()

    def head(self, layer: int, head: int) -> Locator:
        """The thumbnail of a head, both counted from 1."""
        return self.view("overview").get_by_role("button", name=re.compile(f"Layer {layer}, head {head}\\."))

    def map_box(self) -> dict[str, float]:
        """The box of the heat map's cells on the page, without the names."""
        canvas = self.view("heatmap").locator("canvas").first
        box, (left, top, width, height) = canvas.bounding_box(), canvas.evaluate("(canvas) => canvas.outline")
        return {"x": box["x"] + left - 0.5, "y": box["y"] + top - 0.5, "width": width + 1, "height": height + 1}

    def cell(self, row: int, column: int, size: float | None = None) -> Point:
        """The centre of a cell of an unzoomed heat map of all tokens; size: of a cell in px, if it is known."""
        box = self.map_box()
        size = size or box["width"] / len(self.explanation.encoding.tokens)
        return box["x"] + (column + 0.5) * size, box["y"] + (row + 0.5) * size

    def tip(self) -> list[str]:
        """The weight beside the pointer and the tokens it belongs to; empty if hidden."""
        tip = self.view("heatmap").locator(".tip")
        return tip.locator("b, span").all_inner_texts() if tip.is_visible() else []

    def canvas_texts(self, view: str) -> list[str]:
        """The texts on the first canvas of a view."""
        return [entry["text"] for entry in self._canvas_entries(view)]

    def name_in_links(self, text: str, right: bool = False) -> Point:
        """The point on a name beside the links: of a query, or of a key on the right."""
        box = self.view("links").locator("canvas").bounding_box()
        entries = [entry for entry in self._canvas_entries("links") if entry["text"] == text]
        entry = entries[-1] if right else entries[0]  # queries are drawn first
        return box["x"] + entry["x"] + (3 if right else -3), box["y"] + entry["y"]

    def _canvas_entries(self, view: str) -> list[dict]:
        return self.view(view).locator("canvas").first.evaluate("(canvas) => canvas.texts ?? []")

    def token(self, text: str) -> Locator:
        """The first token with this text."""
        return self.view("text").locator(".body .token").filter(has_text=re.compile(f"^{re.escape(text)}$")).first

    def row(self, rank: int) -> Locator:
        return self.view("distribution").locator("tbody tr").nth(rank - 1)


def token_name(label: str, position: int) -> str:
    """A token's name in sentences and lists; positions count from 1."""
    return f"{label if len(label) <= LONGEST else label[:LONGEST] + '…'} ({position})"


def weight_text(weights: np.ndarray, row: int, column: int) -> str:
    """A weight to four decimals as displayed, after rounding to fixed point: off by at most one in the last decimal."""
    text = f"{fixed_point(weights)[row, column] / STEPS:.4f}"
    assert abs(float(text) - weights[row, column]) < 0.0001
    return text
