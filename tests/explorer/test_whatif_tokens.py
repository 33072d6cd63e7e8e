"""What-if: removing, replacing and blocking tokens."""

import pytest

from tests.explorer import examples
from tests.words import english
from viz_core.rendering.labels import printable

pytestmark = pytest.mark.browser


def test_clicks_on_a_token_remove_replace_block_and_restore_it(open_whatif):
    whatif = open_whatif()
    for name, text in (
        ("removed", "removed The (2)"),
        ("unknown", "[UNK] for The (2)"),
        ("blocked", "blocked The (2)"),
    ):
        whatif.click(whatif.chip(2))
        assert whatif.requested_tokens == {name: [1]}
        assert whatif.summary == f"Changed: {text}"
    whatif.click(whatif.chip(2))
    assert whatif.summary == english("whatif.nothing_changed")


def test_special_tokens_can_only_be_blocked(open_whatif):
    whatif = open_whatif()
    whatif.click(whatif.chip(1))
    assert whatif.server.requests[-1]["blocked"] == [0]
    assert whatif.chip(1).get_attribute("aria-label").startswith("[CLS] (1): blocked")
    whatif.click(whatif.chip(1))
    assert whatif.summary == english("whatif.nothing_changed")


def test_the_bar_of_a_removed_token_cannot_be_dragged(open_whatif):
    whatif = open_whatif()
    whatif.click(whatif.chip(3))
    assert whatif.weights[2] == 0 and sum(whatif.weights) == pytest.approx(1, abs=0.01)
    count = len(whatif.server.requests)
    whatif.drag(3, 0.5)
    assert whatif.weights[2] == 0 and len(whatif.server.requests) == count


def test_the_row_of_a_removed_query_has_no_effect(open_whatif):
    whatif = open_whatif()
    whatif.query.select_option("2")
    whatif.click(whatif.chip(3))
    assert "is removed: this row has no effect" in whatif.part("row").locator(".note").inner_text()


def test_typed_text_is_shown_verbatim(open_whatif):
    whatif = open_whatif(examples.hostile())
    labels = ["[CLS]", *(printable(token) for token in examples.HOSTILE), "[SEP]"]
    assert whatif.page.locator(".chip .name").all_text_contents() == labels
    whatif.click(whatif.chip(2))
    whatif.click(whatif.chip(3))
    assert "</script><script>" in whatif.summary and "<img/src=x" in whatif.summary
    assert whatif.page.locator(".whatif :is(script, img, style)").count() == 0
    assert whatif.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "a long word does not overflow"
