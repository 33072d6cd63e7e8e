"""Every view shows typed text verbatim and never interprets it as markup or code."""

import pytest

from tests.explorer import examples
from tests.explorer.explorer_page import token_name
from tests.words import says
from viz_core.rendering.labels import printable

pytestmark = [pytest.mark.browser, pytest.mark.whole_browser]

EXPLANATION = examples.hostile()
LABELS = [printable(text) for text in examples.HOSTILE]


@pytest.fixture
def explorer(open_explorer):
    """The test fails if a dialog opens, an error is thrown or anything is requested."""
    return open_explorer(EXPLANATION, {"head": "2.1"}, viewport={"width": 1600, "height": 2400})


def is_label(text, label):
    """Whether the text is the label, possibly cut."""
    return text == label or (text.endswith("…") and len(text) > 8 and label.startswith(text[:-1]))


@pytest.mark.parametrize("view", ["heatmap", "links"])
def test_names_on_a_canvas_are_complete_or_cut(explorer, view):
    texts = explorer.canvas_texts(view)
    for label in LABELS:
        assert sum(is_label(text, label) for text in texts) >= 2, f"{label} appears on both sides"


def test_the_text_is_verbatim_with_invisible_characters_escaped(explorer):
    tokens = explorer.view("text").locator(".body .token:not(.chip)")
    assert tokens.all_text_contents() == [printable(token) for token in examples.HOSTILE]
    whole = (
        explorer.view("text")
        .locator(".body .typed")
        .evaluate(
            "(line) => [...line.childNodes].filter((node) => !node.classList?.contains('chip'))"
            ".map((node) => node.textContent).join('')"
        )
    )
    assert whole == printable(EXPLANATION.encoding.texts[0])


def test_a_right_to_left_token_does_not_reorder_others(explorer):
    boxes = [explorer.view("text").locator(".body .token:not(.chip)").nth(at).bounding_box() for at in range(8, 14)]
    lines = sorted({box["y"] for box in boxes})
    for line in lines:
        starts = [box["x"] for box in boxes if box["y"] == line]
        assert starts == sorted(starts), "later tokens are further right"


def test_rows_of_the_distribution_are_verbatim(explorer):
    explorer.click(explorer.view("distribution").get_by_role("button", name="Show all"))
    names = explorer.view("distribution").locator(".name").all_text_contents()
    assert sorted(names) == sorted(token_name(label, at) for at, label in enumerate(["[CLS]", *LABELS, "[SEP]"], 1))


def test_status_tooltip_and_sentences_are_verbatim(explorer):
    for at, label in enumerate(LABELS, 2):
        explorer.click(explorer.view("text").locator(".body .token:not(.chip)").nth(at - 2))
        explorer.point_at((5, 5))
        name = token_name(label, at)
        spoken = explorer.page.locator(".reading > [role=status]").text_content()
        assert says(spoken, "explorer.selected_from", query=name), spoken
        assert explorer.view("distribution").locator(".note").text_content().startswith(f"{token_name(label, at)}: ")
    explorer.point_at(explorer.cell(1, 2))
    assert explorer.tip()[1] == f"{token_name(LABELS[0], 2)} → {token_name(LABELS[1], 3)}"
    assert f"{token_name(LABELS[0], 2)} gives" in explorer.reading


def test_typed_markup_does_not_become_elements(explorer):
    page = explorer.page
    assert page.locator(".explorer script, .explorer img, .explorer b:not(.tip b), .explorer style").count() == 0
    assert page.locator("script").count() == 2 and page.locator("style").count() == 1
    assert (
        page.evaluate(
            "[...document.querySelectorAll('.explorer *')].flatMap((at) => at.getAttributeNames())"
            ".filter((name) => name.startsWith('on'))"
        )
        == []
    )


def test_a_long_word_does_not_overflow(explorer):
    assert explorer.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    explorer.click(explorer.token("long" * 75))
    assert explorer.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for view in explorer.views:
        box = explorer.view(view).bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 1600


def test_invisible_tokens_can_be_clicked(open_explorer):
    """A token of invisible characters is shown by its code."""
    explorer = open_explorer(examples.explanation(examples.encode_by_spaces("good \u200b\u200d film \u202e")))
    explorer.click(explorer.view("text").locator(".body .token:not(.chip)").nth(1))
    explorer.point_at((5, 5))
    assert says(explorer.reading, "explorer.selected_from", query="\\u200b\u200d (3)")
    explorer.click(explorer.view("text").locator(".body .token:not(.chip)").nth(3))
    explorer.point_at((5, 5))
    assert says(explorer.reading, "explorer.selected_from", query="\\u202e (5)")
