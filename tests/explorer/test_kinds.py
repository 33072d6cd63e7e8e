"""The three attentions of a translation in the explorer: rectangles, causal masks, and the switch between them."""

from itertools import product

import numpy as np
import pytest

from tests.explorer.explorer_page import ExplorerPage, weight_text
from tests.explorer.javascript import ask
from tests.pictures import compare
from tests.rendering import translations
from tests.words import english, says
from viz_core.analysis import selection
from viz_core.analysis.heads.statistics import translation_statistics
from viz_core.explorer.packed_translation import pack_translation
from viz_core.explorer.standalone import standalone_translation
from viz_core.language import Translator
from viz_core.rendering.theme import theme

TRANSLATION = translations.translation()  # 我们明天去学校。 -> we go to school tomorrow.
CROSS, CAUSAL = (TRANSLATION.attention[kind][1, 0] for kind in ("cross", "causal"))
SOURCE = ["[CLS]", *"我们明天去学校。", "[SEP]"]
TARGET = ["[CLS]", *translations.TARGET]
OUTPUT = [*translations.TARGET, "[SEP]"]
STATISTICS = {kind: translation_statistics(TRANSLATION, kind) for kind in TRANSLATION.attention}
CASES = list(product(["cross", "self", "causal"], selection.SPECIAL_CHOICES, ["token", "word"]))


@pytest.fixture
def open_translation(visit):
    """Opens the translation as a standalone file, offline; returns the page object."""

    def open_page(link: dict | None = None, language: str = "en", mode: str = "light", **context) -> ExplorerPage:
        say, linked = Translator(language), {"head": "2.1", "views": "12345", **(link or {})}
        document = standalone_translation(TRANSLATION, STATISTICS, say, theme(mode), linked)
        return ExplorerPage(visit(document, **context), TRANSLATION)

    return open_page


@pytest.fixture(scope="module")
def maps():
    """The map of head 2.1 in every case, as the browser computes it."""
    data = pack_translation(TRANSLATION, STATISTICS, Translator("en"), theme("light"))
    return ask("cutsOfKinds", bytes=data, layer=1, head=0, cases=CASES)


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_maps_are_those_of_the_server(maps, case):
    kind, special, unit = case
    expected, map_ = selection.translation_map(TRANSLATION, kind, 1, 0, special, unit), maps[CASES.index(case)]
    assert (tuple(map_["queries"]), tuple(map_["keys"])) == (expected.queries, expected.keys)
    np.testing.assert_allclose(np.reshape(map_["weights"], expected.weights.shape), expected.weights, atol=1e-4)
    reach = np.full(len(expected.queries), len(expected.keys)) if expected.reach is None else expected.reach
    assert map_["reach"] == reach.tolist()


def test_links_lead_from_target_to_source(open_translation):
    page = open_translation()
    texts = page.canvas_texts("links")
    assert texts[: len(OUTPUT)] == OUTPUT and texts[len(OUTPUT) :][: len(SOURCE)] == SOURCE
    assert {"target (query)", "source (key)"} <= set(texts)
    assert page.page.locator(".pin").count() == 0, "nothing is compared"
    assert page.page.get_by_text("The classifier").count() == 0


def test_the_titles_above_the_links_are_whole_where_the_words_are_short(visit):
    short = translations.translation(["我", "去"], ["I", "go"], [0, 1])
    statistics = {kind: translation_statistics(short, kind) for kind in short.attention}
    document = standalone_translation(
        short, statistics, Translator("zh"), theme("light"), {"special": "hidden", "views": "4"}
    )
    assert {"目标句（查询）", "源句（键）"} <= set(ExplorerPage(visit(document), short).canvas_texts("links"))


def test_the_keyboard_stays_within_a_rectangle(open_translation):
    page = open_translation()
    page.view("heatmap").locator(".stage").focus()
    page.press(*["ArrowDown"] * 9, *["ArrowRight"] * 12)
    assert page.reading == f"[SEP] (7) gives {weight_text(CROSS, 6, 9)} of its weight to [SEP] (10) (uniform: 0.1)."
    page.press("ArrowUp", "ArrowLeft", "Shift+ArrowRight", "Shift+ArrowRight", "Shift+ArrowDown")
    assert page.reading.startswith("On average, queries . (6) to [SEP] (7) give")
    assert page.reading.endswith("of their weight to keys 。 (9) to [SEP] (10).")


def test_a_word_of_one_sentence_shades_the_other(open_translation):
    page = open_translation()
    shades = "(tokens) => tokens.map((token) => Boolean(token.style.backgroundColor))"
    source, target = (page.view("text").locator(f".line[data-side={side}] .token") for side in ("key", "query"))
    page.click(page.token("tomorrow"))
    assert page.reading.startswith("tomorrow (5) attends most to")
    assert all(source.evaluate_all(shades)) and not any(target.evaluate_all(shades))
    assert page.row(1).locator(".name").inner_text() == "天 (5)" and page.row(10).count() == 1
    page.click(page.token("天"))
    assert all(target.evaluate_all(shades)) and not any(source.evaluate_all(shades))
    best = int(np.argmax(CROSS[:, 4]))
    assert page.row(1).locator(".name").inner_text() == f"{OUTPUT[best]} ({best + 1})"
    page.view("text").locator(".body").focus()
    page.press("ArrowRight")
    assert says(page.reading, "explorer.selected_to", key="去 (6)"), "arrows stay in the sentence"


def test_later_tokens_cannot_be_attended_to(open_translation):
    page = open_translation({"kind": "causal"})
    page.click_at(page.cell(2, 5, page.map_box()["width"] / 7))
    assert page.reading == english("explorer.cell_unreachable", query="go (3)", key="tomorrow (6)")
    assert page.row(3).count() == 1 and page.row(4).count() == 0, "of three tokens so far"
    later = page.view("text").locator(".token.unreachable")
    assert later.all_inner_texts() == ["to", "school", "tomorrow", "."]
    assert page.view("heatmap").locator(".legend .unreachable").is_visible()
    assert page.tip()[0] == "–"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_toolbar_is_one_row_on_a_laptop(open_translation, language):
    page = open_translation(language=language, viewport={"width": 1280, "height": 800})
    assert page.page.locator(".toolbar").bounding_box()["height"] < 35


def test_the_switch_keeps_the_word_and_offers_what_there_is(open_translation):
    page = open_translation({"query": "5"})
    page.open_settings()
    page.view("links").locator(".stage").focus()
    page.press("k", "k")
    decoder = page.page.get_by_role("button", name="decoder", exact=True)
    assert decoder.get_attribute("aria-pressed") == "true" and decoder.get_attribute("title") == "decoder (causal)"
    assert page.reading.startswith("tomorrow (6) attends most to")
    orders = page.view("overview").locator("select option:not([hidden])").all_inner_texts()
    targets = ("the selected token", "the previous token", "the token itself", "punctuation", "the first token")
    to = [f"attend to {name}" for name in targets]
    assert orders == ["… (not ranked)", *to, "attend uniformly", "attend far away"]
    assert not page.page.get_by_role("group", name="Group by").is_visible(), "each word is a token"
    page.press("k")
    assert page.reading.startswith("tomorrow (5) attends most to")
    assert page.page.get_by_role("group", name="Group by").is_visible()
    page.press("w")
    assert "我们" in page.canvas_texts("heatmap")


@pytest.mark.parametrize(
    ("link", "language", "mode", "width"),
    [
        ({"kind": "cross", "query": "5"}, "en", "light", 1280),
        ({"kind": "causal", "query": "5"}, "zh", "dark", 1920),
        ({"kind": "cross", "key": "5", "direction": "to", "unit": "word"}, "zh", "light", 390),
    ],
)
def test_pictures(open_translation, link, language, mode, width):
    page = open_translation(link, language, mode, viewport={"width": width, "height": 900})
    page.page.mouse.move(1, 1)
    page.frame()
    picture = page.page.locator(".explorer .views").screenshot(animations="disabled")
    compare(picture, f"explorer_{link['kind']}_{language}_{mode}_{width}")
