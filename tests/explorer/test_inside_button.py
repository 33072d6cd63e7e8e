"""The button in the explorer that follows how a weight came about."""

import pytest
from playwright.sync_api import expect

from tests.explorer import examples

pytestmark = pytest.mark.browser

REVIEW = "This is not a good film"


def button(instrument):
    return instrument.page.locator(".reading .inside")


def test_a_selected_weight_is_reported_with_its_text(instrument):
    instrument.open_texts(REVIEW, selection={"head": "1.2", "query": "1", "key": "4"}).wait_until_drawn(REVIEW)
    button(instrument).click()
    name, value = instrument.page.evaluate("reports.at(-1)")
    weight = {part: value["selection"][part] for part in ("head", "query", "key")}
    assert (name, value["texts"], weight) == ("inside", [REVIEW], {"head": "1.2", "query": "1", "key": "4"})


@pytest.mark.parametrize("selection", [{"key": ""}, {"query": "all"}, {"head": "1.1 1.2"}])
def test_there_is_none_without_a_single_weight(instrument, selection):
    selected = {"head": "1.1", "query": "1", "key": "4"} | selection
    instrument.open_texts(REVIEW, selection=selected).wait_until_drawn(REVIEW)
    expect(button(instrument)).to_be_hidden()


def test_a_file_has_no_server_to_ask(open_explorer):
    explorer = open_explorer(examples.review(), selection={"query": "1", "key": "4"})
    expect(explorer.page.locator(".reading .inside")).to_be_hidden()
