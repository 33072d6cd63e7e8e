"""The instrument as a component without Streamlit: its page object, and a server that explains what is typed."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from playwright.sync_api import Locator, Page, Route

from tests.explorer import examples
from tests.explorer.locations import EXPLORER, HOST
from tests.explorer.reused_pages import wait_in_fast_time
from tests.words import english
from viz_core.analysis.heads.statistics import head_statistics
from viz_core.explorer.packed_weights import pack_heads, pack_norms, pack_weighted_heads
from viz_core.explorer.packing import MEASURES, pack, pack_header
from viz_core.explorer.shared import appearance
from viz_core.language import Translator
from viz_core.records import Explanation, Message
from viz_core.rendering.theme import Theme, theme

PAGE = """<!DOCTYPE html><meta name="viewport" content="width=device-width"><link rel="stylesheet" href="explorer.css">
<style>body { margin: 72px 24px 24px; background: BACKGROUND }</style>
<div id="parent"><div class="instrument"></div><div class="explorer"></div></div>
<script type="module">
import component from "./explorer.js";
const reports = [], parentElement = document.querySelector("#parent");
const bytes = (data) => Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
const setTriggerValue = (name, value) => reports.push([name, value]);
Object.assign(globalThis, { reports, parentElement });
globalThis.mount = (data) => { globalThis.unmount = component({ data: bytes(data), parentElement, setTriggerValue }); };
</script>"""
REFUSAL = {"en": "The text is empty: type a text to analyse.", "zh": "文本是空的。"}
LINK = {
    "head": "1.1",
    "query": "all",
    "key": "",
    "unit": "token",
    "special": "shown",
    "block": "all",
    "scale": "linear",
    "limit": "full",
    "direction": "from",
    "views": "12345",
}
UNKNOWN = Message("text.unknown", {"count": 1, "tokens": ["xyz"], "more": ""})
HEADS = {"url": "heads", "body": {"visitor": "a"}}


def explain(texts: Sequence[str], model: str = "small") -> Explanation:
    """One token for everything between spaces; the more often “good” occurs, the more positive. `xyz` is unknown."""
    encoding = examples.encode_by_spaces(*texts, keep_empty=False)
    encoding = replace(encoding, notices=(UNKNOWN,) * sum(text.split().count("xyz") for text in texts))
    positive = (1 + sum(text.count("good") for text in texts)) / (2 + sum(len(text.split()) for text in texts))
    explanation = examples.explanation(encoding, model=model)
    return replace(explanation, probabilities=np.array([1 - positive, positive]))


class Server:
    """Serves the page, what `explain` returns for a text, and heads of `explanation`.

    requests: for heads; sent_texts: the texts to explain. should_hold: whether responses are held until `release`.
    offline: whether requests are aborted; broken: those for heads. gone: whether no model is found. busy: how many
    texts are still refused because too many others wait.
    """

    def __init__(self, background: str = "#ffffff") -> None:
        self.background, self.explanation = background, None
        self.requests, self.sent_texts, self.bodies, self.held = [], [], [], []
        self.offline = self.broken = self.gone = self.should_hold = False
        self.busy = 0

    def __call__(self, route: Route) -> None:
        name = route.request.url.removeprefix(HOST)
        if name in ("explorer.js", "explorer.css"):
            kind = "text/javascript" if name.endswith("js") else "text/css"
            return route.fulfill(path=EXPLORER / name, content_type=kind)
        if name == "heads":
            self.requests.append(route.request.post_data_json)
            return route.abort() if self.broken else route.fulfill(body=self.pack_weights(self.requests[-1]))
        if name != "explain":
            return route.fulfill(body=PAGE.replace("BACKGROUND", self.background), content_type="text/html")
        self.bodies.append(route.request.post_data_json)
        self.sent_texts.append(self.bodies[-1]["texts"])
        return self.held.append(route) if self.should_hold else self.respond(route)

    def pack_weights(self, body: dict) -> bytes:
        """What the route of the app responds with (pages/routes/heads.py)."""
        attention, norms = self.explanation.attention, examples.norms(self.explanation)
        heads = [tuple(head) for head in body.get("heads", [])]
        if "measure" not in body:
            return pack_heads(attention, heads)
        return pack_weighted_heads(attention, norms, heads) if heads else pack_norms(attention, norms)

    def release(self) -> None:
        """Sends the responses that were held."""
        held, self.held = self.held, []
        for route in held:
            self.respond(route)

    def respond(self, route: Route) -> None:
        if self.offline:
            return route.abort()
        body = route.request.post_data_json
        if self.busy:
            self.busy -= 1
            return route.fulfill(status=503, json={"error": "9 other inputs are waiting for this server."})
        if self.gone:
            return route.fulfill(status=404, json={"error": english("pages.request_unknown_model")})
        self.explanation = explain(body["texts"], body["model"])
        packed = pack(
            self.explanation,
            head_statistics(self.explanation),
            Translator(body["language"]),
            None,
            body["selection"],
            HEADS,
            examples.norms(self.explanation) if body["selection"].get("measure") == "norms" else None,
            measures=MEASURES,
        )
        return route.fulfill(body=packed, content_type="application/octet-stream")


def opening(
    explanation: Explanation | None,
    texts: Sequence[str] | None = None,
    selection: dict | None = None,
    language: str = "en",
    colours: Theme | None = None,
    model: str = "small",
    request: dict | None = HEADS,
    turns: int = 0,
    choices: int = 0,
    measures: Sequence[str] = MEASURES,
    has_examples: bool = True,
) -> bytes:
    """What the component is opened with; explanation: None for texts that the model cannot read. turns: how often the
    browser went back or forward. choices: how often a head was selected below. measures: what can be fetched."""
    texts = list(texts or explanation.encoding.texts)
    say, colours = Translator(language), colours or theme("light")
    labels = ["Review"] if len(texts) == 1 else ["Sentence A", "Sentence B"]
    instrument = {
        "boxes": labels,
        "examples": [
            {"label": "Praise", "texts": ["A good film"] * len(texts), "gloss": ["Praise twice"]},
            {
                "label": "Doubt",
                "texts": ["The plot is thin"] * len(texts),
                "gloss": [f"Doubt of {name}" for name in labels],
            },
        ][: 2 * has_examples],
        "texts": texts,
        "limit": 2000,
        "most": 5000,
        "refusal": "" if explanation else REFUSAL[language],
        "blank": [REFUSAL[language]] * len(texts),
        "request": {"url": "explain", "body": {"task": "imdb", "model": model, "language": language}},
    }
    if explanation is None:
        return pack_header({**appearance(say, colours, "explorer", "instrument"), "instrument": instrument})
    statistics, fields = head_statistics(explanation), {"turns": turns, "choices": choices, "instrument": instrument}
    return pack(explanation, statistics, say, colours, selection, request, measures=measures, **fields)


class InstrumentPage:
    """A page with the component. `open` gives it data as a run of the page does."""

    def __init__(self, page: Page, server: Server) -> None:
        self.page, self.server = page, server
        page.goto(HOST)
        page.wait_for_function("Boolean(globalThis.mount)")

    def open(self, *values: object, **options: object) -> InstrumentPage:
        """Mounts the component, or gives it new data; arguments as of `opening`."""
        self.page.evaluate("(data) => mount(data)", b64encode(opening(*values, **options)).decode())
        return self

    def open_texts(self, *texts: str, **options: object) -> InstrumentPage:
        """The same with what the server would explain."""
        selection = LINK | options.pop("selection", {})
        return self.open(explain(texts, options.get("model", "small")), selection=selection, **options)

    def box(self, number: int = 0) -> Locator:
        return self.page.locator(".instrument textarea").nth(number)

    def type(self, text: str, number: int = 0, delay: float = 20) -> None:
        """Types at the end of a box."""
        self.box(number).focus()
        self.page.keyboard.press("End")
        self.page.keyboard.type(text, delay=delay)

    def type_in_one_moment(self, *endings: str) -> None:
        """What the box holds gets one character longer after another; each further ending replaces the one before.

        Without pauses, which on a busy machine could be taken for rest.
        """
        self.box().evaluate(
            """(box, endings) => {
              const start = box.value;
              for (const ending of endings) for (let end = 0; end <= ending.length; end++) {
                box.value = start + ending.slice(0, end);
                box.dispatchEvent(new InputEvent("input", { bubbles: true }));
              }
            }""",
            list(endings),
        )

    def wait_until_idle(self) -> None:
        """Waits until everything typed is drawn and reported."""
        wait_in_fast_time(self.page, ".instrument[data-idle=true]")
        self.frame()

    def wait_until_drawn(self, text: str) -> None:
        """Waits until the first text of the explorer is this one."""
        self.page.wait_for_function(
            """(text) => [...document.querySelectorAll(".explorer .text .typed")][0]?.textContent
              .replace("[CLS]", "").replace("[SEP]", "") === text""",
            arg=text,
        )
        self.frame()

    def rest(self) -> None:
        """A while without a key: more than a second passes on the clock of the page, and every timer fires."""
        for _ in range(7):
            self.page.clock.run_for(200)
            self.frame()

    def frame(self) -> None:
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    @property
    def verdict(self) -> str:
        return self.page.locator(".prediction .verdict").inner_text()

    @property
    def announcement(self) -> str:
        return self.page.locator(".instrument .spoken").inner_text()

    @property
    def reading(self) -> str:
        return self.page.locator(".reading .line").inner_text()

    def reports(self, name: str | None = None) -> list:
        """What was reported to the page, up to a while after the last change; name: of one event."""
        self.rest()
        if not self.server.should_hold:
            self.page.wait_for_selector(".instrument:not([data-idle=false])", state="attached")
            self.rest()
        reports = self.page.evaluate("reports")
        return [value for event, value in reports if event == name] if name else reports
