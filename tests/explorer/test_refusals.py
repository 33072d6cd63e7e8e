"""Texts that cannot be explained, models that are gone, a server that does not respond: a sentence, and another try."""

import pytest

from tests.explorer.instrument_page import REFUSAL, UNKNOWN
from tests.words import chinese, english

pytestmark = pytest.mark.browser

LOST = english("instrument.no_server")


def test_an_empty_text_is_refused_in_place_and_the_next_key_tries_again(instrument):
    instrument.open_texts("a")
    before = len(instrument.server.bodies)
    instrument.box().fill("")
    instrument.wait_until_idle()
    assert instrument.verdict == REFUSAL["en"]
    assert len(instrument.server.bodies) == before, "the server need not say it"
    assert instrument.page.locator(".explorer.stale").count() == 1, "the old view is faint, and not gone"
    assert [report["texts"] for report in instrument.reports("texts")] == [[""]]
    instrument.type("b")
    instrument.wait_until_drawn("b")
    assert instrument.verdict.startswith("Negative") and instrument.page.locator(".explorer.stale").count() == 0


def test_a_page_opened_with_a_text_that_cannot_be_read_has_its_boxes(instrument):
    instrument.open(None, [" "], language="zh")
    assert instrument.verdict == REFUSAL["zh"] and instrument.box().input_value() == " "
    assert instrument.page.locator(".explorer *").count() == 0
    instrument.box().fill("a good film")
    instrument.wait_until_idle()
    assert instrument.verdict.startswith("正面") or instrument.verdict.startswith("负面")
    assert [report["texts"] for report in instrument.reports("texts")] == [["a good film"]]


def test_a_model_that_is_gone_is_named_and_asked_for_again(instrument):
    instrument.open_texts("a")
    instrument.server.gone = True
    instrument.type("b")
    instrument.wait_until_idle()
    assert instrument.verdict == english("pages.request_unknown_model") and instrument.box().input_value() == "ab"
    instrument.server.gone = False
    instrument.type("c")
    instrument.wait_until_drawn("abc")


def test_a_server_that_is_gone_is_not_reported_to_and_the_next_key_tries_again(instrument):
    instrument.open_texts("a")
    instrument.server.offline = True
    instrument.type("b")
    instrument.wait_until_idle()
    assert instrument.verdict == LOST and instrument.box().input_value() == "ab"
    assert instrument.reports("texts") == []
    instrument.server.offline = False
    instrument.type("c")
    instrument.wait_until_drawn("abc")
    assert [report["texts"] for report in instrument.reports("texts")] == [["abc"]]


def test_after_a_restart_the_page_runs_again_and_the_text_is_asked_for(instrument):
    instrument.open_texts("a")
    instrument.server.offline = True
    instrument.type("b")
    instrument.wait_until_idle()
    instrument.server.offline = False
    instrument.open_texts("a")
    instrument.wait_until_drawn("ab")
    instrument.wait_until_idle()
    assert instrument.box().input_value() == "ab" and not instrument.verdict.startswith("The server")
    assert [report["texts"] for report in instrument.reports("texts")] == [["ab"]]


def test_a_server_with_too_many_requests_is_asked_again(instrument):
    instrument.open_texts("a")
    instrument.server.busy = 2
    instrument.type("b")
    instrument.wait_until_drawn("ab")
    instrument.wait_until_idle()
    assert instrument.server.sent_texts == [["ab"]] * 3
    assert [report["texts"] for report in instrument.reports("texts")] == [["ab"]]


def test_a_long_text_stays_out_of_the_link_and_says_so(instrument):
    instrument.open_texts("a")
    note = instrument.page.locator(".boxes .note")
    instrument.box().fill("😀" * 2000)
    assert not note.is_visible(), "characters are counted as the link counts them"
    instrument.box().fill("😀" * 2001)
    assert note.inner_text() == english("instrument.text_not_in_link", count=2001, limit=2000)


def test_a_text_beyond_the_limit_is_cut_in_the_box_and_a_sentence_says_so(instrument):
    instrument.open_texts("a")
    instrument.box().fill("b " + "😀" * 20_000)
    instrument.wait_until_idle()
    cut = "b " + "😀" * 4_998
    assert instrument.box().input_value() == cut
    assert instrument.server.sent_texts[-1] == [cut] and instrument.reports("texts")[-1]["texts"] == [cut]
    note = instrument.page.locator(".boxes .note")
    assert note.inner_text().startswith(english("instrument.text_cut", count=20002, limit=5000))
    sent = len(instrument.server.sent_texts)
    instrument.type("c")  # beyond the limit: nothing changes, and nothing is sent
    instrument.wait_until_idle()
    assert instrument.box().input_value() == cut and len(instrument.server.sent_texts) == sent
    assert note.inner_text().startswith("The text had 5001 characters")
    instrument.box().fill("short")
    instrument.wait_until_idle()
    assert note.is_hidden()


class TestScreenReaders:
    def test_the_prediction_is_heard_at_rest_and_not_at_each_key(self, instrument):
        instrument.open_texts("a bad film")
        instrument.page.evaluate("""() => {
            globalThis.heard = [];
            const status = document.querySelector(".instrument [role=status]");
            const listen = () => heard.push(status.textContent);
            new MutationObserver(listen).observe(status, { childList: true, subtree: true });
        }""")
        instrument.type(" good good good good", delay=40)
        instrument.wait_until_idle()
        assert instrument.page.evaluate("heard") == ["Positive, 55.6% (a close call)"]

    @pytest.mark.parametrize("say", [english, chinese], ids=["en", "zh"])
    def test_a_prediction_is_heard_with_its_notices(self, instrument, say):
        instrument.open_texts("a film", language=say.language)
        instrument.type(" xyz xyz")
        instrument.wait_until_idle()
        text = (" " if say is english else "").join([say(UNKNOWN)] * 2)
        assert instrument.announcement == say("explorer.announced", title=instrument.verdict, text=text)

    def test_a_refusal_is_heard(self, instrument):
        instrument.open_texts("a")
        instrument.box().fill("")
        instrument.wait_until_idle()
        assert instrument.announcement == REFUSAL["en"]

    @pytest.mark.parametrize("language", ["en", "zh"])
    def test_every_control_has_a_name(self, instrument, language):
        instrument.open_texts("a", "b", language=language)
        unnamed = instrument.page.evaluate("""() => [...document.querySelectorAll(".instrument :is(button, textarea)")]
            .filter((control) => !(control.getAttribute("aria-label") || control.labels?.[0]?.textContent
              || control.textContent).trim()).map((control) => control.outerHTML)""")
        assert unnamed == []
        assert instrument.page.get_by_role("textbox", name="Sentence A").count() == 1

    def test_everything_is_reached_with_the_tab_key_in_reading_order(self, instrument):
        instrument.open_texts("a", "b")
        instrument.box().focus()
        order = []
        for _ in range(6):
            order.append(
                instrument.page.evaluate(
                    "(at => at.labels?.[0]?.textContent ?? at.ariaLabel ?? at.textContent)(document.activeElement)"
                )
            )
            instrument.page.keyboard.press("Tab")
        assert order[:5] == ["Sentence A", "Swap A and B", "Sentence B", "Praise", "Doubt"]
        assert instrument.page.evaluate("document.activeElement.closest('.explorer') !== null")

    def test_an_example_is_taken_with_the_keyboard(self, instrument):
        instrument.open_texts("a")
        instrument.page.get_by_role("button", name="Praise").focus()
        instrument.page.keyboard.press("Enter")
        instrument.wait_until_drawn("A good film")


class TestTelephone:
    WINDOW = {"width": 390, "height": 780}
    KEYBOARD = 340  # px that a telephone's keyboard covers

    @pytest.mark.parametrize("texts", [("a good film",), ("a b", "c d")], ids=["review", "pair"])
    def test_the_prediction_is_above_the_box_and_stays_there(self, open_instrument, texts):
        instrument = open_instrument(viewport=self.WINDOW).open_texts(*texts)
        for number in range(len(texts)):
            box = instrument.box(number)
            box.focus()
            box.evaluate("(box) => scrollBy(0, box.getBoundingClientRect().bottom - 400)")
            verdict = instrument.page.locator(".prediction .verdict").bounding_box()
            at = box.bounding_box()
            assert verdict["y"] >= 0 and verdict["y"] + verdict["height"] <= at["y"]
            assert at["y"] + at["height"] <= self.WINDOW["height"] - self.KEYBOARD

    def test_nothing_is_wider_than_the_screen(self, open_instrument):
        instrument = open_instrument(viewport=self.WINDOW).open_texts("花呗怎么还款" * 6, "借呗" * 30)
        assert instrument.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        swap, boxes = instrument.page.get_by_role("button", name="Swap A and B"), [instrument.box(0), instrument.box(1)]
        tops = [element.bounding_box()["y"] for element in (boxes[0], swap, boxes[1])]
        assert tops == sorted(tops)
