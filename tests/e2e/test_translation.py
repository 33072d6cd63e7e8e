"""The translation page in the whole app: word by word, the link, another language."""

from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Page, expect

from tests.words import chinese


def wait_until_idle(page: Page) -> None:
    page.wait_for_selector(".explorer[data-drawn]:not([hidden])")
    expect(page.locator(".translation")).to_have_attribute("data-idle", "true")
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    page.wait_for_timeout(700)  # the selection of the explorer is reported after half a second


def words(page: Page) -> list[str]:
    return page.locator(".right > .words .word .token").all_text_contents()


def test_a_translation_is_drawn_changed_and_restored_from_its_link(page, address):
    page.goto(f"{address}/translation?lang=en")
    wait_until_idle(page)
    before = words(page)
    assert before[-1] == "[SEP]" and page.locator(".explorer canvas").count()
    page.locator(".word").nth(1).click()
    page.locator(".candidate").nth(2).click()
    page.wait_for_url(lambda url: "fed=" in url)
    wait_until_idle(page)
    after = words(page)
    assert after[0] == before[0] and after[1] != before[1]
    assert page.locator(".original .token").all_text_contents() == before
    link = parse_qs(urlsplit(page.url).query)
    assert link["fed"] == [f"1:{after[0]} 2:{after[1]}"] and link["word"] == ["2"]
    page.goto(page.url)
    wait_until_idle(page)
    assert words(page) == after
    page.get_by_role("radio", name="中文").click()
    expect(page.locator(".right > header h2")).to_have_text(chinese("translation.target"))
    wait_until_idle(page)
    assert words(page)[:2] == after[:2] and words(page)[-1] == "[SEP]"
