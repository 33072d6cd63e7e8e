"""The instrument while the page sends another language, theme or model; its selection and its examples."""

import pytest

from tests.words import says

pytestmark = pytest.mark.browser


class TestAnotherAppearance:
    """The page sends what it knows in another language, theme or model while the box holds something newer."""

    @pytest.mark.parametrize(
        ("options", "verdict"),
        [({"language": "zh"}, "正面"), ({"model": "wide"}, "Positive")],
        ids=["language", "model"],
    )
    def test_the_current_text_is_asked_again(self, instrument, options, verdict):
        instrument.open_texts("a")
        instrument.server.should_hold = True
        instrument.type(" good good good")
        instrument.server.held.clear()
        instrument.server.should_hold = False
        instrument.open_texts("a", **options)
        instrument.wait_until_drawn("a good good good")
        instrument.wait_until_idle()
        assert instrument.box().input_value() == "a good good good"
        assert instrument.server.bodies[-1]["texts"] == ["a good good good"]
        assert instrument.verdict.startswith(verdict)
        assert [report["texts"] for report in instrument.reports("texts")] == [["a good good good"]]

    def test_a_text_that_the_page_knows_needs_no_request(self, instrument):
        instrument.open_texts("a")
        instrument.type("b")
        instrument.wait_until_idle()
        sent_texts = len(instrument.server.sent_texts)
        instrument.open_texts("ab", language="zh")
        instrument.wait_until_idle()
        assert len(instrument.server.sent_texts) == sent_texts
        assert instrument.page.locator(".instrument").get_attribute("lang") == "zh"


class TestSelection:
    def test_it_stays_on_its_token(self, instrument):
        instrument.open_texts("the plot is thin")
        instrument.page.locator(".explorer .view.text .body .token").get_by_text("thin").click()
        instrument.box().focus()
        instrument.page.keyboard.press("Home")
        instrument.page.keyboard.type("yes ", delay=20)
        instrument.type(" indeed")
        instrument.wait_until_drawn("yes the plot is thin indeed")
        instrument.page.mouse.move(2, 2)
        instrument.frame()
        assert says(instrument.reading, "explorer.selected_from", query="thin (6)")

    def test_it_is_dropped_with_its_token(self, instrument):
        instrument.open_texts("the plot is thin")
        instrument.page.locator(".explorer .view.text .body .token").get_by_text("plot").click()
        instrument.box().fill("the film is thin")
        instrument.wait_until_drawn("the film is thin")
        instrument.page.mouse.move(2, 2)
        instrument.frame()
        assert instrument.reading.startswith("No token selected")

    def test_shortcuts_of_the_explorer_do_not_fire_in_the_box(self, instrument):
        instrument.open_texts("a film", selection={"head": "1.1"})
        instrument.type(" h l m 1 ?")
        instrument.wait_until_drawn("a film h l m 1 ?")
        assert instrument.page.locator(".reading h2").inner_text() == "Layer 1, head 1"
        assert instrument.page.locator(".explorer .view:visible").count() == 5

    def test_keys_in_the_box_do_not_reach_the_page_which_has_shortcuts_of_its_own(self, instrument):
        instrument.open_texts("a")
        instrument.page.evaluate(
            "() => { globalThis.pressed = []; addEventListener('keydown', ({ key }) => pressed.push(key)); }"
        )
        instrument.type("rc")
        assert instrument.page.evaluate("pressed") == []


class TestExamples:
    def test_an_example_is_glossed_beside_the_names_of_its_boxes(self, instrument):
        instrument.open_texts("a b", "c d")
        names = instrument.page.locator(".instrument label span")
        assert names.all_inner_texts() == ["Sentence A", "Sentence B"]
        instrument.page.get_by_role("button", name="Doubt").click()
        assert names.all_inner_texts() == [f"Sentence {name} · Doubt of Sentence {name}" for name in "AB"]
        instrument.type(" as paper")
        assert names.all_inner_texts() == ["Sentence A", "Sentence B"]

    def test_without_examples_nothing_announces_them(self, instrument):
        instrument.open_texts("a b", has_examples=False)
        assert instrument.page.locator(".instrument .examples").is_hidden()

    def test_a_remark_on_a_pair_stands_beside_the_examples(self, instrument):
        instrument.open_texts("a b", "c d")
        names, remark = (instrument.page.locator(f".instrument {part}") for part in ("label span", ".examples .remark"))
        instrument.page.get_by_role("button", name="Praise").click()
        assert (names.all_inner_texts(), remark.inner_text()) == (["Sentence A", "Sentence B"], "Praise twice")
        instrument.type(" as paper")
        assert remark.inner_text() == ""

    def test_an_example_fills_the_box_and_is_reported_at_once(self, instrument):
        instrument.open_texts("The plot is thin")
        doubt, praise = (instrument.page.get_by_role("button", name=name) for name in ("Doubt", "Praise"))
        assert (doubt.get_attribute("aria-pressed"), praise.get_attribute("aria-pressed")) == ("true", "false")
        praise.click()
        instrument.wait_until_idle()
        assert [report["texts"] for report in instrument.page.evaluate("reports.map(([, value]) => value)")] == [
            ["A good film"]
        ]
        assert instrument.box().input_value() == "A good film" and praise.get_attribute("aria-pressed") == "true"

    def test_a_pair_is_swapped(self, instrument):
        instrument.open_texts("a b", "c")
        instrument.page.get_by_role("button", name="Swap A and B").click()
        instrument.wait_until_idle()
        assert [instrument.box(number).input_value() for number in (0, 1)] == ["c", "a b"]
        assert instrument.reports("texts")[0]["texts"] == ["c", "a b"]
