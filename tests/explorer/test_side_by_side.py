"""Comparing with a reference side by side: one scale, the same token on both sides, heads and models of their own."""

import re

import pytest

from tests.explorer import examples
from tests.explorer.comparison_page import AFTER, BEFORE, MOVED, NEW, explanation
from tests.words import english

pytestmark = pytest.mark.browser


@pytest.fixture
def beside(difference_page):
    """The same side by side."""
    difference_page.click(difference_page.bar.get_by_role("button", name="side by side"))
    return difference_page


def test_both_sides_stand_on_one_scale(beside):
    ends = [
        view("heatmap").locator(".legend:visible .marks span").last.inner_text()
        for view in (beside.view, beside.reference)
    ]
    assert ends == ["1", "1"]
    beside.open_settings()
    beside.page.get_by_label(english("explorer.limit")).select_option("own")
    beside.frame()
    largest = max(map_.attention[1, 0].max() for map_ in (BEFORE, AFTER))
    ends = [
        view("heatmap").locator(".legend:visible .marks span").last.inner_text()
        for view in (beside.view, beside.reference)
    ]
    assert ends[0] == ends[1] and float(ends[0]) == pytest.approx(largest, abs=0.005)
    assert beside.reference("heatmap").locator("h3 .side-chip").inner_text() == "Reference"


def test_pointing_in_one_side_marks_the_same_token_in_the_other(beside):
    tokens = len(BEFORE.encoding.tokens)
    old = BEFORE.encoding.tokens.index("short")
    beside.point_at(beside.cell(MOVED, 1))
    weight, names = beside.tip_of(beside.reference("heatmap"))
    assert names == f"short ({old + 1}) → the (2)"
    assert float(weight) == pytest.approx(BEFORE.attention[1, 0, old, 1], abs=1e-4)
    beside.point_at(beside.cell_of_reference(old, 2, tokens))
    assert beside.tip_of(beside.view("heatmap"))[1] == f"short ({MOVED + 1}) → film (3)"
    beside.point_at(beside.cell(NEW, 1))
    assert beside.tip_of(beside.view("heatmap")) and not beside.tip_of(beside.reference("heatmap"))


def test_selecting_in_one_side_selects_in_the_other(beside):
    beside.click(beside.reference("text").locator(".body .token", has_text="dull"))
    query = AFTER.encoding.tokens.index("dull")
    assert beside.page.evaluate("selection().query") == query
    assert beside.view("text").locator(".body .token.query").inner_text() == "dull"
    beside.click(beside.view("text").locator(".body .token", has_text="not"))
    assert beside.reference("text").locator(".body .token.query").count() == 0


def test_a_token_of_the_reference_alone_is_selected_there(open_comparison):
    page = open_comparison()
    page.show(AFTER)
    page.press("p")
    page.show(BEFORE)
    page.click(page.reference("text").locator(".body .token", has_text="not"))
    assert page.reference("text").locator(".body .token.query").inner_text() == "not"
    assert page.page.evaluate("selection().query") is None


def test_the_reference_has_heads_of_its_own_side_by_side(beside):
    beside.click(beside.reference("overview").get_by_role("button", name=re.compile(r"Layer 1, head 2\.")))
    assert beside.page.evaluate("selection().referenceHeads") == [[0, 1]]
    assert beside.page.evaluate("selection().heads") == [[1, 0]]


def test_another_model_is_shown_side_by_side_with_its_nearest_head(open_comparison):
    page = open_comparison()
    page.show(explanation("the film is dull", model="wide", layers=1, heads=2))
    page.pin()
    page.show(explanation("the film is dull"), {"head": "2.4"})
    page.click(page.head(2, 4))
    assert page.reference("heatmap").is_visible()
    head = page.bar.get_by_role("combobox", name="head")
    assert head.locator("option:checked").inner_text() == "1.2 (follows current)"
    page.press("c")
    assert not page.reference("heatmap").count() and "difference" in page.bar.inner_text()
    assert "small" in page.bar.inner_text() and "wide" in page.bar.inner_text()


def test_the_next_text_keeps_the_reference_and_the_mode(beside):
    beside.show(explanation("the film is short"))
    assert beside.reference("text").locator(".body").inner_text().startswith("[CLS]")
    assert "the film is dull but short" in beside.bar.inner_text()


@pytest.mark.parametrize("view", ["heatmap", "links"])
def test_views_take_the_width_of_their_side(difference_page, view):
    difference_page.press("c")
    widths = difference_page.page.evaluate(
        """(view) => [...document.querySelectorAll(`.view.${view}`)].map((section) => [
          section.clientWidth, section.querySelector("canvas").getBoundingClientRect().width])""",
        view,
    )
    (here, there), drawn = [side for side, _ in widths], [width for _, width in widths]
    assert here == there and max(drawn) <= here + 1 and drawn[0] == pytest.approx(drawn[1], abs=2)


def test_after_a_swap_what_the_block_of_the_other_side_does_not_hold_is_marked_on_one_side_only(open_comparison):
    page = open_comparison()
    texts = "pay it back", "return the money"
    page.show(examples.explanation(examples.encode_by_spaces(*texts)), {"head": "2.1", "block": "ab"})
    page.pin()
    page.show(examples.explanation(examples.encode_by_spaces(*reversed(texts))))
    size = page.map_box()["width"] / 4  # columns: B and its [SEP]
    for row, column, names in [(0, 0, "[CLS] (1) → pay (6)"), (1, 3, "return (2) → [SEP] (9)")]:
        page.point_at(page.cell(row, column, size))
        assert page.tip_of(page.view("heatmap"))[1] == names
        assert not page.tip_of(page.reference("heatmap"))
