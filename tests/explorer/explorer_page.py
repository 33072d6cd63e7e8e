"""The page object of the explorer: where things stand, what is pressed, what is read."""

from __future__ import annotations

import re

import numpy as np
from playwright.sync_api import Locator, Page

from viz_core.explorer.packing import STEPS, fixed_point
from viz_core.records import Explanation

Place = tuple[float, float]
VIEWS = ["overview", "heatmap", "text", "links", "distribution"]
LONGEST = 24  # characters of a name in a sentence


class ExplorerPage:
    """The explorer in a page; `weights` are those of NumPy for the heads that are asked for."""

    def __init__(self, page: Page, given: Explanation) -> None:
        self.page, self.given = page, given
        page.wait_for_selector(".explorer[data-drawn][data-exact=true]")
        self.frame()

    def frame(self) -> None:
        """Until what has changed is drawn."""
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def view(self, name: str) -> Locator:
        return self.page.locator(f".view.{name}")

    @property
    def title(self) -> str:
        return self.page.locator(".reading h3").inner_text()

    @property
    def reading(self) -> str:
        return self.page.locator(".reading .line").inner_text()

    @property
    def views(self) -> list[str]:
        """The views that are shown, in the order of their numbers."""
        shown = self.page.locator(".explorer .view:visible").evaluate_all("(all) => all.map((one) => one.classList[1])")
        return sorted(shown, key=VIEWS.index)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
        self.frame()

    def click(self, target: Locator, **how: object) -> None:
        target.click(**how)
        self.frame()

    def click_at(self, place: Place, **how: object) -> None:
        self.page.mouse.click(*place, **how)
        self.frame()

    def point_at(self, place: Place) -> None:
        self.page.mouse.move(*place)
        self.frame()

    def drag(self, start: Place, end: Place) -> None:
        self.page.mouse.move(*start)
        self.page.mouse.down()
        self.page.mouse.move(*end, steps=4)
        self.page.mouse.up()
        self.frame()

    def wheel(self, place: Place, right: float, down: float, key: str | None = None) -> None:
        self.page.mouse.move(*place)
        if key:
            self.page.keyboard.down(key)
        self.page.mouse.wheel(right, down)
        self.page.wait_for_timeout(100)  # the page scrolls when it likes
        if key:
            self.page.keyboard.up(key)
        self.frame()

    def head(self, layer: int, head: int) -> Locator:
        """The thumbnail of a head, both counted from 1."""
        return self.view("overview").get_by_role("button", name=re.compile(f"Layer {layer}, head {head}\\."))

    def map_box(self) -> dict[str, float]:
        """Where the cells of the heat map stand on the page, without the names."""
        canvas = self.view("heatmap").locator("canvas").first
        box, (left, top, width, height) = canvas.bounding_box(), canvas.evaluate("(canvas) => canvas.outline")
        return {"x": box["x"] + left - 0.5, "y": box["y"] + top - 0.5, "width": width + 1, "height": height + 1}

    def cell(self, row: int, column: int, size: float | None = None) -> Place:
        """The middle of a cell of a heat map of all tokens that is seen as a whole, or from its corner in cells of `size`."""
        box = self.map_box()
        size = size or box["width"] / len(self.given.encoding.tokens)
        return box["x"] + (column + 0.5) * size, box["y"] + (row + 0.5) * size

    def tip(self) -> list[str]:
        """The weight beside the pointer and what it is of; nothing where it is hidden."""
        tip = self.view("heatmap").locator(".tip")
        return tip.locator("b, span").all_inner_texts() if tip.is_visible() else []

    def written(self, view: str) -> list[str]:
        """What stands on the first canvas of a view."""
        return [one["text"] for one in self._written(view)]

    def name_in_links(self, text: str, right: bool = False) -> Place:
        """A name beside the links: of a query, or of a key on the right."""
        box = self.view("links").locator("canvas").bounding_box()
        found = [one for one in self._written("links") if one["text"] == text]
        one = found[-1] if right else found[0]  # queries are written first
        return box["x"] + one["x"] + (3 if right else -3), box["y"] + one["y"]

    def _written(self, view: str) -> list[dict]:
        return self.view(view).locator("canvas").first.evaluate("(canvas) => canvas.written ?? []")

    def token(self, text: str) -> Locator:
        """The first token in the text that is written like this."""
        return self.view("text").locator(".body .token").filter(has_text=re.compile(f"^{re.escape(text)}$")).first

    def row(self, rank: int) -> Locator:
        return self.view("distribution").locator("tbody tr").nth(rank - 1)


def named(label: str, at: int) -> str:
    """A token as sentences and lists name it, counted from 1."""
    return f"{label if len(label) <= LONGEST else label[:LONGEST] + '…'} ({at})"


def said(weights: np.ndarray, row: int, column: int) -> str:
    """A weight to four decimals as it is read: as it travelled, which is within one of the last decimal."""
    shown = f"{fixed_point(weights)[row, column] / STEPS:.4f}"
    assert abs(float(shown) - weights[row, column]) < 0.0001
    return shown
