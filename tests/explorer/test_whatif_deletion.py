"""What-if: deleting removed tokens instead of masking them in place."""

import pytest

from tests.words import chinese, english
from viz_core.language import Translator

pytestmark = pytest.mark.browser


def test_a_removed_token_is_masked_in_place_unless_deletion_is_on(open_whatif):
    whatif = open_whatif()
    whatif.click(whatif.chip(2))
    assert whatif.headline == "positive 80.0% → 85.0% (+5.0 points)" and whatif.requested_tokens == {"removed": [1]}
    whatif.click(whatif.deletion)
    assert whatif.headline == "positive 80.0% → 90.0% (+10.0 points)" and whatif.requested_tokens == {"deleted": [1]}
    assert whatif.summary == "Changed: deleted The (2)"
    assert whatif.chip(2).get_attribute("aria-label") == "The (2): deleted: the others move up"
    whatif.click(whatif.chip(3))
    assert whatif.requested_tokens == {"deleted": [1, 2]}, "applies to all removed tokens"
    whatif.click(whatif.deletion)
    assert whatif.requested_tokens == {"removed": [1, 2]} and whatif.summary.startswith("Changed: removed The (2), ")


def test_deletion_affects_only_removed_tokens(open_whatif):
    whatif = open_whatif()
    whatif.click(whatif.chip(2))
    whatif.click(whatif.chip(3), times=2)
    whatif.click(whatif.chip(4), times=3)
    whatif.click(whatif.deletion)
    assert whatif.requested_tokens == {"deleted": [1], "unknown": [2], "blocked": [3]}


def test_deletion_keeps_the_row_aligned_with_the_original_tokens(open_whatif):
    whatif = open_whatif()
    whatif.click(whatif.chip(3))
    masked = whatif.weights
    whatif.click(whatif.deletion)
    assert whatif.weights == masked and masked[2] == 0 and sum(masked) == pytest.approx(1, abs=0.01)
    whatif.drag(4, 0.5)
    ((*_, weights),) = whatif.server.requests[-1]["rows"]
    assert len(weights) == len(masked) and weights[2] == 0 and weights[3] == pytest.approx(0.5, abs=0.01)


def test_the_switch_is_disabled_in_place_while_no_token_is_removed(open_whatif):
    whatif = open_whatif()
    count, box = len(whatif.server.requests), whatif.deletion.bounding_box()
    assert whatif.deletion.get_attribute("aria-disabled") == "true"
    whatif.deletion.dispatch_event("click")
    whatif.wait_until_idle()
    assert whatif.deletion.get_attribute("aria-checked") == "false" and len(whatif.server.requests) == count
    whatif.click(whatif.chip(2))
    assert whatif.deletion.get_attribute("aria-disabled") == "false" and whatif.deletion.bounding_box() == box


def test_deletion_stays_on_for_the_next_removed_token(open_whatif):
    whatif = open_whatif()
    whatif.click(whatif.chip(2))
    whatif.click(whatif.deletion)
    whatif.click(whatif.chip(2), times=3)
    assert whatif.summary == english("whatif.nothing_changed") and whatif.headline.endswith("(±0.0 points)")
    assert whatif.deletion.get_attribute("aria-checked") == "true"
    whatif.click(whatif.chip(4))
    assert whatif.requested_tokens == {"deleted": [3]}


def test_deletion_is_undone_and_reset_like_other_changes(open_whatif):
    whatif = open_whatif()
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


def test_the_switch_is_one_tab_stop_and_toggled_with_space_and_enter(open_whatif):
    whatif = open_whatif()
    whatif.chip(2).focus()
    whatif.press("Enter", "Shift+Tab")
    assert whatif.deletion.evaluate("(element) => element === document.activeElement")
    whatif.press(" ")
    assert whatif.deletion.get_attribute("aria-checked") == "true" and whatif.requested_tokens == {"deleted": [1]}
    whatif.press("Enter")
    assert whatif.deletion.get_attribute("aria-checked") == "false" and whatif.requested_tokens == {"removed": [1]}
    whatif.press("Control+z", "Control+z", "Control+z")
    assert whatif.summary == english("whatif.nothing_changed")
    assert whatif.deletion.evaluate("(element) => element === document.activeElement"), "disabled, it keeps the focus"


def test_deletion_survives_unmounting_and_another_language(open_whatif):
    whatif = open_whatif()
    whatif.click(whatif.chip(2))
    whatif.click(whatif.deletion)
    whatif.page.evaluate("unmount()")
    whatif.show()
    assert whatif.deletion.get_attribute("aria-checked") == "true" and "90.0%" in whatif.headline
    whatif.show("zh")
    assert whatif.summary == "改动：删除 The (2)" and whatif.deletion.get_attribute("aria-checked") == "true"


@pytest.mark.parametrize(("language", "name"), [("en", english("whatif.deletes")), ("zh", chinese("whatif.deletes"))])
def test_the_switch_explains_the_difference_in_positions(open_whatif, language, name):
    whatif = open_whatif(language=language)
    switch = whatif.page.get_by_role("switch", name=name, exact=True)
    assert switch.count() == 1 and switch.get_attribute("title") == Translator(language)("whatif.deletes_help")
