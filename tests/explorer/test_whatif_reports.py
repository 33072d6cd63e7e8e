"""What-if tells the page at rest what is changed, and opens with what a link says."""

import pytest
from playwright.sync_api import expect

from tests.words import english

pytestmark = pytest.mark.browser

CHANGES = {"masked": [[0, 1]], "removed": [2], "rows": []}


def reports(page) -> list[dict]:
    return [fields for name, fields in page.page.evaluate("reports") if name == "changes"]


def wait_for_reports(page, count: int) -> None:
    page.page.wait_for_function("(count) => reports.length >= count", arg=count)


def test_changes_are_reported_once_they_rest_with_the_row_that_is_shown(open_whatif):
    page = open_whatif()
    page.click(page.head(1, 2), times=2)
    wait_for_reports(page, 1)
    (fields,) = reports(page)
    assert (fields["masked"], fields["uniform"], fields["row"]) == ([], [[0, 1]], [0, 0, 0])
    page.query.select_option("3")
    wait_for_reports(page, 2)
    assert reports(page)[1]["row"] == [0, 0, 3]


def test_it_opens_with_the_changes_of_a_link_and_reports_nothing(open_whatif):
    page = open_whatif()
    before = page.headline
    page.show(changes=CHANGES, row=(1, 0, 2), turns=1)
    assert page.headline != before and page.requested_tokens == {"removed": [2]}
    assert page.server.requests[-1]["masked"] == [[0, 1]] and page.server.requests[-1]["row"] == [1, 0, 2]
    assert "masked 1.2" in page.summary
    page.page.clock.run_for(800)
    assert reports(page) == []


def test_after_going_back_the_changes_are_those_of_the_page(open_whatif):
    page = open_whatif()
    page.click(page.head(1, 1))
    wait_for_reports(page, 1)
    page.show(changes=CHANGES)
    assert "masked 1.1" in page.summary, "a run of the page changes nothing"
    page.show(changes=CHANGES, turns=1)
    expect(page.page.locator(".changed")).to_contain_text("masked 1.2")
    page.show(turns=2)
    expect(page.page.locator(".changed")).to_have_text(english("whatif.nothing_changed"))
