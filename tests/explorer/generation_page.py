"""The text of a language model as a component without Streamlit: its page object, and a server with a toy model."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator

from playwright.sync_api import Locator, Page, Route

from pages.routes.streams import json_frame
from tests.explorer import translation_page
from tests.explorer.locations import EXPLORER, HOST
from tests.explorer.reused_pages import wait_in_fast_time
from tests.explorer.translation_page import NEXT, OTHERS, WORDS, step
from viz_core.explorer.shared import appearance
from viz_core.language import Translator
from viz_core.rendering.theme import theme

PAGE = translation_page.PAGE.replace("translation.", "generation.")
TEXT, END, MOST = "we go", "[SEP]", 3000
SYSTEM, USER, ANSWER = "<s>", "<u>", "<a>"  # markers of the chat template


def following(words: list[str], decoding: dict) -> list[dict]:
    """The candidates of the next word, at a temperature, then the likeliest top_k; top_p changes nothing."""
    chances = NEXT.get(words[-1], OTHERS)
    squares = {word: chance ** (1 / decoding["temperature"]) for word, chance in chances.items()}
    warm = {word: value / sum(squares.values()) for word, value in squares.items()}
    kept = sorted(warm, key=warm.get, reverse=True)[: decoding["top_k"] or None]
    top = {word: warm[word] / sum(warm[other] for other in kept) if word in kept else 0 for word in warm}
    return [
        {"id": WORDS.index(word), "token": word, "probabilities": [chances[word], warm[word], top[word], top[word]]}
        for word in sorted(chances, key=chances.get, reverse=True)
    ]


def measured(before: list[str], word: str) -> dict:
    fields = step(before, word)
    return fields | {"log_probability": round(math.log(fields["probability"]), 5)}


class Server:
    """bodies: of all requests. offline: whether they are aborted."""

    def __init__(self, background: str) -> None:
        self.background, self.bodies, self.offline = background, [], False

    def __call__(self, route: Route) -> None:
        name = route.request.url.removeprefix(HOST)
        if name in ("generation.js", "generation.css"):
            kind = "text/javascript" if name.endswith("js") else "text/css"
            return route.fulfill(path=EXPLORER / name, content_type=kind)
        if name != "generate":
            return route.fulfill(body=PAGE.replace("BACKGROUND", self.background), content_type="text/html")
        self.bodies.append(route.request.post_data_json)
        if self.offline:
            return route.abort()
        if not self.bodies[-1]["text"].strip() and not self.bodies[-1]["turns"]:
            return route.fulfill(status=422, json={"error": "The text is empty: type a text to analyse."})
        if unknown := [token for token in self.bodies[-1]["written"] if token >= len(WORDS)]:
            return route.fulfill(status=422, json={"error": f"Token {unknown[0]} is not in the vocabulary."})
        return route.fulfill(body=b"".join(self.frames(self.bodies[-1])), content_type="application/octet-stream")

    def frames(self, body: dict) -> Iterator[bytes]:
        given = body["text"].split()
        starts = [body["text"].index(word) for word in given]
        if body["chat"]:
            turns = [word for said in body["turns"] for word in [USER, *said[0].split(), ANSWER, *said[1].split()]]
            given = [SYSTEM] * bool(body["system"]) + body["system"].split() + turns
            given += [USER, *body["text"].split(), ANSWER] if body["text"].strip() else []
            starts = [0] * len(given)
        markers = [place for place, word in enumerate(given) if word in (SYSTEM, USER, ANSWER)]
        words = given + [WORDS[token] for token in body["written"]]
        steps = [None, *(measured(words[:position], words[position]) for position in range(1, len(words)))]
        read = {"labels": words, "starts": starts, "markers": markers, "special": [], "steps": steps, "notices": []}
        yield json_frame({"read": read})
        for _ in range(body["most"]):
            likeliest = following(words, body["decoding"])[0]["token"]
            if likeliest == END:
                break
            yield json_frame({"step": measured(words, likeliest), "special": []})
            words.append(likeliest)
        written = " " + " ".join(words[len(given) :])
        following_words = following(words, body["decoding"])
        special = [END] if END in {candidate["token"] for candidate in following_words} else []
        yield json_frame(
            {"next": following_words, "special": special, "notice": "", "labels": words, "written": written}
        )
        yield json_frame({"end": True})


class GenerationPage:
    def __init__(self, page: Page, server: Server) -> None:
        self.page, self.server = page, server

    def show(
        self, language: str = "en", mode: str = "light", model: str = "toy", template: dict | None = None, **link: str
    ) -> GenerationPage:
        """Mounts the component, as the page does at first and after each run. template: what it takes."""
        say = Translator(language)
        if self.page.url == "about:blank":
            self.page.goto(HOST)
            self.page.wait_for_function("Boolean(globalThis.mount)")
        data = {
            **appearance(say, theme(mode), "generation", "instrument"),
            "generation": {
                "examples": [{"label": "home", "texts": ["i go"]}],
                "limit": 2000,
                "most": MOST,
                "turns": 0,
                "chat": {"offered": True, "system": True, "turns": True, "problem": ""} | (template or {}),
                "link": {"text": TEXT, **link},
                "request": {"url": "generate", "body": {"task": "other", "model": model, "language": language}},
            },
        }
        self.page.evaluate("(data) => mount(data)", json.loads(json.dumps(data)))
        return self.wait()

    def wait(self) -> GenerationPage:
        """Waits until everything is drawn and reported."""
        wait_in_fast_time(self.page, '.generation[data-idle="true"]')
        return self

    def tokens(self) -> list[str]:
        """Those of the text, and the place of the next one."""
        return self.page.locator(".words .word .token").all_text_contents()

    def branches(self) -> tuple[list[str], list[str]]:
        """The written tokens of the continuation that goes on, and of the kept one."""
        tokens = [self.page.locator(f".branch_{name} .word.written .token") for name in ("now", "kept")]
        return tokens[0].all_text_contents(), tokens[1].all_text_contents()

    def sums(self, name: str) -> str:
        """The numbers of a branch: tokens, sum of log-probabilities, perplexity."""
        return " · ".join(re.findall(r"[−\d.∞]+", self.page.locator(f".branch_{name} .note").text_content()))

    def token(self, number: int) -> Locator:
        return self.page.locator(".word").nth(number)

    def expected(self) -> dict[str, list[str]]:
        """The candidates with the shares in their columns."""
        rows = self.page.locator(".expected .row").all()
        return {row.locator(".token").text_content(): row.locator(".share").all_text_contents() for row in rows}

    def click(self, selector: str) -> GenerationPage:
        self.page.locator(selector).click()
        return self.wait()

    def note(self) -> str:
        return self.page.locator(".choice .note").text_content()

    def body(self) -> dict:
        """The last request."""
        return self.server.bodies[-1]

    def link(self) -> dict:
        """What is set, as reported last."""
        return self.reported("link")

    def reported(self, name: str) -> dict:
        """What was reported last under a name."""
        return self.page.evaluate("(name) => reports.filter(([other]) => other === name).at(-1)?.[1] ?? {}", name)

    def announcement(self) -> str:
        return self.page.locator(".spoken").text_content()
