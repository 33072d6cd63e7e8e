"""Every view compared with its baseline: both themes and languages, a review and a pair; difficult inputs.

`VIZ_UPDATE_BASELINES=1 .venv/bin/python -m pytest tests/explorer/test_views.py` regenerates the baselines; inspect
each.
"""

from collections import Counter

import pytest

from tests.explorer import examples
from tests.pictures import compare
from tests.rendering.examples import encoding
from tests.words import english
from viz_core.analysis.selection import attention_map
from viz_core.rendering.theme import theme

pytestmark = pytest.mark.browser

VIEWS = ("overview", "heatmap", "text", "links", "distribution")
# Each view; the two reviews are opposite corners of theme and language.
CASES = {
    "review_en_light": (examples.review(layers=4), "en", "light", {"head": "2.1"}),
    "review_zh_dark": (
        examples.review(layers=4),
        "zh",
        "dark",
        {"head": "3.2", "query": "7", "key": "13", "scale": "linear"},
    ),
    "pair_zh_light": (
        examples.pair(layers=4),
        "zh",
        "light",
        {"head": "2.3", "unit": "word", "query": "2", "direction": "to"},
    ),
}
# No emoji: not every machine that renders these has a font for them.
HOSTILE = examples.explanation(
    examples.encode_by_spaces(" ".join(text for text in examples.HOSTILE if "👩" not in text))
)


@pytest.fixture
def open_tall(open_explorer):
    """Opens the explorer in a window tall enough for every view."""
    return lambda *args, width=1280, **kwargs: open_explorer(*args, viewport={"width": width, "height": 2400}, **kwargs)


def compare_views(explorer, name, *views):
    """Compares each view with its baseline; `top` is the toolbar with the line below it."""
    problems = []
    for view in views:
        try:
            shot = _top(explorer.page) if view == "top" else explorer.view(view).screenshot(animations="disabled")
            compare(shot, f"explorer_{view}_{name}")
        except AssertionError as error:
            problems.append(str(error))
    assert not problems, "\n".join(problems)


def _top(page):
    toolbar, reading = (page.locator(part).bounding_box() for part in (".toolbar", ".reading"))
    return page.screenshot(
        animations="disabled", clip={**toolbar, "height": reading["y"] + reading["height"] - toolbar["y"]}
    )


@pytest.mark.parametrize("case", CASES)
def test_every_view(open_tall, case):
    explanation, language, mode, selection = CASES[case]
    compare_views(open_tall(explanation, selection, language, theme(mode)), case, "top", *VIEWS)


def test_512_tokens(open_tall):
    explorer = open_tall(examples.of_length(512), {"head": "2.1", "query": "200"})
    compare_views(explorer, "512", "heatmap", "text", "links")


def test_hostile_tokens(open_tall):
    compare_views(open_tall(HOSTILE, {"query": "11", "scale": "log"}, colours=theme("dark")), "hostile", *VIEWS[1:])


def test_several_heads_by_colour(open_tall):
    compare_views(
        open_tall(examples.pair(layers=4), {"head": "1.4 2.2 3.3", "query": "3"}), "several", "overview", "links"
    )


def test_on_a_projector(open_explorer):
    """What fits on the first screen of a classroom projector."""
    longer = examples.two_character_words(encoding("我的花呗账单为什么还没有出来呢", "花呗的账单怎么还没有显示出来啊"))
    explorer = open_explorer(
        examples.explanation(longer, layers=6),
        {"head": "2.2", "unit": "word", "query": "2"},
        "zh",
        theme("light", projector=True),
        viewport={"width": 1920, "height": 1080},
    )
    compare(explorer.page.screenshot(animations="disabled"), "explorer_projector")


def test_on_a_telephone(open_tall):
    explorer = open_tall(examples.pair(), {"head": "2.2"}, "zh", theme("dark"), width=390)
    compare(explorer.page.locator(".explorer").screenshot(animations="disabled"), "explorer_telephone")


def test_enlarged_with_a_range_and_the_shortcuts(open_tall):
    explorer = open_tall(examples.review(layers=4), {"head": "2.1"})
    explorer.drag(explorer.cell(3, 4), explorer.cell(6, 8))
    explorer.view("heatmap").locator(".stage").focus()
    explorer.press("z")
    explorer.press("?")
    compare_views(explorer, "enlarged", "heatmap", "top")


def test_by_word_the_heat_map_says_what_a_uniform_head_gives_to_long_words(open_explorer):
    pair = examples.pair(layers=1, heads=1)
    longest = max(Counter(pair.encoding.words.tolist()).values())
    explorer = open_explorer(pair, {"unit": "word"})
    assert longest > 1
    assert (
        english("explorer.heatmap_note_words", tokens=longest) in explorer.view("heatmap").locator(".note").inner_text()
    )


def test_the_heat_map_says_what_its_rows_sum_to(open_explorer):
    pair = examples.pair(layers=1, heads=2)
    explorer = open_explorer(pair, {"head": "1.2"})
    note = explorer.view("heatmap").locator(".note")
    assert note.inner_text() == english("explorer.heatmap_note")
    explorer.page.locator(".toolbar select").first.select_option("ab")
    explorer.frame()
    sums = attention_map(pair, 0, 1, "shown", "ab", "token").weights.sum(1)
    assert note.inner_text() == english("explorer.heatmap_note_part", sums=f"{sums.min():.2f}–{sums.max():.2f}")
