"""Comparing with a reference on the page: two texts, two heads, two models, as a difference; the history of texts."""

import re
from dataclasses import replace

import numpy as np
import pytest

from tests.explorer import examples
from tests.explorer.comparison_page import AFTER, BEFORE, MOVED, NEW, explanation
from tests.pictures import compare
from tests.rendering.examples import encoding
from tests.words import english, says
from viz_core.analysis import difference
from viz_core.explorer.packed_weights import pool

pytestmark = pytest.mark.browser


def test_without_a_reference_there_is_only_a_button(open_comparison):
    page = open_comparison()
    page.show(BEFORE)
    assert page.page.get_by_role("button", name=english("explorer.pin_help")).count() == 1
    assert not page.bar.is_visible() and not page.page.locator(".history").is_visible()
    assert not page.page.locator(".view .side-chip, .legend.difference, .marks-in-text").locator("visible=true").count()


def test_pinning_says_what_to_do_next_and_leaves_the_views_alone(open_comparison):
    page = open_comparison()
    page.show(BEFORE, {"head": "2.1"})
    texts = page.canvas_texts("heatmap")
    page.pin()
    assert says(page.bar.inner_text(), "explorer.comparison_same")
    assert page.canvas_texts("heatmap") == texts


def test_the_line_says_what_is_compared(difference_page):
    text = re.sub(r"\s+", " ", difference_page.bar.inner_text())
    assert (
        "Reference the film is dull but short small" in text
        and "Current the film is not short but dull small 2.1" in text
    )
    assert "Prediction: positive 80.0% → negative 70.0%" in text
    assert says(text, "explorer.comparison_note_difference")


def test_the_heat_map_shows_the_difference_of_the_server(difference_page):
    result = difference.compare(BEFORE, AFTER)
    expected = difference.attention_difference(result, 1, 0).weights
    common = result.pairs[:, 1].tolist()
    assert AFTER.encoding.tokens[NEW] == "not" and NEW not in common
    for row, column in [(1, 2), (MOVED, 1), (3, MOVED)]:
        difference_page.point_at(difference_page.cell(row, column))
        change, _, weights = difference_page.tip_of(difference_page.view("heatmap"))
        value = expected[common.index(row), common.index(column)]
        assert float(change.replace("−", "-")) == pytest.approx(value, abs=1e-4)
        before, after = map(float, weights.split(" → "))
        assert after == pytest.approx(AFTER.attention[1, 0, row, column], abs=1e-4)
        assert after - before == pytest.approx(value, abs=2e-4)
    difference_page.point_at(difference_page.cell(NEW, 1))
    assert difference_page.tip_of(difference_page.view("heatmap"))[2] == english("explorer.not_in_both")


def test_blue_is_more_and_orange_is_less(difference_page):
    canvas = difference_page.view("heatmap").locator("canvas").first
    expected = difference.attention_difference(difference.compare(BEFORE, AFTER), 1, 0).weights
    common = difference.compare(BEFORE, AFTER).pairs[:, 1]
    colour = """(canvas, [x, y]) => { const ratio = devicePixelRatio, pen = canvas.getContext("2d");
        return [...pen.getImageData(x * ratio, y * ratio, 1, 1).data].slice(0, 3); }"""
    box = canvas.bounding_box()

    def pixel(row, column):
        left, top = difference_page.cell(row, column)
        size = difference_page.map_box()["width"] / len(AFTER.encoding.tokens)
        corner = [left - box["x"] - size * 0.4, top - box["y"] - size * 0.4]  # beside the number
        return canvas.evaluate(colour, corner)

    most, least = (np.unravel_index(find(expected), expected.shape) for find in (np.argmax, np.argmin))
    red, _, blue = pixel(*common[list(most)].tolist())
    assert blue > red + 60
    red, _, blue = pixel(*common[list(least)].tolist())
    assert red > blue + 60
    red, green, blue = pixel(NEW, 2)
    assert max(red, green, blue) - min(red, green, blue) < 12, "grey: not in both texts"


def test_side_by_side_is_the_default_and_a_key_switches(open_comparison):
    page = open_comparison()
    page.show(explanation("the acting is superb"))
    page.pin()
    page.show(explanation("the acting is awful"))
    pressed = page.bar.get_by_role("button", pressed=True)
    assert pressed.inner_text() == "side by side" and page.reference("heatmap").is_visible()
    assert says(page.bar.inner_text(), "explorer.comparison_note_side")
    page.press("c")
    assert pressed.inner_text() == "difference" and not page.reference("heatmap").count()


def test_a_replaced_word_is_compared_under_both_names(open_comparison):
    page, before, after = open_comparison(), explanation("the acting is superb"), explanation("the acting is awful")
    after = replace(after, attention=after.attention[:, ::-1].copy())
    page.show(before, {"head": "2.1"})
    page.press("p", "c")
    page.show(after)
    page.point_at(page.cell(4, 1))
    change, names, weights = page.tip_of(page.view("heatmap"))
    assert names == "superb→awful (5) → the (2)"
    old, new = (each.attention[1, 0, 4, 1] for each in (before, after))
    assert float(change.replace("−", "-")) == pytest.approx(new - old, abs=1e-4)
    assert [float(weight) for weight in weights.split(" → ")] == pytest.approx([old, new], abs=1e-4)
    assert page.canvas_texts("heatmap").count("superb→awful") == 2, "the row and the column"
    names = page.view("distribution").locator("tbody .name").all_inner_texts()
    assert len(names) == 6 and "superb→awful (5)" in names
    text = page.view("text").locator(".body")
    assert text.locator("del").all_inner_texts() == ["superb"] and text.locator(".mark-in").all_inner_texts() == [
        "awful"
    ]
    assert not text.locator(".out").count(), "nothing is grey"
    page.press("c")
    page.point_at(page.cell(4, 1))
    assert page.tip_of(page.view("heatmap"))[1] == "awful (5) → the (2)"
    assert page.tip_of(page.reference("heatmap"))[1] == "superb (5) → the (2)"


def test_the_text_marks_what_only_one_side_has_and_what_moved(open_comparison):
    page = open_comparison()
    page.show(explanation("a good film it was"))
    page.press("p", "c")
    page.show(explanation("it was not a film"))
    text = page.view("text").locator(".body")
    assert text.locator(".mark-in").all_inner_texts() == ["not"]
    assert text.locator("del").all_inner_texts() == ["good"]
    assert text.locator(".mark-moved").all_inner_texts() in (["it", "was"], ["a", "film"])
    legend = page.view("text").locator(".marks-in-text span:visible").all_inner_texts()
    assert legend == ["only here", "only in the reference", "moved"]


def test_every_head_has_its_mean_absolute_difference(difference_page):
    expected = difference.mean_absolute_difference(difference.compare(BEFORE, AFTER))
    stated = re.escape(english("explorer.head_change", mean="MEAN")).replace("MEAN", r"([\d.]+)")
    for layer in range(2):
        for head in range(4):
            name = difference_page.head(layer + 1, head + 1).get_attribute("aria-label")
            mean = float(re.search(stated, name)[1])
            assert mean == pytest.approx(expected[layer, head], abs=1e-4)


def test_the_distribution_lists_the_largest_changes(difference_page):
    changes = [
        abs(float(row.locator("td.weight").inner_text().strip().replace("−", "-")))
        for row in difference_page.view("distribution").locator("tbody tr").all()
    ]
    assert changes == sorted(changes, reverse=True) and len(changes) == len(AFTER.encoding.tokens) - 1


def test_links_are_blue_or_orange(difference_page):
    assert difference_page.view("links").locator(".hues button").all_inner_texts() == ["more", "less"]


def test_the_head_follows_and_can_be_another(difference_page):
    difference_page.click(difference_page.head(1, 3))
    head = difference_page.bar.get_by_role("combobox", name="head")
    assert head.locator("option:checked").inner_text() == "1.3 (follows current)"
    head.select_option("2.4")
    difference_page.frame()
    difference_page.point_at(difference_page.cell(1, 2))
    _, _, weights = difference_page.tip_of(difference_page.view("heatmap"))
    before, after = map(float, weights.split(" → "))
    assert before == pytest.approx(BEFORE.attention[1, 3, 1, 2], abs=1e-4)
    assert after == pytest.approx(AFTER.attention[0, 2, 1, 2], abs=1e-4)


def test_two_heads_of_the_same_text(open_comparison):
    page = open_comparison()
    page.show(BEFORE, {"head": "2.1"})
    page.press("p", "c")
    page.click(page.head(2, 3))
    page.point_at(page.cell(2, 4))
    change = page.tip_of(page.view("heatmap"))[0]
    value = BEFORE.attention[1, 2, 2, 4] - BEFORE.attention[1, 0, 2, 4]
    assert float(change.replace("−", "-")) == pytest.approx(value, abs=1e-4)
    assert english("explorer.head_change", mean="0.0000") in page.head(2, 1).get_attribute("aria-label")


def test_ending_the_comparison_restores_the_views(difference_page):
    difference_page.press("P")
    assert not difference_page.bar.is_visible() and not difference_page.page.locator(".body :is(del, .mark-in)").count()
    difference_page.point_at(difference_page.cell(1, 2))
    assert difference_page.tip()[0] == f"{AFTER.attention[1, 0, 1, 2]:.4f}"
    difference_page.press("p")
    difference_page.click(difference_page.bar.get_by_role("button", name="End the comparison"))
    assert not difference_page.bar.is_visible()


def test_earlier_texts_can_be_shown_again_or_become_the_reference(open_comparison):
    page = open_comparison()
    long = explanation("word " * 20 + "end")
    for shown in (BEFORE, long, AFTER):
        page.show(shown)
    menu = page.page.locator(".history")
    page.click(menu.locator("summary"))
    texts = menu.locator("li .text").all_inner_texts()
    assert texts[0] == "the film is not short but dull" and texts[2] == "the film is dull but short"
    assert len(texts[1]) == 40 and texts[1].endswith("…")
    assert [text.split() for text in menu.locator("li .prediction").all_inner_texts()][0] == ["negative", "70.0%"]
    page.click(menu.get_by_role("button", name=english("explorer.history_reference")).nth(2))
    assert "Prediction: positive 80.0% → negative 70.0%" in page.bar.inner_text()
    page.click(menu.locator("summary"))
    page.click(menu.locator("li .text").nth(2))
    assert page.canvas_texts("heatmap").count("not") == 0, "BEFORE is shown"
    page.click(menu.locator("summary"))
    assert menu.locator("li .text").all_text_contents()[0] == "the film is dull but short"


def test_screen_readers_hear_that_a_reference_is_pinned_and_dropped(open_comparison):
    page = open_comparison()
    page.show(BEFORE)
    spoken = page.page.locator(".comparison + [role=status]")
    assert spoken.text_content() == ""
    page.press("p")
    assert spoken.text_content() == english(
        "explorer.comparison_pinned", text="the film is dull but short", model="small"
    )
    page.press("P")
    assert spoken.text_content() == english("explorer.comparison_ended")


def test_long_texts_of_two_models_are_compared_block_by_block(open_comparison):
    """150 tokens are 50 blocks of 3; what differs is the largest weight of a block."""
    page, small = open_comparison(), examples.of_length(150, layers=1, heads=4)
    wide = replace(small, model="wide", attention=small.attention[:, ::-1].copy())
    page.show(small, fetch=True)
    page.press("p", "c")
    page.show(wide, fetch=True)
    page.page.wait_for_selector(".overview .legend.difference:visible")
    note = page.view("overview").locator(".note").inner_text()
    assert says(note, "explorer.overview_note_change_pooled")
    thumbnails, peaks = pool(small.attention)
    largest = (thumbnails / 255) ** 2 * peaks[..., None, None]
    for head in range(4):
        expected = np.abs(largest[0, 3 - head] - largest[0, head]).mean()
        title = page.head(1, head + 1).get_attribute("title")
        assert english("explorer.head_change", mean=f"{expected:.4f}") in title


def test_weights_of_the_reference_are_fetched_once(open_comparison):
    page = open_comparison()
    page.show(examples.of_length(160, layers=1, heads=4), fetch=True)
    page.press("p", "c")
    page.show(examples.of_length(150, layers=1, heads=4), fetch=True)
    page.click(page.head(1, 3))
    page.page.wait_for_selector(".explorer[data-exact=true] .legend.difference:visible")
    page.show(examples.of_length(140, layers=1, heads=4), fetch=True)
    page.page.wait_for_selector(".heatmap .legend.difference:visible")
    of_reference = [request for request in page.requests if request["number"] == 0]
    assert [request["heads"] for request in of_reference] == [[[0, 2]]]


@pytest.mark.parametrize(
    ("language", "mode", "width", "keys"),
    [
        ("en", "light", 1280, "c"),
        pytest.param("zh", "dark", 1280, "", marks=pytest.mark.slow),
        pytest.param("en", "dark", 390, "", marks=pytest.mark.slow),
    ],
)
def test_pictures(open_comparison, language, mode, width, keys):
    """Both themes and languages; a difference and side by side; on a telephone."""
    page = open_comparison(language, mode, width)
    shown = [
        encoding("The plot is thin, but the acting is superb."),
        encoding("The plot is dull, but the superb acting is new."),
    ]
    for number, each in enumerate(shown):
        made = examples.explanation(each, layers=2, heads=4)
        page.show(replace(made, probabilities=np.array([[0.2, 0.8], [0.7, 0.3]][number])), {"head": "2.1"})
        if number == 0:
            page.press("p", *keys)
    page.page.mouse.move(0, 0)
    shot = page.page.locator(".explorer").screenshot(animations="disabled")
    compare(shot, f"explorer_compared_{language}_{mode}_{width}")
