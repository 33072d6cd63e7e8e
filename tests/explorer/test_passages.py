"""Inputs of a corpus: what is packed, colours and the frame of tokens, opening, and pictures."""

import numpy as np
import pytest
from playwright.sync_api import Page, Route

from tests.explorer import calculator_page
from tests.explorer.examples import encode_bytes
from tests.explorer.locations import EXPLORER, HOST
from tests.pictures import compare
from tests.rendering.examples import HOSTILE, PAIR, REVIEW, encoding
from tests.words import english
from viz_core.explorer.passages import describe_passage, pack_passages
from viz_core.language import Translator
from viz_core.records import Failure
from viz_core.rendering.theme import theme

PAGE = calculator_page.PAGE.replace("calculator", "passages")
FILES = {"passages.js": "text/javascript", "passages.css": "text/css"}


def passage(*texts: str, weights=None, marked: int | None = 2, **place: int) -> dict:
    keys = encoding(*texts)
    if weights is None:
        weights = np.random.default_rng(0).dirichlet(np.full(len(keys.tokens), 0.3))
    return describe_passage(keys, weights, keys.labels[2], marked) | {"tenth": 10, "row": 7, **place}


@pytest.fixture
def show(take_page):
    """Opens passages in a page."""

    def open_page(*passages: dict, language: str = "en", mode: str = "light", **context: object) -> Page:
        colours, page = theme(mode), take_page(**context)

        def serve(route: Route) -> None:
            name = route.request.url.removeprefix(HOST)
            if name in FILES:
                return route.fulfill(path=EXPLORER / name, content_type=FILES[name])
            return route.fulfill(body=PAGE.replace("BACKGROUND", colours.background), content_type="text/html")

        page.route("**/*", serve)
        page.goto(HOST)
        page.wait_for_function("Boolean(globalThis.mount)")
        page.evaluate("(data) => mount(data)", pack_passages(passages, Translator(language), colours))
        return page

    return open_page


def test_weights_that_are_not_finite_are_refused():
    with pytest.raises(Failure):
        passage("good film", weights=np.full(len(encoding("good film").tokens), np.nan))


@pytest.mark.browser
class TestShown:
    def test_each_token_has_the_colour_of_its_weight_and_the_query_a_frame(self, show):
        tokens = len(encoding("good film").tokens)
        page = show(passage("good film", weights=np.eye(tokens)[1], marked=2))
        spans = page.locator(".token")
        colours = spans.evaluate_all("(all) => all.map((span) => span.style.backgroundColor)")
        assert len(colours) == tokens and len(set(colours)) == 2 and colours.count(colours[1]) == 1
        assert page.locator(".query").all_inner_texts() == [encoding("good film").labels[2]]
        assert spans.nth(1).get_attribute("title").endswith(": 1.0000")

    def test_a_byte_of_a_character_that_another_token_shows_has_a_place(self, show):
        keys = encode_bytes()
        page = show(describe_passage(keys, np.eye(5)[2], keys.labels[3], 3) | {"tenth": 10, "row": 7})
        token = page.locator(".token").nth(3)
        assert page.locator(".token").all_inner_texts() == ["[CLS]", "·", "é", "·", "[SEP]"]
        assert token.bounding_box()["width"] > 3 and "query" in token.get_attribute("class")
        assert token.get_attribute("title").startswith("<0xA9>: ")
        assert page.locator("h3").inner_text() == english("passages.query_attends", query="é · <0xA9>")

    def test_the_mouse_frames_no_token_as_nothing_happens_on_a_click(self, show):
        page = show(passage("good film", marked=2))
        outline = "(span) => getComputedStyle(span).outlineStyle"
        for number, style in ((1, "none"), (2, "solid")):
            page.locator(".token").nth(number).hover()
            assert page.locator(".token").nth(number).evaluate(outline) == style

    def test_a_query_of_another_text_has_no_frame(self, show):
        assert show(passage("good film", marked=None)).locator(".query").count() == 0

    def test_both_texts_of_a_pair_are_named(self, show):
        assert show(passage(*PAIR)).locator(".line .name").all_inner_texts() == ["A", "B"]

    def test_markup_is_text(self, show):
        page = show(passage(HOSTILE))
        assert HOSTILE[:20] in page.locator(".typed").inner_text()
        assert page.locator(".typed script").count() == 0

    @pytest.mark.parametrize("marked", [90, None])
    def test_a_long_text_begins_at_its_query_or_at_what_that_attends_to(self, show, marked):
        weights = np.zeros(len(encoding(REVIEW * 12).tokens))
        weights[120] = 1
        page = show(passage(REVIEW * 12, weights=weights, marked=marked), passage(REVIEW))
        token, body = page.locator(f".body [data-unit='{marked or 120}']").first, page.locator(".body").first
        top, height = (body.bounding_box()[side] for side in ("y", "height"))
        assert body.evaluate("(body) => body.scrollTop") > 0
        assert top < token.bounding_box()["y"] < top + height - 20
        assert page.locator(".body").nth(1).evaluate("(body) => body.scrollTop") == 0

    def test_the_button_of_a_passage_reports_its_number(self, show):
        page = show(passage(REVIEW), passage(REVIEW, tenth=7, row=3))
        page.get_by_role("button", name=english("passages.open_in_explorer", row=3)).click()
        assert page.evaluate("reports") == [["open", 1]]


@pytest.mark.browser
@pytest.mark.parametrize(("language", "mode", "width"), [("en", "light", 900), ("zh", "dark", 390)])
def test_picture(show, language, mode, width):
    shown = [passage(REVIEW), passage(*PAIR, tenth=7, row=3), passage(REVIEW * 6, tenth=1, row=12)]
    page = show(*shown, language=language, mode=mode, viewport={"width": width, "height": 900})
    compare(page.screenshot(full_page=True), f"passages_{language}_{mode}_{width}")
