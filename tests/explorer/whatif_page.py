"""What-if as a component without Streamlit: its page object, and a server that answers what a test can work out."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import numpy as np
from playwright.sync_api import Locator, Page, Route

from tests.explorer.conftest import EXPLORER, HOST
from viz_core.explorer.whatif import whatif_data
from viz_core.language import Translator
from viz_core.records import Explanation
from viz_core.rendering.theme import Theme, theme

PAGE = """<!DOCTYPE html><meta name="viewport" content="width=device-width"><link rel="stylesheet" href="whatif.css">
<style>body { margin: 72px 24px 24px; background: BACKGROUND }</style>
<div id="parent"><div class="explorer whatif"></div></div>
<script type="module">
import mounted from "./whatif.js";
const parentElement = document.querySelector("#parent");
globalThis.mount = (data) => { globalThis.unmount = mounted({ data, parentElement }); };
</script>"""


class Server:
    """A masked head costs 20 points, a uniform one 10, a changed token gives 5, a deleted one 10, an edited row a tenth of its first weight.

    asked: every question. holds: of which the answers wait for `release`. refusing: the sentence to refuse with. gone:
    whether nobody answers.
    """

    def __init__(self, given: Explanation, background: str) -> None:
        self.given, self.background = given, background
        self.asked, self.held, self.refusing, self.gone = [], [], "", False
        self.holds: Callable[[dict], bool] = lambda question: False

    def __call__(self, route: Route) -> None:
        name = route.request.url.removeprefix(HOST)
        if name in ("whatif.js", "whatif.css"):
            return route.fulfill(
                path=EXPLORER / name, content_type="text/javascript" if name.endswith("js") else "text/css"
            )
        if name != "interventions":
            return route.fulfill(body=PAGE.replace("BACKGROUND", self.background), content_type="text/html")
        question = route.request.post_data_json
        if question.get("effects"):
            return route.fulfill(json={"effects": self.effects().tolist()})
        self.asked.append(question)
        if self.gone:
            return route.abort()
        if self.refusing:
            return route.fulfill(status=422, json={"error": self.refusing})
        if self.holds(question):
            return self.held.append(route)
        return route.fulfill(json=self.answer(question))

    def release(self) -> None:
        """Answers what waits."""
        held, self.held = self.held, []
        for route in held:
            route.fulfill(json=self.answer(route.request.post_data_json))

    def effects(self) -> np.ndarray:
        layers, heads = self.given.attention.shape[:2]
        return np.linspace(-0.2, 0.1, layers * heads).reshape(layers, heads)

    def answer(self, question: dict) -> dict:
        before = float(self.given.probabilities[-1])
        heads = 0.2 * len(question["masked"]) + 0.1 * len(question["uniform"])
        tokens = len(question["removed"] + question["unknown"] + question["blocked"]) + 2 * len(question["deleted"])
        rows = sum(row[-1][0] for row in question["rows"])
        last = min(max(before - heads + 0.05 * tokens + 0.1 * rows, 0.001), 0.999)
        weights = self.given.attention[tuple(question["row"])].astype(float)
        weights[question["removed"] + question["deleted"] + question["blocked"]] = 0
        answer = {
            "original": [1 - before, before],
            "probabilities": [1 - last, last],
            "answer": int(last >= self.given.threshold),
            "row": (weights / weights.sum()).tolist(),
        }
        if question["control"]:
            changed = len(question["masked"]) + len(question["uniform"])
            answer["control"] = {
                "heads": changed,
                "draws": 20,
                "without": last + heads,
                "changed": last,
                "mean": -0.05,
                "spread": 0.04,
                "low": last + heads - 0.12,
                "high": last + heads + 0.02,
                "verdict": "within" if heads <= 0.12 else "more",
            }
        return answer


class WhatIfPage:
    """Where things stand in what-if, what is pressed, what is read."""

    def __init__(self, page: Page, server: Server) -> None:
        self.page, self.server = page, server
        page.goto(HOST)
        page.wait_for_function("Boolean(globalThis.mount)")

    def show(
        self,
        language: str = "en",
        look: Theme | None = None,
        given: Explanation | None = None,
        row: tuple[int, int, int] = (0, 0, 0),
    ) -> WhatIfPage:
        self.server.given = given or self.server.given
        request = {"url": "interventions", "body": {"texts": self.server.given.encoding.texts}}
        data = whatif_data(self.server.given, Translator(language), look or theme("light"), request, row)
        self.page.evaluate("(data) => mount(data)", json.loads(json.dumps(data)))
        return self.settled()

    def settled(self) -> WhatIfPage:
        """Waits until everything that was asked for is drawn."""
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        self.page.wait_for_selector(".whatif[data-settled=true]")
        self.page.wait_for_selector(".legend:not(.waiting)")
        return self

    def part(self, name: str) -> Locator:
        return self.page.locator(f".view.{name}")

    def head(self, layer: int, head: int) -> Locator:
        """Both counted from 1."""
        return self.page.get_by_role(
            "button", name=re.compile(f"^(Layer {layer}, head {head}|第 {layer} 层，第 {head} 头)\\W")
        )

    def chip(self, place: int) -> Locator:
        """A token, counted from 1."""
        return self.page.locator(".chip").nth(place - 1)

    @property
    def deletion(self) -> Locator:
        """The switch that has removed tokens deleted."""
        return self.page.get_by_role("switch")

    def bar(self, place: int) -> Locator:
        """A bar of the row, counted from 1 from the top."""
        return self.page.get_by_role("slider").nth(place - 1)

    def click(self, target: Locator, times: int = 1) -> None:
        for _ in range(times):
            target.click()
        self.settled()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
        self.settled()

    def drag(self, place: int, *shares: float) -> None:
        """Drags a bar to shares of its length, one after the other, and lets go."""
        track = self.bar(place).locator(".track")
        track.scroll_into_view_if_needed()
        box = track.bounding_box()
        self.page.mouse.move(box["x"] + 3, box["y"] + box["height"] / 2)
        self.page.mouse.down()
        for share in shares:
            self.page.mouse.move(box["x"] + share * box["width"], box["y"] + box["height"] / 2, steps=3)
        self.page.mouse.up()
        self.settled()

    @property
    def headline(self) -> str:
        return self.page.locator(".headline").inner_text()

    @property
    def flip(self) -> str:
        return self.page.locator(".flip").inner_text()

    @property
    def control(self) -> str:
        return self.page.locator(".control").inner_text()

    @property
    def changed(self) -> str:
        return self.page.locator(".changed").inner_text()

    @property
    def asked_of_tokens(self) -> dict[str, list[int]]:
        """What the last question changes of tokens."""
        asked = self.server.asked[-1]
        return {kind: asked[kind] for kind in ("removed", "deleted", "unknown", "blocked") if asked[kind]}

    @property
    def weights(self) -> list[float]:
        """Of the bars that are shown."""
        return [
            float(one)
            for one in self.page.get_by_role("slider").evaluate_all(
                "(all) => all.map((one) => one.getAttribute('aria-valuenow'))"
            )
        ]
