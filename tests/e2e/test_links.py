"""The address of a page in a real browser: back and forward, and what a link opens in another browser."""

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.words import chinese, english

pytestmark = pytest.mark.browser
BOX = english("imdb.box_text")
FIRST, SECOND = "A superb film", "The plot is dull"


def expect_text(page: Page, text: str) -> None:
    """Waits until the page shows a text, and has come to rest with it."""
    expect(page.get_by_label(BOX)).to_have_value(text)
    expect(page.locator(".instrument")).to_have_attribute("data-idle", "true")
    expect(page.locator(".explorer .view.text .typed")).to_contain_text(text)
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")


def type_text(page: Page, text: str) -> None:
    page.get_by_label(BOX).fill(text)
    page.wait_for_url(f"**text={text.replace(' ', '+')}**")
    expect_text(page, text)


def address_of(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def entries(page: Page) -> int:
    return page.evaluate("history.length")


@pytest.mark.slow
def test_back_and_forward_show_former_texts_heads_and_pages(page, address):
    page.goto(f"{address}/sentiment?views=12345&text={FIRST.replace(' ', '+')}")
    expect_text(page, FIRST)
    before = entries(page)
    type_text(page, SECOND)
    verdicts = [page.locator(".prediction .verdict").inner_text()]
    page.locator(".explorer .overview .head").first.click()
    page.wait_for_url("**head=1.1**")
    page.locator(".explorer .view.text .token").nth(2).click()
    page.wait_for_url("**query=3**")
    assert entries(page) == before + 2, "a text and a head are steps, a selected token is none"
    page.get_by_role("link", name=english("pages.evidence")).first.click()
    page.wait_for_url("**/models**lang=en**")
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    assert entries(page) == before + 3

    page.go_back()
    expect_text(page, SECOND)
    assert address_of(page)["head"] == ["1.1"] and address_of(page)["query"] == ["3"]
    expect(page.locator(".prediction .verdict")).to_have_text(verdicts[0])
    page.go_back()
    expect(page.locator(".explorer .reading")).to_contain_text(english("explorer.of_head", layer=2, head=2))
    expect_text(page, SECOND)
    page.go_back()
    expect_text(page, FIRST)
    assert "head" not in address_of(page) and entries(page) == before + 3, "going back adds no step"
    expect(page.locator(".prediction .verdict")).not_to_have_text(verdicts[0])
    page.go_forward()
    expect_text(page, SECOND)
    page.go_forward()
    expect(page.locator(".explorer .reading")).to_contain_text(english("explorer.of_head", layer=1, head=1))
    page.go_forward()
    page.wait_for_url("**/models**")
    assert entries(page) == before + 3


@pytest.mark.slow
def test_a_link_to_what_if_shows_the_same_result_in_another_browser(page, address, browser):
    page.goto(f"{address}/matching?evidence=whatif")
    shown = page.locator(".whatif[data-idle=true] .headline")
    before = shown.inner_text()
    page.locator(".whatif .square").first.click()
    page.locator(".whatif .chip").nth(1).click()
    bar = page.locator(".whatif .bar").nth(2)
    bar.focus()
    bar.press("Shift+ArrowRight")
    page.wait_for_url("**masked=1.1&removed=2&rows=2.4.4**")
    assert shown.inner_text() != before
    other = browser.new_context(locale="en-GB").new_page()
    other.goto(page.url)
    expect(other.locator(".whatif[data-idle=true] .headline")).to_have_text(shown.inner_text())
    assert other.locator(".whatif .changed").inner_text() == page.locator(".whatif .changed").inner_text()
    assert other.locator(".whatif .bars").inner_text() == page.locator(".whatif .bars").inner_text()
    other.context.close()


@pytest.mark.parametrize("path", ["?lang=en", "sentiment?lang=en", "home?lang=zh", "sentimnt?lang=zh"])
def test_a_page_that_is_opened_by_its_address_asks_for_nothing_that_does_not_exist(page, address, path):
    refused, errors = [], []
    page.on("response", lambda response: response.status >= 400 and refused.append(response.url))
    page.on("console", lambda message: message.type == "error" and errors.append(message.text))
    page.goto(f"{address}/{path}")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    assert not refused and not errors


def test_at_a_mistyped_address_the_page_says_so_in_the_visitors_language(page, address):
    page.goto(f"{address}/sentimnt?lang=zh")
    expect(page.get_by_role("heading", level=1)).to_have_text(chinese("pages.unknown_title"))
    expect(page.get_by_text(chinese("pages.unknown", name="sentimnt"))).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("link", name=chinese("pages.home")).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(chinese("pages.home_title"))
