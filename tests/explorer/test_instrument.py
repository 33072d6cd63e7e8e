"""Typing: every key is drawn, in order, and the page hears of it once the keys rest."""

import pytest

from tests.explorer.instrument_page import explain
from viz_core.explorer.packing import explanation_id

pytestmark = pytest.mark.browser

REVIEW = "This is not a good film"


def set_composed(instrument, text, number=0):
    """The events of an input method that shows half-made characters, as Chromium fires them; `text` may grow later."""
    instrument.box(number).evaluate(
        """(box, text) => {
          box.focus();
          if (!box.dataset.composing) box.dispatchEvent(new CompositionEvent("compositionstart", { bubbles: true }));
          box.dataset.composing = "yes";
          box.value = text;
          box.dispatchEvent(new CompositionEvent("compositionupdate", { bubbles: true, data: text }));
          box.dispatchEvent(new InputEvent("input", { bubbles: true, isComposing: true, data: text }));
        }""",
        text,
    )


def end_composition(instrument, text, number=0):
    instrument.box(number).evaluate(
        """(box, text) => {
          box.value = text;
          delete box.dataset.composing;
          box.dispatchEvent(new InputEvent("input", { bubbles: true, isComposing: true, data: text }));
          box.dispatchEvent(new CompositionEvent("compositionend", { bubbles: true, data: text }));
        }""",
        text,
    )


class TestTyping:
    def test_the_first_drawing_asks_nothing_and_reports_nothing(self, instrument):
        instrument.open_texts(REVIEW).wait_until_drawn(REVIEW)
        assert instrument.box().input_value() == REVIEW
        assert instrument.verdict == "Negative, 75.0% (fairly confident)"
        assert instrument.reports() == [] and instrument.server.sent_texts == []

    def test_every_key_is_drawn(self, instrument):
        instrument.open_texts("a good")
        for key in " film":
            instrument.type(key)
            instrument.wait_until_drawn(instrument.box().input_value())
        assert instrument.server.sent_texts == [
            ["a good "],
            ["a good f"],
            ["a good fi"],
            ["a good fil"],
            ["a good film"],
        ]
        assert instrument.server.bodies[-1] | {"selection": None, "visit": None} == {
            "task": "imdb",
            "model": "small",
            "language": "en",
            "texts": ["a good film"],
            "selection": None,
            "visit": None,
        }

    def test_the_prediction_follows_the_text(self, instrument):
        instrument.open_texts("a bad film")
        before = instrument.verdict
        instrument.type(" good good good good")
        instrument.wait_until_idle()
        assert before == "Negative, 80.0% (fairly confident)"
        assert instrument.verdict == "Positive, 55.6% (a close call)"
        ends = instrument.page.locator(".prediction .ends span").all_inner_texts()
        assert ends == ["positive 55.6%", "44.4% negative"]
        fill = instrument.page.locator(".prediction .fill").evaluate("(bar) => parseFloat(bar.style.width)")
        assert fill == pytest.approx(55.5556, abs=0.001)

    def test_a_pair_is_typed_in_two_boxes(self, instrument):
        instrument.open_texts("a b", "c d")
        instrument.type(" e", number=1)
        instrument.wait_until_idle()
        assert instrument.reports("texts")[0]["texts"] == ["a b", "c d e"]

    def test_focus_and_caret_stay_while_the_explorer_is_drawn_anew(self, instrument):
        instrument.open_texts("one two three")
        instrument.box().focus()
        instrument.page.keyboard.press("Home")
        instrument.page.keyboard.type("zero ", delay=60)
        instrument.wait_until_idle()
        assert instrument.box().evaluate("(box) => [box.value, box.selectionStart]") == ["zero one two three", 5]
        assert instrument.box().evaluate("(box) => box === document.activeElement")

    def test_what_is_typed_stays_text(self, instrument):
        typed = "<b>x</b><img/src=x/onerror=alert(1)> &amp; </textarea><script>alert(2)</script>"
        instrument.open_texts("a film")
        instrument.box().fill(typed)
        instrument.wait_until_idle()
        assert instrument.box().input_value() == typed
        assert instrument.page.locator("#parent :is(script, img, b:not(.tip b))").count() == 0
        instrument.wait_until_drawn(typed)


class TestOrder:
    """At most one request is under way, and of those that wait only the newest is sent."""

    def test_texts_typed_meanwhile_are_overtaken_by_the_newest(self, instrument):
        instrument.open_texts("a")
        instrument.server.should_hold = True
        instrument.type(" b c d")
        assert instrument.server.sent_texts == [["a "]]
        instrument.server.release()
        instrument.wait_until_drawn("a ")
        instrument.page.wait_for_timeout(100)
        assert instrument.server.sent_texts == [["a "], ["a b c d"]]
        instrument.server.should_hold = False
        instrument.server.release()
        instrument.wait_until_drawn("a b c d")
        instrument.wait_until_idle()
        assert instrument.server.sent_texts == [["a "], ["a b c d"]]

    def test_responses_never_land_out_of_order(self, instrument):
        """A mutation observer sees every text that was ever drawn."""
        instrument.open_texts("x")
        instrument.page.evaluate("""() => {
            globalThis.drawn = [];
            new MutationObserver(() => drawn.push(document.querySelector(".explorer").dataset.drawn)).observe(
              document.querySelector(".explorer"), { attributes: true, attributeFilter: ["data-drawn"] });
        }""")
        instrument.type("a b c d e f g h", delay=5)
        instrument.wait_until_idle()
        sent_texts = [texts[0] for texts in instrument.server.sent_texts]
        assert sent_texts == sorted(sent_texts, key=len) and sent_texts[-1] == "xa b c d e f g h"
        drawn = instrument.page.evaluate("drawn")
        order = {explanation_id(explain([text])): at for at, text in enumerate(sent_texts)} | {
            explanation_id(explain(["x"])): -1
        }
        positions = [order[identity] for identity in drawn]
        assert positions == sorted(positions) and positions[-1] == len(sent_texts) - 1

    def test_the_old_view_is_dimmed_only_while_a_response_is_late(self, instrument):
        instrument.open_texts("a good film")
        dimmed = instrument.page.locator(".explorer.pending, .prediction.pending")
        instrument.page.evaluate("""() => {
            globalThis.flickers = 0;
            new MutationObserver((changes) => changes.forEach(({ target }) => {
              if (target.classList.contains("pending")) flickers++;
            })).observe(document.querySelector(".explorer"), { attributes: true, attributeFilter: ["class"] });
        }""")
        instrument.server.should_hold = True
        instrument.type("s")
        instrument.page.wait_for_selector(".explorer.pending")
        assert dimmed.count() == 2
        instrument.server.should_hold = False
        instrument.server.release()
        instrument.wait_until_drawn("a good films")
        instrument.wait_until_idle()
        assert dimmed.count() == 0

    def test_a_request_that_cannot_matter_any_more_is_aborted(self, instrument):
        instrument.open_texts("a")
        instrument.server.should_hold = True
        instrument.type("b")
        instrument.page.wait_for_timeout(100)
        instrument.server.held.clear()
        instrument.server.should_hold = False
        with instrument.page.expect_event("requestfailed") as failed:
            instrument.open_texts("a", model="wide")
        assert failed.value.url.endswith("explain")
        instrument.wait_until_drawn("ab")
        assert instrument.server.bodies[-1]["model"] == "wide"


class TestInputMethods:
    """Chinese is typed by composing characters from Latin letters."""

    def test_half_made_characters_are_not_sent(self, instrument):
        instrument.open_texts("花呗")
        for half_made in ("花呗z", "花呗ze", "花呗zen", "花呗zen m"):
            set_composed(instrument, half_made)
        assert instrument.reports() == [] and instrument.server.sent_texts == []
        end_composition(instrument, "花呗怎么")
        instrument.wait_until_idle()
        assert instrument.server.sent_texts == [["花呗怎么"]]
        assert [report["texts"] for report in instrument.reports("texts")] == [["花呗怎么"]]

    def test_the_other_box_can_be_typed_into_meanwhile(self, instrument):
        instrument.open_texts("花呗", "借呗")
        set_composed(instrument, "花呗z")
        instrument.type("a", number=1)
        instrument.wait_until_idle()
        assert instrument.server.sent_texts[-1] == ["花呗z", "借呗a"], "leaving the box ends the composition"

    def test_control_enter_inside_a_composition_belongs_to_the_input_method(self, instrument):
        instrument.open_texts("花呗")
        set_composed(instrument, "花呗z")
        instrument.box().press("Control+Enter")
        instrument.page.wait_for_timeout(300)
        assert instrument.server.sent_texts == []


class TestAtRest:
    def test_a_text_is_reported_once_after_a_pause(self, instrument):
        instrument.open_texts("a good")
        instrument.type_in_one_moment(" film")
        assert [report["texts"] for report in instrument.reports("texts")] == [["a good film"]]
        assert instrument.reports() == instrument.page.evaluate("reports"), "nothing follows later"

    def test_the_selection_is_reported_with_its_text(self, instrument):
        instrument.open_texts("a good film", selection={"head": "2.3", "query": "all"})
        instrument.page.locator(".explorer .view.text .body .token").get_by_text("good").click()
        instrument.type("s")
        (report,) = instrument.reports("texts")
        assert (report["selection"]["head"], report["selection"]["query"]) == ("2.3", "3")

    def test_a_selection_in_a_text_that_the_page_does_not_know_waits_for_it(self, instrument):
        instrument.open_texts("a good film")
        instrument.server.should_hold = True
        instrument.type("s")
        instrument.page.locator(".explorer .view.text .body .token").get_by_text("good").click()
        assert instrument.reports() == []
        instrument.server.should_hold = False
        instrument.server.release()
        (report,) = instrument.reports("texts")
        assert report["selection"]["query"] == "3"

    @pytest.mark.parametrize("key", ["Control+Enter", "Meta+Enter"])
    def test_control_enter_reports_at_once(self, instrument, key):
        instrument.open_texts("a good film")
        instrument.type("s")
        instrument.wait_until_drawn("a good films")
        instrument.box().press(key)
        assert [name for name, _ in instrument.page.evaluate("reports")] == ["texts"]
        assert len(instrument.reports("texts")) == 1 and instrument.box().input_value() == "a good films"

    def test_leaving_the_box_reports_at_once(self, instrument):
        instrument.open_texts("a good film")
        instrument.type("s")
        instrument.wait_until_drawn("a good films")
        instrument.page.keyboard.press("Tab")
        assert [name for name, _ in instrument.page.evaluate("reports")] == ["texts"]

    def test_at_rest_but_not_drawn_yet_is_reported_after_the_drawing(self, instrument):
        instrument.open_texts("a")
        instrument.server.should_hold = True
        instrument.type("b")
        assert instrument.reports() == []
        instrument.server.should_hold = False
        instrument.server.release()
        instrument.wait_until_idle()
        assert [report["texts"] for report in instrument.reports("texts")] == [["ab"]]

    def test_a_text_typed_back_is_not_reported(self, instrument):
        instrument.open_texts("a good film")
        instrument.type_in_one_moment("s", "")
        assert instrument.reports() == []

    def test_what_the_page_sends_then_changes_nothing(self, instrument):
        """The same text, and older ones, while the box already holds a newer one."""
        instrument.open_texts("a")
        instrument.type("b")
        instrument.wait_until_idle()
        before = instrument.page.locator(".explorer .view.heatmap").element_handle()
        for text in ("ab", "a"):
            instrument.open_texts(text)
        instrument.frame()
        assert before.evaluate("(view) => view.isConnected") and instrument.box().input_value() == "ab"
        instrument.server.should_hold = True
        instrument.type("c")
        instrument.open_texts("ab")
        assert instrument.box().input_value() == "abc"
        instrument.server.release()

    def test_an_input_that_was_opened_elsewhere_is_adopted(self, instrument):
        instrument.open_texts("a")
        instrument.type("b")
        instrument.wait_until_idle()
        instrument.open_texts("an error of the model")
        instrument.wait_until_drawn("an error of the model")
        assert instrument.box().input_value() == "an error of the model"
