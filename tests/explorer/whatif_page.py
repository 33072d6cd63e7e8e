"""What-if as a component without Streamlit: its page object, and a server with simple made-up effects."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from playwright.sync_api import Locator, Page, Route

from tests.explorer.locations import EXPLORER, HOST
from tests.explorer.reused_pages import wait_in_fast_time
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
globalThis.reports = [];
const setTriggerValue = (name, value) => reports.push([name, value]);
globalThis.mount = (data) => { globalThis.unmount = mounted({ data, parentElement, setTriggerValue }); };
</script>"""


class Server:
    """A masked head costs 20 points, a uniform head 10; a changed token adds 5, a deleted token 10.

    An edited row adds a tenth of its first weight.

    requests: all received so far. should_hold: whether to hold the response until `release`. refusal: the message to
    refuse with. busy: how many requests are too many. offline: whether requests are aborted. complete: whether
    all other heads were changed.
    """

    def __init__(self, explanation: Explanation, background: str) -> None:
        self.explanation, self.background = explanation, background
        self.requests, self.held, self.refusal, self.busy, self.offline = [], [], "", 0, False
        self.complete = False
        self.should_hold: Callable[[dict], bool] = lambda request: False

    def __call__(self, route: Route) -> None:
        name = route.request.url.removeprefix(HOST)
        if name in ("whatif.js", "whatif.css"):
            return route.fulfill(
                path=EXPLORER / name, content_type="text/javascript" if name.endswith("js") else "text/css"
            )
        if name != "interventions":
            return route.fulfill(body=PAGE.replace("BACKGROUND", self.background), content_type="text/html")
        request = route.request.post_data_json
        if request.get("effects"):
            return route.fulfill(json={"effects": self.effects().tolist()})
        self.requests.append(request)
        if self.offline:
            return route.abort()
        if self.busy:
            self.busy -= 1
            return route.fulfill(status=503, json={"error": "Too many at once."})
        if self.refusal:
            return route.fulfill(status=422, json={"error": self.refusal})
        if self.should_hold(request):
            return self.held.append(route)
        return route.fulfill(json=self.respond(request))

    def release(self) -> None:
        """Sends the responses that were held."""
        held, self.held = self.held, []
        for route in held:
            route.fulfill(json=self.respond(route.request.post_data_json))

    def effects(self) -> np.ndarray:
        layers, heads = self.explanation.attention.shape[:2]
        return np.linspace(-0.2, 0.1, layers * heads).reshape(layers, heads)

    def respond(self, request: dict) -> dict:
        original = self.explanation.probabilities
        predicts = self.explanation.has_prediction
        tracked = self.explanation.predicted if predicts else 0
        before = float(original[tracked]) if predicts else 1.0
        heads = 0.2 * len(request["masked"]) + 0.1 * len(request["uniform"])
        tokens = len(request["removed"] + request["unknown"] + request["blocked"]) + 2 * len(request["deleted"])
        rows = sum(row[-1][0] for row in request["rows"])
        last = min(max(before - heads + 0.05 * tokens + 0.1 * rows, 0.001), 0.999)
        if predicts:
            changed = replace(self.explanation, probabilities=original * (1 - last) / (1 - before))
            changed.probabilities[tracked] = last  # the others keep their proportions
            response = {
                "original": original.tolist(),
                "probabilities": changed.probabilities.tolist(),
                "predicted": changed.predicted,
            }
        else:
            response = {"similarity": last}
        if "row" in request:
            weights = self.explanation.attention[tuple(request["row"])].astype(float)
            weights[request["removed"] + request["deleted"] + request["blocked"]] = 0
            response["row"] = (weights / weights.sum()).tolist()
        if request["control"]:
            heads_changed, without = len(request["masked"]) + len(request["uniform"]), min(last + heads, 0.999)
            response["control"] = {
                "heads": heads_changed,
                "draws": 20,
                "complete": self.complete,
                "without": without,
                "changed": last,
                "mean": -0.05,
                "spread": 0.04,
                "low": max(without - 0.12, 0),
                "high": min(without + 0.02, 1),
                "verdict": "within" if heads <= 0.12 else "more",
            }
        return response


class WhatIfPage:
    """The page object of what-if: locating, clicking, and reading text."""

    def __init__(self, page: Page, server: Server) -> None:
        self.page, self.server = page, server
        page.goto(HOST)
        page.wait_for_function("Boolean(globalThis.mount)")

    def show(
        self,
        language: str = "en",
        colours: Theme | None = None,
        explanation: Explanation | None = None,
        row: tuple[int, int, int] = (0, 0, 0),
        changes: dict | None = None,
        turns: int = 0,
        tracked: int | None = None,
        names: dict[str, str] | None = None,
    ) -> WhatIfPage:
        self.server.explanation = explanation or self.server.explanation
        request = {"url": "interventions", "body": {"texts": self.server.explanation.encoding.texts}}
        say, colours = Translator(language), colours or theme("light")
        shown = row if self.server.explanation.has_attention else None
        data = whatif_data(self.server.explanation, say, colours, request, shown, changes, turns, tracked, names=names)
        self.page.evaluate("(data) => mount(data)", json.loads(json.dumps(data)))
        return self.wait_until_idle()

    def wait_until_idle(self) -> WhatIfPage:
        """Waits until everything requested is drawn."""
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        wait_in_fast_time(self.page, ".whatif[data-idle=true]")
        if self.server.explanation.has_attention:
            self.page.wait_for_selector(".legend:not(.waiting)")
        return self

    def part(self, name: str) -> Locator:
        return self.page.locator(f".view.{name}")

    def head(self, layer: int, head: int) -> Locator:
        """Both counted from 1."""
        return self.page.get_by_role(
            "button", name=re.compile(f"^(Layer {layer}, head {head}|第 {layer} 层第 {head} 头)\\W")
        )

    def chip(self, position: int) -> Locator:
        """A token, counted from 1."""
        return self.page.locator(".chip").nth(position - 1)

    @property
    def deletion(self) -> Locator:
        """The switch that deletes removed tokens."""
        return self.page.get_by_role("switch")

    @property
    def query(self) -> Locator:
        """The dropdown that selects the query of the row."""
        return self.part("row").locator("select").nth(1)

    def bar(self, position: int) -> Locator:
        """A bar of the row, counted from 1 at the top."""
        return self.page.get_by_role("slider").nth(position - 1)

    def click(self, target: Locator, times: int = 1) -> None:
        for _ in range(times):
            target.click()
        self.wait_until_idle()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
        self.wait_until_idle()

    def drag(self, position: int, *fractions: float) -> None:
        """Drags a bar to fractions of its length, in turn, and releases it."""
        track = self.bar(position).locator(".track")
        track.scroll_into_view_if_needed()
        box = track.bounding_box()
        self.page.mouse.move(box["x"] + 3, box["y"] + box["height"] / 2)
        self.page.mouse.down()
        for fraction in fractions:
            self.page.mouse.move(box["x"] + fraction * box["width"], box["y"] + box["height"] / 2, steps=3)
        self.page.mouse.up()
        self.wait_until_idle()

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
    def summary(self) -> str:
        """The line that lists all changes."""
        return self.page.locator(".changed").inner_text()

    @property
    def requested_tokens(self) -> dict[str, list[int]]:
        """The changed tokens in the last request."""
        request = self.server.requests[-1]
        return {kind: request[kind] for kind in ("removed", "deleted", "unknown", "blocked") if request[kind]}

    @property
    def weights(self) -> list[float]:
        """The weights of the bars shown."""
        return [
            float(weight)
            for weight in self.page.get_by_role("slider").evaluate_all(
                "(all) => all.map((bar) => bar.getAttribute('aria-valuenow'))"
            )
        ]
