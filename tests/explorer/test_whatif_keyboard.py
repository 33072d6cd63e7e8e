"""What-if with the keyboard and a screen reader."""

import pytest

from tests.words import chinese, english, says

pytestmark = pytest.mark.browser


def test_each_part_is_one_tab_stop(open_whatif):
    whatif = open_whatif()
    whatif.head(1, 1).focus()
    whatif.press("ArrowRight", "ArrowDown", "Enter")
    assert whatif.summary == "Changed: masked 2.2"
    whatif.press("ArrowLeft", "ArrowLeft", " ")
    assert whatif.summary == "Changed: masked 2.1, 2.2, 2.3, 2.4"
    whatif.press("Tab", "Tab", "ArrowRight", " ")
    assert "removed" in whatif.summary
    whatif.press("Tab", "Tab")
    assert whatif.page.evaluate("document.activeElement.tagName") == "SELECT"


def test_keys_do_not_reach_the_surrounding_page(open_whatif):
    whatif = open_whatif()
    whatif.page.evaluate("globalThis.keys = []; addEventListener('keydown', (event) => keys.push(event.key))")
    whatif.head(1, 1).focus()
    whatif.press("r", "c", "Control+z")
    assert [key for key in whatif.page.evaluate("keys") if key != "Control"] == []


@pytest.mark.parametrize(
    ("language", "opening"),
    [
        ("en", "positive 80.0% → 60.0% (−20.0 points). " + english("whatif.stays", prediction="positive") + " "),
        ("zh", "正面 80.0% → 60.0%（−20.0 个百分点）。" + chinese("whatif.stays", prediction="正面")),
    ],
)
def test_the_prediction_is_announced_when_idle(open_whatif, language, opening):
    whatif = open_whatif(language=language)
    whatif.click(whatif.head(1, 1))
    announcement = whatif.page.get_by_role("status").text_content()
    assert announcement.startswith(opening) and announcement[len(opening)] != " "
    assert says(announcement, "whatif.control", language, draws=20)


def test_buttons_are_disabled_when_there_is_nothing_to_undo(open_whatif):
    whatif = open_whatif()
    buttons = {name: whatif.page.get_by_role("button", name=name) for name in ("Undo", "Redo", "Put everything back")}
    assert [button.get_attribute("aria-disabled") for button in buttons.values()] == ["true"] * 3
    whatif.click(whatif.head(1, 1))
    whatif.click(whatif.chip(2))
    whatif.click(buttons["Undo"])
    assert [button.get_attribute("aria-disabled") for button in buttons.values()] == ["false"] * 3
    whatif.click(buttons["Put everything back"])
    assert whatif.summary == english("whatif.nothing_changed")
    whatif.click(buttons["Undo"])
    assert whatif.summary == "Changed: masked 1.1"
