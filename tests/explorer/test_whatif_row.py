"""What-if: editing a row of attention."""

import pytest

from tests.explorer import examples

pytestmark = pytest.mark.browser

REVIEW = examples.review()  # 2 layers of 4 heads, 15 tokens: [CLS] the plot is not good but i loved it … [SEP]


def test_a_dragged_bar_rescales_the_others_proportionally(open_whatif):
    whatif = open_whatif()
    before = whatif.weights
    whatif.drag(1, 0.2, 0.9, 0.5)
    after = whatif.weights
    assert after[0] == pytest.approx(0.5, abs=0.01) and sum(after) == pytest.approx(1, abs=0.01)
    assert after[4] == pytest.approx(before[4] * 0.5 / (1 - before[0]), abs=0.005)
    ((layer, head, query, weights),) = whatif.server.requests[-1]["rows"]
    assert (layer, head, query) == (0, 0, 0) and sum(weights) == pytest.approx(1, abs=1e-4)
    assert whatif.headline == "positive 80.0% → 85.0% (+5.0 points)"
    assert whatif.summary == "Changed: edited row 1.1 [CLS] (1)"


def test_a_drag_is_one_undo_step_and_so_are_key_presses_on_a_bar(open_whatif):
    whatif = open_whatif()
    before = whatif.weights
    whatif.drag(1, 0.2, 0.9, 0.5)
    whatif.press("ArrowRight", "ArrowRight", "Shift+ArrowRight")
    assert whatif.weights[0] == pytest.approx(0.62, abs=0.01)
    whatif.press("Control+z")
    assert whatif.weights[0] == pytest.approx(0.5, abs=0.01)
    whatif.press("Control+z")
    assert whatif.weights == before
    whatif.press("Control+y", "Control+Shift+Z")
    assert whatif.weights[0] == pytest.approx(0.62, abs=0.01)


def test_dragging_to_the_end_and_back_keeps_the_proportions(open_whatif):
    whatif = open_whatif()
    before = whatif.weights
    whatif.drag(1, 1.2, before[0])
    assert whatif.weights == pytest.approx(before, abs=0.01)
    whatif.press("End")
    assert whatif.weights[0] == 1 and sum(whatif.weights) == 1
    whatif.press("Home")
    assert whatif.weights[0] == 0 and sum(whatif.weights) == pytest.approx(1, abs=0.01)


def test_a_bar_is_dragged_by_touch(open_whatif):
    whatif = open_whatif(has_touch=True)
    whatif.bar(2).scroll_into_view_if_needed()
    box, touch = whatif.bar(2).locator(".track").bounding_box(), whatif.page.context.new_cdp_session(whatif.page)
    at = {"x": box["x"] + 4, "y": box["y"] + 8}
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [at]})
    for share in (0.2, 0.4, 0.6):
        touch.send(
            "Input.dispatchTouchEvent",
            {"type": "touchMove", "touchPoints": [at | {"x": box["x"] + share * box["width"]}]},
        )
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    whatif.wait_until_idle()
    assert whatif.weights[1] == pytest.approx(0.6, abs=0.02)


def test_the_original_row_is_restored(open_whatif):
    whatif = open_whatif()
    before = whatif.weights
    whatif.drag(2, 0.7)
    whatif.click(whatif.page.get_by_role("button", name="Restore the model"))
    assert whatif.weights == before and whatif.server.requests[-1]["rows"] == []


def test_each_head_and_query_has_its_own_row(open_whatif):
    whatif = open_whatif()
    whatif.drag(2, 0.7)
    whatif.part("row").locator("select").first.select_option("2.3")
    whatif.query.select_option("good (6)")
    whatif.wait_until_idle()
    row = REVIEW.attention[1, 2, 5]
    assert whatif.server.requests[-1]["row"] == [1, 2, 5] and whatif.weights == pytest.approx(row.tolist(), abs=0.002)
    assert len(whatif.server.requests[-1]["rows"]) == 1, "the other row stays edited"


def test_the_note_says_that_the_row_of_a_masked_head_has_no_effect(open_whatif):
    whatif = open_whatif()
    whatif.click(whatif.head(1, 1))
    assert whatif.part("row").locator(".note").inner_text() == "Head 1.1 is masked: this row has no effect."


def test_of_512_tokens_the_strongest_are_shown_and_others_can_be_searched(open_whatif):
    whatif = open_whatif(examples.of_length(512))
    assert len(whatif.weights) == 20 and whatif.weights == sorted(whatif.weights, reverse=True)
    assert "20 of 512 tokens are shown" in whatif.part("row").locator(".note").inner_text()
    whatif.page.get_by_label("Find a token").fill("wonder")
    whatif.wait_until_idle()
    names = whatif.page.locator(".bar .name").all_inner_texts()
    assert len(names) == 20 and all(name.startswith("wonderful") for name in names)
    whatif.drag(1, 0.5)
    assert whatif.weights[0] == pytest.approx(0.5, abs=0.01), "a bar stays where it is"
    whatif.page.get_by_label("Find a token").fill("zzz")
    whatif.wait_until_idle()
    assert whatif.page.get_by_text("No token contains “zzz”.").is_visible()
    assert whatif.page.locator(".tokens .box").evaluate("(box) => box.scrollHeight > box.clientHeight")
