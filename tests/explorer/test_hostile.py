"""What a visitor types is shown as it was typed in every view, and never run."""

import pytest

from tests.explorer import examples
from tests.explorer.explorer_page import named
from viz_core.rendering.labels import printable

pytestmark = pytest.mark.browser

GIVEN = examples.hostile()
LABELS = [printable(text) for text in examples.HOSTILE]


@pytest.fixture
def explorer(opened):
    """Fails at its end where a dialog was opened, an error thrown, or anything asked for."""
    return opened(GIVEN, {"head": "2.1"}, viewport={"width": 1600, "height": 2400})


def is_cut(shown, label):
    return shown == label or (shown.endswith("…") and len(shown) > 8 and label.startswith(shown[:-1]))


@pytest.mark.parametrize("view", ["heatmap", "links"])
def test_on_a_canvas_names_are_whole_or_cut(explorer, view):
    written = explorer.written(view)
    for label in LABELS:
        assert sum(is_cut(shown, label) for shown in written) >= 2, f"{label} stands on both sides"


def test_in_the_text_as_it_was_typed_and_what_nobody_would_see_as_its_code(explorer):
    tokens = explorer.view("text").locator(".body .token:not(.chip)")
    assert tokens.all_text_contents() == [printable(token) for token in examples.HOSTILE]
    whole = (
        explorer.view("text")
        .locator(".body .typed")
        .evaluate(
            "(line) => [...line.childNodes].filter((at) => !at.classList?.contains('chip')).map((at) => at.textContent).join('')"
        )
    )
    assert whole == printable(GIVEN.encoding.texts[0])


def test_a_token_that_turns_the_direction_turns_nothing_else(explorer):
    boxes = [explorer.view("text").locator(".body .token:not(.chip)").nth(at).bounding_box() for at in range(8, 14)]
    lines = sorted({box["y"] for box in boxes})
    for line in lines:
        places = [box["x"] for box in boxes if box["y"] == line]
        assert places == sorted(places), "what follows still stands to the right"


def test_in_every_row_of_the_distribution(explorer):
    explorer.click(explorer.view("distribution").get_by_role("button", name="Show all"))
    names = explorer.view("distribution").locator(".name").all_text_contents()
    assert sorted(names) == sorted(named(label, at) for at, label in enumerate(["[CLS]", *LABELS, "[SEP]"], 1))


def test_where_it_is_read_aloud_and_pointed_at(explorer):
    for at, label in enumerate(LABELS, 2):
        explorer.click(explorer.view("text").locator(".body .token:not(.chip)").nth(at - 2))
        explorer.point_at((5, 5))
        sentence = f"{named(label, at)} is selected: the text shows what it looks at."
        assert explorer.page.get_by_role("status").text_content() == f"Layer 2, head 1. {sentence}"
        assert explorer.view("distribution").locator(".note").text_content().startswith(f"{named(label, at)}: ")
    explorer.point_at(explorer.cell(1, 2))
    assert explorer.tip()[1] == f"{named(LABELS[0], 2)} → {named(LABELS[1], 3)}"
    assert f"{named(LABELS[0], 2)} gives" in explorer.reading
    bars = explorer.view("text").locator(".bars .name").all_text_contents()
    assert set(bars) <= {named(label, at) for at, label in enumerate(["[CLS]", *LABELS, "[SEP]"], 1)}


def test_nothing_that_was_typed_becomes_an_element(explorer):
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


def test_a_long_word_stretches_nothing(explorer):
    assert explorer.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    explorer.click(explorer.token("long" * 75))
    assert explorer.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for view in explorer.views:
        box = explorer.view(view).bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 1600


def test_hidden_signs_can_still_be_clicked(opened):
    """A token of nothing but signs without a shape would leave nothing to point at."""
    explorer = opened(examples.explanation(examples.spaced("good \u200b\u200d film \u202e")))
    explorer.click(explorer.view("text").locator(".body .token:not(.chip)").nth(1))
    explorer.point_at((5, 5))
    assert explorer.reading == "\\u200b\u200d (3) is selected: the text shows what it looks at."
    explorer.click(explorer.view("text").locator(".body .token:not(.chip)").nth(3))
    explorer.point_at((5, 5))
    assert explorer.reading == "\\u202e (5) is selected: the text shows what it looks at."
