"""The translation as a component without Streamlit: its page object, and a server with a toy model."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator

from playwright.sync_api import Locator, Page, Route

from pages.routes.streams import PACKED, frame, json_frame
from tests.explorer.locations import EXPLORER, HOST
from tests.explorer.reused_pages import wait_in_fast_time
from tests.rendering.translations import translation
from viz_core.analysis.heads.statistics import translation_statistics
from viz_core.explorer.packed_translation import pack_translation
from viz_core.explorer.shared import appearance
from viz_core.language import Translator
from viz_core.rendering.theme import theme

PAGE = """<!DOCTYPE html><meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="translation.css">
<style>body { margin: 24px; background: BACKGROUND }</style>
<div id="parent"><div class="instrument"></div><div class="explorer"></div></div>
<script type="module">
import component from "./translation.js";
const reports = [], parentElement = document.querySelector("#parent");
const setTriggerValue = (name, value) => reports.push([name, value]);
Object.assign(globalThis, { reports });
globalThis.mount = (data) => { globalThis.unmount = component({ data, parentElement, setTriggerValue }); };
</script>"""
# After each word: the probabilities of the next ones.
NEXT = {
    "": {"we": 0.5, "i": 0.3, "they": 0.2},
    "we": {"go": 0.6, "will": 0.4},
    "i": {"go": 0.9, "went": 0.1},
    "they": {"go": 0.9, "went": 0.1},
    "will": {"go": 1.0},
    "went": {"to": 1.0},
    "go": {"to": 0.8, "home": 0.2},
    "to": {"school": 0.7, "work": 0.3},
    "school": {"tomorrow": 0.55, ".": 0.45},
    "tomorrow": {".": 0.9, "[SEP]": 0.1},
    ".": {"[SEP]": 0.95, "!": 0.05},
}
OTHERS = {".": 1.0}
SOURCE, END = "我们明天去学校。", "[SEP]"
# Of a word: without the head it is less likely, without another head even less; without the source token another comes.
EFFECTS = {
    "original": 0.6,
    "masked": {"probability": 0.5, "instead": None},
    "others": [0.3, 0.7],
    "blocked": {"probability": 0.1, "instead": "they"},
    "slow": False,
}
MOST = 3000  # characters that a text box takes
WORDS = sorted({"[SEP]", *(word for words in NEXT.values() for word in words)})


def step(before: list[str], word: str) -> dict:
    chances = NEXT.get(before[-1] if before else "", OTHERS)
    ordered = sorted(chances, key=lambda word: -chances[word])
    return {
        "id": _id(word),
        "token": word,
        "probability": chances.get(word, 0.001),
        "rank": ordered.index(word) + 1 if word in ordered else len(ordered) + 1,
        "candidates": [[_id(word), word, chances[word]] for word in ordered],
    }


def _id(word: str) -> int:
    return WORDS.index(word) if word in WORDS else 99


def decode(fed: dict[int, str], reference: list[str] | None = None) -> list[dict]:
    """Greedy, or the words of a reference."""
    words, steps = [], []
    while not words or (words[-1] != END and len(words) < 12):
        chances = NEXT.get(words[-1] if words else "", OTHERS)
        likeliest = max(chances, key=chances.get)
        word = reference[len(words)] if reference else fed.get(len(words), likeliest)
        steps.append(step(words, word))
        words.append(word)
    return steps


def search(width: int) -> tuple[list[list[dict]], list[dict]]:
    """The nodes of a beam search, level by level, and its leaves."""
    levels, leaves, beam, count = [], [], [(-1, "", 0.0)], 0
    for depth in range(1, 13):
        extended = sorted(
            (
                (total + math.log(chance), parent, word, chance)
                for parent, before, total in beam
                for word, chance in NEXT.get(before, OTHERS).items()
            ),
            reverse=True,
        )
        nodes = [
            {"parent": parent, "id": 0, "token": word, "depth": depth, "probability": chance}
            | {"log_probability": total, "survives": position < width, "ends": word == END}
            for position, (total, parent, word, chance) in enumerate(extended)
        ]
        beam = [
            (count + number, node["token"], node["log_probability"])
            for number, node in enumerate(nodes[:width])
            if not node["ends"]
        ]
        leaves += [
            {"node": count + number, "text": "", "score": node["log_probability"] / (depth + 5) * 6, "complete": True}
            for number, node in enumerate(nodes[:width])
            if node["ends"]
        ]
        levels.append(nodes)
        count += len(nodes)
        width -= sum(node["ends"] for node in nodes[:width])
        if not beam:
            break
    return levels, sorted(leaves, key=lambda leaf: -leaf["score"])


UNKNOWN = "beijing"  # a word that the model does not have


class Server:
    """bodies: of all requests for translations, effects: of those for a word. offline: whether they are aborted. busy:
    how many are still refused as too many."""

    def __init__(self, background: str) -> None:
        self.background, self.offline, self.busy = background, False, 0
        self.bodies: list[dict] = []
        self.effects: list[dict] = []

    def __call__(self, route: Route) -> None:
        name = route.request.url.removeprefix(HOST)
        if name in ("translation.js", "translation.css"):
            kind = "text/javascript" if name.endswith("js") else "text/css"
            return route.fulfill(path=EXPLORER / name, content_type=kind)
        if name == "word-effects":
            self.effects.append(route.request.post_data_json)
            return route.fulfill(json=EFFECTS)
        if name != "translate":
            return route.fulfill(body=PAGE.replace("BACKGROUND", self.background), content_type="text/html")
        self.bodies.append(route.request.post_data_json)
        if self.offline:
            return route.abort()
        if self.busy:
            self.busy -= 1
            return route.fulfill(body=json_frame({"error": "Too many at once.", "status": 503}))
        if UNKNOWN in dict(map(tuple, self.bodies[-1]["fed"])).values():
            return route.fulfill(body=json_frame({"error": f"“{UNKNOWN}” is not a single word.", "status": 422}))
        return route.fulfill(body=b"".join(self.frames(self.bodies[-1])), content_type="application/octet-stream")

    def frames(self, body: dict) -> Iterator[bytes]:
        labels = ["[CLS]", *body["text"], "[SEP]"]
        special = [number in (0, len(labels) - 1) for number in range(len(labels))]
        yield json_frame({"source": {"labels": labels, "special": special}, "notices": []})
        reference = body.get("reference")
        fed = dict(map(tuple, body["fed"]))
        steps = decode(fed, [*reference.split(), END] if reference else None)
        if body["decoding"]["method"] == "beam" and not reference:
            levels, leaves = search(body["decoding"]["width"])
            yield from (json_frame({"nodes": nodes}) for nodes in levels)
            yield json_frame({"leaves": leaves})
        elif not reference:
            yield from (json_frame({"step": step}) for step in steps)
        words = [step["token"] for step in steps if step["token"] != END]
        yield json_frame({"translation": {"text": " ".join(words), "complete": True, "notices": [], "steps": steps}})
        record = translation(list(body["text"]), words, [min(n, len(labels) - 3) for n in range(len(words))])
        statistics = {kind: translation_statistics(record, kind) for kind in record.attention}
        yield frame(PACKED, pack_translation(record, statistics, Translator(body["language"]), None))
        passes = 0 if reference else len(steps)
        yield json_frame({"exposure": {"passes": passes, "seconds": 0.034, "forced_seconds": 0.005}})
        if fed or body["masked"] or body["blocked"]:
            changed = [step["probability"] / (3 if body["masked"] else 1) for step in decode({})]
            yield json_frame({"original": {"text": "", "steps": decode({}), "changed": changed}})
        yield json_frame({"end": True})


class TranslationPage:
    def __init__(self, page: Page, server: Server) -> None:
        self.page, self.server = page, server

    def show(self, language: str = "en", mode: str = "light", model: str = "small", **link: str) -> TranslationPage:
        """Mounts the component, as the page does at first and after each run."""
        say, colours = Translator(language), theme(mode)
        if self.page.url == "about:blank":
            self.page.goto(HOST)
            self.page.wait_for_function("Boolean(globalThis.mount)")
        body = {"task": "tatoeba", "model": model, "language": language}
        data = {
            **appearance(say, colours, "translation", "instrument"),
            "translation": {
                "examples": [
                    {"label": "school", "texts": [SOURCE], "reference": "we will go to school tomorrow ."},
                    {"label": "home", "texts": ["他回家。"], "reference": "we go home ."},
                ],
                "source": say("translation.source"),
                "blank": "The text is empty: type a text to analyse.",
                "begin": "[CLS]",
                "hasInside": True,
                "limit": 2000,
                "most": MOST,
                "layers": 2,
                "heads": 4,
                "names": {"cross 2.2": "aligner", "self 1.1": "of another attention"},
                "link": {"text": SOURCE, "views": "12345", **link},
                "explorer": appearance(say, colours, "explorer", "instrument")["catalogue"],
                "request": {"url": "translate", "body": body},
                "effects": {"url": "word-effects", "body": body},
            },
        }
        self.page.evaluate("(data) => mount(data)", json.loads(json.dumps(data)))
        return self.wait()

    def wait(self) -> TranslationPage:
        """Waits until everything is drawn and reported."""
        wait_in_fast_time(self.page, '.translation[data-idle="true"]')
        self.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return self

    def words(self) -> list[str]:
        return self.page.locator(".right > .words .word .token").all_text_contents()

    def word(self, number: int) -> Locator:
        return self.page.locator(".word").nth(number)

    def candidates(self) -> list[str]:
        return self.page.locator(".candidate .token").all_text_contents()

    def click(self, selector: str) -> TranslationPage:
        self.page.locator(selector).click()
        return self.wait()

    def body(self) -> dict:
        """The last request."""
        return self.server.bodies[-1]

    def link(self) -> dict:
        """What was reported last."""
        return self.page.evaluate("reports.filter(([name]) => name === 'link').at(-1)?.[1] ?? {}")

    def selected_query(self) -> str:
        """What the explorer says is selected."""
        return self.page.locator(".explorer .reading").inner_text()

    def announcement(self) -> str:
        return self.page.locator(".instrument .spoken").text_content()
