"""Inside attention as a component without Streamlit: its page object, and a server that computes with tiny models."""

from __future__ import annotations

import json
from base64 import b64encode

from playwright.sync_api import Locator, Page, Route

from pages.routes.inside import read_changes
from tests.explorer.inside_packets import KINDS, classifier, first_kind, translation
from tests.explorer.locations import EXPLORER, HOST
from viz_core.analysis.inside.head_changes import HeadChanges
from viz_core.analysis.inside.inside import inside, inside_translation
from viz_core.analysis.inside.layer_matrices import MatrixStep, layer_matrices
from viz_core.analysis.inside.passes import Selected
from viz_core.explorer.inside import pack_arrays, pack_inside, pack_window
from viz_core.explorer.shared import appearance
from viz_core.language import Translator
from viz_core.records.inside import Inside
from viz_core.records.translation import Kind
from viz_core.rendering.theme import theme

PAGE = """<!DOCTYPE html><meta name="viewport" content="width=device-width"><link rel="stylesheet" href="inside.css">
<style>body { margin: 24px; background: BACKGROUND }</style><div id="parent"><div class="inside"></div></div>
<script type="module">
import component from "./inside.js";
const reports = [], parentElement = document.querySelector("#parent");
const setTriggerValue = (name, value) => reports.push([name, value]);
Object.assign(globalThis, { reports });
globalThis.mount = (text) => {
  const data = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  globalThis.unmount = component({ data, parentElement, setTriggerValue });
};
</script>"""


class Server:
    """Answers as the route does, for one of the models of inside_packets.py. bodies: of all requests. refusal: the
    sentence to refuse with. names: of heads."""

    def __init__(self, name: str, background: str) -> None:
        self.name, self.background, self.bodies, self.refusal = name, background, [], ""
        self.names: dict[str, str] = {}

    def __call__(self, route: Route) -> None:
        path = route.request.url.removeprefix(HOST)
        if path in ("inside.js", "inside.css"):
            kind = "text/javascript" if path.endswith("js") else "text/css"
            return route.fulfill(path=EXPLORER / path, content_type=kind)
        if path not in ("inside", "matrices"):
            return route.fulfill(body=PAGE.replace("BACKGROUND", self.background), content_type="text/html")
        body = route.request.post_data_json
        self.bodies.append(body)
        if self.refusal:
            return route.fulfill(status=422, json={"error": self.refusal})
        if path == "matrices":
            return route.fulfill(body=self.matrices(**body), content_type="application/octet-stream")
        selected = Selected(body["kind"], *(body[name] for name in ("layer", "head", "query", "key")))
        changes = read_changes(body["changes"])
        if body.get("window"):
            packet = pack_window(self.record(selected, changes))
        else:
            packet = self.packet(selected, changes, Translator(body["language"]))
        return route.fulfill(body=packet, content_type="application/octet-stream")

    def matrices(self, kind: Kind, layer: int, head: int, step: MatrixStep) -> bytes:
        checkpoint = translation()[0] if self.name in KINDS else classifier(self.name)[0]
        return pack_arrays(layer_matrices(checkpoint, kind, layer, step, head), {})

    def record(self, selected: Selected, changes: HeadChanges | None = None) -> Inside:
        if self.name in KINDS:
            return inside_translation(*translation(), selected, changes)
        return inside(*classifier(self.name), selected, changes)

    def packet(self, selected: Selected, changes: HeadChanges, say: Translator, **fields: object) -> bytes:
        record, fields = self.record(selected, changes), {**fields, "names": self.names}
        if self.name in KINDS:
            _, translated = translation()
            labels = translated.queries(selected.kind), translated.keys(selected.kind)
            return pack_inside(record, translated.sides(selected.kind), labels, say, kinds=KINDS, **fields)
        _, encoding = classifier(self.name)
        return pack_inside(record, (encoding, encoding), ((), ()), say, kinds=[record.kind], **fields)


def read_number(figure: str) -> float:
    """A number as it is written (source/inside/numbers.js)."""
    digits, _, power = figure.replace("−", "-").replace("∞", "inf").partition("·10")
    return float(digits) * 10 ** float(power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")) or 0)


class InsidePage:
    def __init__(self, page: Page, server: Server) -> None:
        self.page, self.server = page, server

    def show(
        self, step: str = "", language: str = "en", mode: str = "light", query: int = 1, key: int = 2, **changes: object
    ) -> InsidePage:
        """Mounts the component at a step, as the page does. changes: as in a request."""
        if self.page.url == "about:blank":
            self.page.goto(HOST)
            self.page.wait_for_function("Boolean(globalThis.mount)")
        kind = first_kind(self.server.name)
        fields = {
            **appearance(Translator(language), theme(mode), "inside"),
            "turns": 0,
            "request": {"url": "inside", "body": {"language": language}},
            "matrixRequest": {"url": "matrices", "body": {}},
            "state": {"step": step, "changes": changes},
        }
        selected = Selected(kind, 0, 0, query, key)
        packet = self.server.packet(
            selected, read_changes(changes), Translator(language), **json.loads(json.dumps(fields))
        )
        self.page.evaluate("(text) => mount(text)", b64encode(packet).decode())
        return self.wait()

    def wait(self) -> InsidePage:
        """Waits until all that was asked for is drawn."""
        self.page.wait_for_selector('.inside[data-idle="true"]')
        self.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        self.page.wait_for_selector('.inside[data-idle="true"]')
        return self

    def locate(self, selector: str) -> Locator:
        return self.page.locator(f".inside {selector}")

    def press(self, key: str) -> InsidePage:
        self.page.keyboard.press(key)
        return self.wait()

    def choose(self, name: str, option: str) -> InsidePage:
        """name: `kind`, `head`, `query` or `key`."""
        self.locate(f".dropdown.{name} select").select_option(label=option)
        return self.wait()

    def step(self) -> str:
        return self.page.locator(".inside").get_attribute("data-step")

    def title(self) -> str:
        return self.locate(".step h2").inner_text()

    def sentence(self) -> str:
        return self.locate(".sentence").inner_text()

    def figures(self, panel: int) -> list[str]:
        """The numbers of a column of bars beside the tokens."""
        return self.locate(".panel.bars").nth(panel).locator(".figure").all_text_contents()

    def numbers(self, panel: int) -> list[float]:
        return [read_number(figure) for figure in self.figures(panel)]

    def wait_for_link(self, **fields: object) -> None:
        """Waits until the link that was reported last has these fields: it follows once nothing has changed for a
        moment."""
        self.page.wait_for_function(
            """(fields) => {
                const link = reports.filter(([name]) => name === "link").at(-1)?.[1] ?? {};
                return Object.entries(fields).every(([name, value]) =>
                    JSON.stringify(link[name]) === JSON.stringify(value));
            }""",
            arg=fields,
        )
