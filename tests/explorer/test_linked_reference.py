"""The reference that a link names: shown, following the text, or a sentence that says why it cannot be shown."""

import pytest

from tests.words import english, says

pytestmark = pytest.mark.browser
TEXT = "This is not a good film"
OWN = {"ref_model": "wide", "ref_head": "2.1", "ref_a": "a bad film", "ref_b": "", "ref_mode": "difference"}
FOLLOWING = OWN | {"ref_a": "", "ref_mode": ""}


def bar(instrument):
    instrument.frame()
    return instrument.page.locator(".explorer .comparison")


def announcement(instrument) -> str:
    return instrument.page.locator(".comparison + [role=status]").text_content()


def open_compared(instrument, selection):
    instrument.open_texts(TEXT, selection=selection)
    bar(instrument).wait_for()
    return instrument


def test_a_reference_with_a_text_of_its_own_keeps_it(instrument):
    open_compared(instrument, OWN)
    assert instrument.server.bodies[-1]["model"] == "wide" and instrument.server.sent_texts == [["a bad film"]]
    pressed = bar(instrument).get_by_role("button", pressed=True).inner_text()
    assert pressed == "difference", "the mode of the link, although the models differ"
    instrument.type("s")
    instrument.wait_until_idle()
    assert instrument.server.sent_texts[1:] == [[TEXT + "s"]]
    (report,) = instrument.reports("texts")
    assert OWN.items() <= report["selection"].items()


def test_a_reference_without_a_text_follows_what_is_typed(instrument):
    open_compared(instrument, FOLLOWING)
    instrument.type("s")
    instrument.wait_until_idle()
    instrument.page.wait_for_function(
        "() => document.querySelector('.of-reference.text .body')?.textContent.includes('films')"
    )
    assert [(body["model"], *body["texts"]) for body in instrument.server.bodies] == [
        ("wide", TEXT),
        ("small", TEXT + "s"),
        ("wide", TEXT + "s"),
    ]
    assert FOLLOWING.items() <= instrument.reports("texts")[-1]["selection"].items()
    spoken = english("explorer.comparison_pinned", text=TEXT, model="wide")
    assert announcement(instrument) == spoken, "not at every key"


def test_what_is_pinned_no_longer_follows(instrument):
    open_compared(instrument, FOLLOWING)
    instrument.page.locator(".explorer .pin").click()
    instrument.type("s")
    instrument.wait_until_idle()
    assert instrument.reports("texts")[-1]["selection"]["ref_a"] == TEXT


def test_a_mode_that_is_selected_is_reported(instrument):
    open_compared(instrument, OWN)
    bar(instrument).get_by_role("button", name="side by side").click()
    assert instrument.reports("selection")[-1]["ref_mode"] == "side"


@pytest.mark.parametrize(
    ("problem", "key"), [("gone", "pages.request_unknown_model"), ("offline", "instrument.no_response")]
)
def test_a_reference_that_cannot_be_shown_is_a_sentence_in_place(instrument, problem, key):
    setattr(instrument.server, problem, True)
    open_compared(instrument, OWN)
    assert (
        says(bar(instrument).inner_text(), key)
        and announcement(instrument) == bar(instrument).locator("p").last.inner_text()
    )
    assert "Reference" not in bar(instrument).inner_text(), "no chips of a comparison that does not exist"
    setattr(instrument.server, problem, False)
    instrument.type("s")
    instrument.wait_until_drawn(TEXT + "s")
    bar(instrument).locator(".end").click()
    instrument.frame()
    assert not bar(instrument).is_visible()
