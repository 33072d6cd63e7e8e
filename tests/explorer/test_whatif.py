"""What-if in a page: what is changed by pointer and keys is asked for, shown, and can be taken back."""

from __future__ import annotations

import pytest

from tests.explorer import examples
from tests.explorer.whatif_page import Server, WhatIfPage
from viz_core.rendering.labels import printable
from viz_core.rendering.theme import theme

pytestmark = pytest.mark.browser

REVIEW = examples.review()  # 2 layers of 4 heads, 14 tokens: [CLS] the plot is not good but i loved it … [SEP]


@pytest.fixture
def opened(browser):
    """Opens what-if of an explanation; at its end nothing may have gone problems."""
    problems, contexts = [], []

    def open_(given=REVIEW, language="en", mode="light", projector=False, **context) -> WhatIfPage:
        contexts.append(browser.new_context(offline=True, **{"viewport": {"width": 1280, "height": 1000}, **context}))
        page, look = contexts[-1].new_page(), theme(mode, projector)
        page.set_default_timeout(20_000)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("dialog", lambda dialog: (problems.append(dialog.message), dialog.dismiss()))
        server = Server(given, look.background)
        page.route("**/*", server)
        return WhatIfPage(page, server).show(language, look)

    yield open_
    for context in contexts:
        context.close()
    assert problems == []


class TestHeads:
    def test_a_click_masks_the_next_levels_the_next_puts_back(self, opened):
        whatif = opened()
        assert whatif.headline == "positive 80.0% → 80.0% (±0.0 points)" and whatif.summary == "Nothing is changed yet."
        whatif.click(whatif.head(1, 2))
        assert whatif.headline == "positive 80.0% → 60.0% (−20.0 points)" and whatif.summary == "Changed: masked 1.2"
        assert whatif.server.requests[-1]["masked"] == [[0, 1]]
        whatif.click(whatif.head(1, 2))
        assert whatif.headline == "positive 80.0% → 70.0% (−10.0 points)" and whatif.summary == "Changed: uniform 1.2"
        whatif.click(whatif.head(1, 2))
        assert whatif.headline == "positive 80.0% → 80.0% (±0.0 points)" and whatif.summary == "Nothing is changed yet."

    def test_a_layer_is_masked_and_put_back_as_a_whole(self, opened):
        whatif = opened()
        whatif.click(whatif.head(2, 1), times=2)
        layer = whatif.page.get_by_role("button", name="Mask all heads of layer 2")
        whatif.click(layer)
        assert whatif.server.requests[-1]["masked"] == [[1, 0], [1, 1], [1, 2], [1, 3]]
        assert whatif.flip == "The answer flips: “positive” → “negative”."
        whatif.click(layer)
        assert whatif.server.requests[-1]["masked"] == [] and whatif.flip == "The answer stays “positive”."

    def test_the_colour_says_what_masking_a_head_alone_would_do(self, opened):
        whatif = opened()
        squares = whatif.page.locator(".square")
        assert squares.locator(".figure").all_inner_texts() == ["−20", "−16", "−11", "−7", "−3", "+1", "+6", "+10"]
        worst = squares.first
        assert worst.evaluate("(one) => getComputedStyle(one).backgroundColor") == "rgb(127, 18, 76)"
        assert (
            worst.get_attribute("aria-label")
            == "Layer 1, head 1: on. Masked alone, it moves “positive” by −20.0 points."
        )
        assert whatif.page.locator(".legend .marks span").all_inner_texts() == ["−20.0", "0", "+20.0"]

    def test_random_heads_are_asked_for_at_rest_and_shown_beside(self, opened):
        whatif = opened()
        assert "compared with random heads" in whatif.control and not whatif.server.requests[-1]["control"]
        whatif.click(whatif.head(1, 1))
        assert [request["control"] for question in whatif.server.requests[1:]] == [False, True]
        assert whatif.control.startswith(
            "Changing this head moves “positive” by −20.0 points. The same done to one "
            "random head: −5.0 ± 4.0 points on average (20 tries, from −12.0 to +2.0)."
        )
        assert whatif.control.endswith("outside their range: more than chance.")
        track, band = (whatif.page.locator(f".track.random{part}").bounding_box() for part in ("", " .band"))
        assert band["x"] - track["x"] == pytest.approx(0.68 * track["width"], abs=2)
        assert band["width"] == pytest.approx(0.14 * track["width"], abs=2)
        whatif.click(whatif.head(1, 1))
        assert "within their range" in whatif.control
        whatif.click(whatif.chip(2))
        assert whatif.control.endswith("Everything else that is changed stayed as it is.")


class TestTokens:
    def test_a_click_removes_replaces_blocks_and_puts_back(self, opened):
        whatif = opened()
        for name, said in (
            ("removed", "removed The (2)"),
            ("unknown", "[UNK] for The (2)"),
            ("blocked", "blocked The (2)"),
        ):
            whatif.click(whatif.chip(2))
            assert whatif.requested_tokens == {name: [1]}
            assert whatif.summary == f"Changed: {said}"
        whatif.click(whatif.chip(2))
        assert whatif.summary == "Nothing is changed yet."

    def test_special_tokens_can_only_be_blocked(self, opened):
        whatif = opened()
        whatif.click(whatif.chip(1))
        assert whatif.server.requests[-1]["blocked"] == [0]
        assert whatif.chip(1).get_attribute("aria-label").startswith("[CLS] (1): blocked")
        whatif.click(whatif.chip(1))
        assert whatif.summary == "Nothing is changed yet."

    def test_what_is_removed_or_blocked_has_no_bar_to_drag(self, opened):
        whatif = opened()
        whatif.click(whatif.chip(3))
        assert whatif.weights[2] == 0 and sum(whatif.weights) == pytest.approx(1, abs=0.01)
        asked = len(whatif.server.requests)
        whatif.drag(3, 0.5)
        assert whatif.weights[2] == 0 and len(whatif.server.requests) == asked

    def test_a_removed_query_looks_at_nothing(self, opened):
        whatif = opened()
        whatif.page.get_by_label("query", exact=True).select_option("2")
        whatif.click(whatif.chip(3))
        assert "is removed: where it looks counts for nothing" in whatif.part("row").locator(".note").inner_text()


class TestDeletion:
    def test_a_removed_token_is_masked_in_place_unless_it_is_to_be_deleted(self, opened):
        whatif = opened()
        whatif.click(whatif.chip(2))
        assert whatif.headline == "positive 80.0% → 85.0% (+5.0 points)" and whatif.requested_tokens == {"removed": [1]}
        whatif.click(whatif.deletion)
        assert whatif.headline == "positive 80.0% → 90.0% (+10.0 points)" and whatif.requested_tokens == {
            "deleted": [1]
        }
        assert whatif.summary == "Changed: deleted The (2)"
        assert whatif.chip(2).get_attribute("aria-label") == "The (2): deleted: the others move up"
        whatif.click(whatif.chip(3))
        assert whatif.requested_tokens == {"deleted": [1, 2]}, "it holds for all that are removed"
        whatif.click(whatif.deletion)
        assert whatif.requested_tokens == {"removed": [1, 2]} and whatif.summary.startswith(
            "Changed: removed The (2), "
        )

    def test_it_changes_nothing_else(self, opened):
        whatif = opened()
        whatif.click(whatif.chip(2))
        whatif.click(whatif.chip(3), times=2)
        whatif.click(whatif.chip(4), times=3)
        whatif.click(whatif.deletion)
        assert whatif.requested_tokens == {"deleted": [1], "unknown": [2], "blocked": [3]}

    def test_the_row_keeps_its_places(self, opened):
        whatif = opened()
        whatif.click(whatif.chip(3))
        masked = whatif.weights
        whatif.click(whatif.deletion)
        assert whatif.weights == masked and masked[2] == 0 and sum(masked) == pytest.approx(1, abs=0.01)
        whatif.drag(4, 0.5)
        ((*_, weights),) = whatif.server.requests[-1]["rows"]
        assert len(weights) == len(masked) and weights[2] == 0 and weights[3] == pytest.approx(0.5, abs=0.01)

    def test_it_is_disabled_while_no_token_is_removed_and_does_not_move(self, opened):
        whatif = opened()
        asked, place = len(whatif.server.requests), whatif.deletion.bounding_box()
        assert whatif.deletion.get_attribute("aria-disabled") == "true"
        whatif.deletion.dispatch_event("click")
        whatif.wait_until_idle()
        assert whatif.deletion.get_attribute("aria-checked") == "false" and len(whatif.server.requests) == asked
        whatif.click(whatif.chip(2))
        assert whatif.deletion.get_attribute("aria-disabled") == "false" and whatif.deletion.bounding_box() == place

    def test_it_stays_for_the_next_token_that_is_removed(self, opened):
        whatif = opened()
        whatif.click(whatif.chip(2))
        whatif.click(whatif.deletion)
        whatif.click(whatif.chip(2), times=3)
        assert whatif.summary == "Nothing is changed yet." and whatif.headline.endswith("(±0.0 points)")
        assert whatif.deletion.get_attribute("aria-checked") == "true"
        whatif.click(whatif.chip(4))
        assert whatif.requested_tokens == {"deleted": [3]}

    def test_it_is_undone_and_reset_like_all_else(self, opened):
        whatif = opened()
        whatif.click(whatif.chip(2))
        whatif.click(whatif.deletion)
        whatif.press("Control+z")
        assert whatif.summary == "Changed: removed The (2)" and whatif.deletion.get_attribute("aria-checked") == "false"
        whatif.press("Control+y")
        assert whatif.summary == "Changed: deleted The (2)"
        whatif.click(whatif.page.get_by_role("button", name="Put everything back"))
        assert whatif.deletion.get_attribute("aria-checked") == "false" and whatif.requested_tokens == {}
        whatif.click(whatif.chip(2))
        assert whatif.requested_tokens == {"removed": [1]}

    def test_it_is_one_stop_of_the_tab_key_and_space_and_enter_switch_it(self, opened):
        whatif = opened()
        whatif.chip(2).focus()
        whatif.press("Enter", "Shift+Tab")
        assert whatif.deletion.evaluate("(one) => one === document.activeElement")
        whatif.press(" ")
        assert whatif.deletion.get_attribute("aria-checked") == "true" and whatif.requested_tokens == {"deleted": [1]}
        whatif.press("Enter")
        assert whatif.deletion.get_attribute("aria-checked") == "false" and whatif.requested_tokens == {"removed": [1]}
        whatif.press("Control+z", "Control+z", "Control+z")
        assert whatif.summary == "Nothing is changed yet."
        assert whatif.deletion.evaluate("(one) => one === document.activeElement"), "disabled, it keeps the focus"

    def test_it_outlives_leaving_and_another_language(self, opened):
        whatif = opened()
        whatif.click(whatif.chip(2))
        whatif.click(whatif.deletion)
        whatif.page.evaluate("unmount()")
        whatif.show()
        assert whatif.deletion.get_attribute("aria-checked") == "true" and "90.0%" in whatif.headline
        whatif.show("zh")
        assert whatif.summary == "改动：删除 The (2)" and whatif.deletion.get_attribute("aria-checked") == "true"

    @pytest.mark.parametrize(
        ("language", "name", "differs"),
        [
            ("en", "Delete removed tokens: the others move up", "positions"),
            ("zh", "移除即删除，后面的词元前移", "位置"),
        ],
    )
    def test_it_says_what_it_does_and_what_differs(self, opened, language, name, differs):
        whatif = opened(language=language)
        switch = whatif.page.get_by_role("switch", name=name, exact=True)
        assert switch.count() == 1 and switch.get_attribute("title").count(differs) == 2


class TestTheRow:
    def test_a_dragged_bar_takes_from_the_others_in_their_proportions(self, opened):
        whatif = opened()
        before = whatif.weights
        whatif.drag(1, 0.2, 0.9, 0.5)
        after = whatif.weights
        assert after[0] == pytest.approx(0.5, abs=0.01) and sum(after) == pytest.approx(1, abs=0.01)
        assert after[4] == pytest.approx(before[4] * 0.5 / (1 - before[0]), abs=0.005)
        ((layer, head, query, weights),) = whatif.server.requests[-1]["rows"]
        assert (layer, head, query) == (0, 0, 0) and sum(weights) == pytest.approx(1, abs=1e-4)
        assert whatif.headline == "positive 80.0% → 85.0% (+5.0 points)"
        assert whatif.summary == "Changed: edited row 1.1 [CLS] (1)"

    def test_a_drag_is_one_step_back_and_so_are_keys_on_one_bar(self, opened):
        whatif = opened()
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

    def test_to_the_end_and_back_keeps_the_proportions(self, opened):
        whatif = opened()
        before = whatif.weights
        whatif.drag(1, 1.2, before[0])
        assert whatif.weights == pytest.approx(before, abs=0.01)
        whatif.press("End")
        assert whatif.weights[0] == 1 and sum(whatif.weights) == 1
        whatif.press("Home")
        assert whatif.weights[0] == 0 and sum(whatif.weights) == pytest.approx(1, abs=0.01)

    def test_a_finger_drags_too(self, opened):
        whatif = opened(has_touch=True)
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

    def test_the_models_own_row_comes_back(self, opened):
        whatif = opened()
        before = whatif.weights
        whatif.drag(2, 0.7)
        whatif.click(whatif.page.get_by_role("button", name="Let the model decide again"))
        assert whatif.weights == before and whatif.server.requests[-1]["rows"] == []

    def test_another_head_and_query_have_a_row_of_their_own(self, opened):
        whatif = opened()
        whatif.drag(2, 0.7)
        whatif.part("row").locator("select").first.select_option("2.3")
        whatif.page.get_by_label("query", exact=True).select_option("good (6)")
        whatif.wait_until_idle()
        row = REVIEW.attention[1, 2, 5]
        assert whatif.server.requests[-1]["row"] == [1, 2, 5] and whatif.weights == pytest.approx(
            row.tolist(), abs=0.002
        )
        assert len(whatif.server.requests[-1]["rows"]) == 1, "the other row stays edited"

    def test_of_a_masked_head_it_is_said_that_it_counts_for_nothing(self, opened):
        whatif = opened()
        whatif.click(whatif.head(1, 1))
        assert (
            whatif.part("row").locator(".note").inner_text() == "Head 1.1 is masked: where it looks counts for nothing."
        )

    def test_of_512_tokens_the_strongest_are_shown_and_others_are_found(self, opened):
        whatif = opened(examples.of_length(512))
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


class TestTheServer:
    def test_is_asked_one_thing_at_a_time_and_then_the_newest(self, opened):
        whatif = opened()
        asked, whatif.server.should_hold = len(whatif.server.requests), lambda request: True
        for head in range(1, 5):
            whatif.head(1, head).click()
        whatif.page.wait_for_timeout(300)
        assert len(whatif.server.requests) == asked + 1
        whatif.server.release()
        whatif.page.wait_for_timeout(300)
        assert [len(one["masked"]) for one in whatif.server.requests[asked:]] == [1, 4], "what lay between is not asked"
        whatif.server.should_hold = lambda request: False
        whatif.server.release()
        whatif.wait_until_idle()
        assert whatif.headline == "positive 80.0% → 0.1% (−79.9 points)"

    def test_is_not_waited_for_where_it_compares_and_something_new_is_wanted(self, opened):
        whatif = opened()
        whatif.server.should_hold = lambda request: request["control"] and len(request["masked"]) == 1
        with whatif.page.expect_request(lambda request: '"control":true' in (request.post_data or "")):
            whatif.head(1, 1).click()
        whatif.head(1, 2).click()
        whatif.wait_until_idle()
        assert whatif.headline == "positive 80.0% → 40.0% (−40.0 points)" and "these 2 heads" in whatif.control

    def test_may_refuse_in_words(self, opened):
        whatif = opened()
        whatif.server.refusal = "At least one token must stay."
        whatif.click(whatif.chip(2))
        assert whatif.page.get_by_role("alert").inner_text() == "At least one token must stay."
        whatif.server.refusal = ""
        whatif.click(whatif.page.get_by_role("button", name="Undo"))
        assert not whatif.page.get_by_role("alert").is_visible() and whatif.headline.endswith("(±0.0 points)")

    def test_may_be_gone_and_is_asked_again(self, opened):
        whatif = opened()
        whatif.server.offline = True
        whatif.click(whatif.head(1, 1))
        assert "did not respond" in whatif.page.get_by_role("alert").inner_text()
        whatif.server.offline = False
        whatif.click(whatif.page.get_by_role("button", name="Try again"))
        assert (
            whatif.headline == "positive 80.0% → 60.0% (−20.0 points)"
            and not whatif.page.get_by_role("alert").is_visible()
        )


class TestThePageAround:
    def test_running_again_changes_nothing(self, opened):
        whatif = opened()
        whatif.click(whatif.head(1, 1))
        asked, element = len(whatif.server.requests), whatif.part("heads").element_handle()
        whatif.show()
        assert len(whatif.server.requests) == asked and element.evaluate("(one) => one.isConnected")

    def test_another_language_keeps_what_is_changed_and_the_way_back(self, opened):
        whatif = opened()
        whatif.click(whatif.head(1, 1))
        whatif.click(whatif.chip(3))
        whatif.show("zh")
        assert whatif.headline == "正面 80.0% → 65.0% (−15.0 个百分点)"
        assert whatif.summary.startswith("改动：屏蔽（置零）1.1 · 移除")
        assert whatif.page.locator(".whatif").get_attribute("lang") == "zh"
        whatif.click(whatif.page.get_by_role("button", name="撤销"), times=2)
        assert whatif.summary == "还没有改动。"

    def test_leaving_and_coming_back_keeps_it_too_but_another_input_starts_anew(self, opened):
        whatif = opened()
        whatif.click(whatif.head(1, 1))
        whatif.page.evaluate("unmount()")
        whatif.show(given=examples.pair())
        assert whatif.summary == "Nothing is changed yet."
        whatif.show(given=REVIEW)
        assert whatif.summary == "Changed: masked 1.1" and "60.0%" in whatif.headline


class TestKeys:
    def test_the_tab_key_stops_once_in_each_part(self, opened):
        whatif = opened()
        whatif.head(1, 1).focus()
        whatif.press("ArrowRight", "ArrowDown", "Enter")
        assert whatif.summary == "Changed: masked 2.2"
        whatif.press("ArrowLeft", "ArrowLeft", " ")
        assert whatif.summary == "Changed: masked 2.1, 2.2, 2.3, 2.4"
        whatif.press("Tab", "Tab", "ArrowRight", " ")
        assert "removed" in whatif.summary
        whatif.press("Tab", "Tab")
        assert whatif.page.evaluate("document.activeElement.tagName") == "SELECT"

    def test_keys_of_the_page_around_are_not_pressed(self, opened):
        whatif = opened()
        whatif.page.evaluate("globalThis.heard = []; addEventListener('keydown', (event) => heard.push(event.key))")
        whatif.head(1, 1).focus()
        whatif.press("r", "c", "Control+z")
        assert [key for key in whatif.page.evaluate("heard") if key != "Control"] == []

    def test_the_answer_is_read_aloud_at_rest(self, opened):
        whatif = opened()
        whatif.click(whatif.head(1, 1))
        spoken = whatif.page.get_by_role("status").text_content()
        assert spoken.startswith("positive 80.0% → 60.0% (−20.0 points). The answer stays “positive”. Changing")

    def test_what_cannot_be_undone_is_said_to_be_disabled(self, opened):
        whatif = opened()
        buttons = {
            name: whatif.page.get_by_role("button", name=name) for name in ("Undo", "Redo", "Put everything back")
        }
        assert [one.get_attribute("aria-disabled") for one in buttons.values()] == ["true"] * 3
        whatif.click(whatif.head(1, 1))
        whatif.click(whatif.chip(2))
        whatif.click(buttons["Undo"])
        assert [one.get_attribute("aria-disabled") for one in buttons.values()] == ["false"] * 3
        whatif.click(buttons["Put everything back"])
        assert whatif.summary == "Nothing is changed yet."
        whatif.click(buttons["Undo"])
        assert whatif.summary == "Changed: masked 1.1"


def test_what_a_visitor_typed_is_shown_to_the_letter(opened):
    whatif = opened(examples.hostile())
    labels = ["[CLS]", *(printable(token) for token in examples.HOSTILE), "[SEP]"]
    assert whatif.page.locator(".chip .name").all_text_contents() == labels
    whatif.click(whatif.chip(2))
    whatif.click(whatif.chip(3))
    assert "</script><script>" in whatif.summary and "<img/src=x" in whatif.summary
    assert whatif.page.locator(".whatif :is(script, img, style)").count() == 0
    assert whatif.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "a long word stretches nothing"
