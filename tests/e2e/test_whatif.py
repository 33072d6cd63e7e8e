"""What-if on the real pages with the shipped models: changes move the prediction and can be undone."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.words import chinese, english

pytestmark = pytest.mark.browser


def wait_until_idle(page: Page) -> None:
    page.wait_for_timeout(100)
    page.wait_for_selector(".whatif[data-idle=true]")


def current_probability(page: Page) -> float:
    """The current probability in the headline, in percent."""
    return float(re.search(r"→ ([\d.]+)%", page.locator(".headline").inner_text()).group(1))


def test_masking_a_head_changes_the_prediction_and_undo_restores_it_and_the_page_hears_at_rest(page, address):
    frames = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: frames.append(frame)))
    page.goto(f"{address}/sentiment")
    page.get_by_text(english("evidence.whatif"), exact=True).click()
    wait_until_idle(page)
    before = current_probability(page)
    page.wait_for_timeout(1500)  # the explorer reports its selection for the link
    frames.clear()
    page.locator(".whatif .square").first.click()
    wait_until_idle(page)
    assert current_probability(page) != before and "1.1" in page.locator(".whatif .changed").inner_text()
    expect(page.locator(".control")).to_contain_text(re.compile(r"(?<![\d.])7(?![\d.])"))  # trials
    page.wait_for_url("**masked=1.1**")
    page.get_by_role("button", name=english("whatif.undo")).click()
    wait_until_idle(page)
    assert current_probability(page) == before
    page.wait_for_url(lambda url: "masked" not in url)
    assert len(frames) == 2, "a message to Streamlit for each change that came to rest"


@pytest.mark.slow
def test_changes_survive_a_change_of_language(page, address):
    page.goto(f"{address}/matching?evidence=whatif")
    wait_until_idle(page)
    page.locator(".whatif .chip").nth(1).click()
    page.locator(".whatif .square").nth(5).click()
    wait_until_idle(page)
    before = current_probability(page)
    page.get_by_role("radio", name="中文").click()
    expect(page.locator(".whatif .changed")).to_contain_text(re.compile(r"2\.2.*花 \(2\)"))
    assert current_probability(page) == before


def test_deleting_a_token_differs_from_masking_it_in_place(page, address):
    page.goto(f"{address}/matching?evidence=whatif")
    wait_until_idle(page)
    page.locator(".whatif .chip").nth(1).click()
    wait_until_idle(page)
    with_token_masked = current_probability(page)
    page.get_by_role("switch", name=english("whatif.deletes")).click()
    wait_until_idle(page)
    assert current_probability(page) != with_token_masked and "花 (2)" in page.locator(".whatif .changed").inner_text()


def test_removing_every_token_is_refused_in_the_visitors_language(page, address):
    page.goto(f"{address}/sentiment?evidence=whatif&text=good&lang=zh")
    wait_until_idle(page)
    page.locator(".whatif .chip").nth(1).click()
    expect(page.locator(".whatif .failure")).to_contain_text(chinese("analysis.whatif_all_removed"))
