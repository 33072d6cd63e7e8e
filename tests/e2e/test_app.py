"""The whole app in a real browser, with the models that ship: typing, seeing, linking, downloading."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from tests.browser import FLAGS, running_app

HOSTILE = "A <script>alert(1)</script> film & a <b>bold</b> one, not good"


@pytest.fixture(scope="module")
def address():
    with running_app() as address:
        yield address


@pytest.fixture(scope="module")
def browser(chromium):
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser, address):
    """A page that notes what it should never do: fetch from elsewhere, run what a visitor typed, show a traceback."""
    context = browser.new_context(locale="en-GB", viewport={"width": 1280, "height": 900}, accept_downloads=True)
    page = context.new_page()
    page.set_default_timeout(20_000)
    elsewhere, dialogs = [], []
    page.on("request", lambda request: elsewhere.append(request.url)
            if urlsplit(request.url).hostname not in ("localhost", None, "") else None)
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    yield page
    assert page.get_by_text("Traceback").count() == 0
    assert not elsewhere and not dialogs
    context.close()


def open_at(page: Page, address: str) -> None:
    page.goto(address)
    settled(page)


def settled(page: Page) -> None:
    """Waits until the heat map is drawn and the server has nothing more to say."""
    page.wait_for_selector(".st-key-view_heatmap .js-plotly-plot .heatmaplayer image, .st-key-view_heatmap .hm")
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    page.wait_for_timeout(400)


def heat_map(page: Page) -> str:
    """The heat map's weights as the browser holds them."""
    return page.evaluate("JSON.stringify([...document.querySelector('.st-key-view_heatmap .js-plotly-plot')"
                         "._fullData.find(t => t.type === 'heatmap').z].map(row => [...row]))")


def verdict(page: Page) -> str:
    return page.locator("h4").first.inner_text()


def type_into(page: Page, label: str, text: str) -> None:
    before = verdict(page)
    box = page.get_by_label(label)
    box.fill(text)
    box.press("Control+Enter")
    expect(page.locator("h4").first).not_to_have_text(before)
    settled(page)


def test_a_typed_review_changes_prediction_and_heat_map(page, address):
    """The first address that a fresh server is asked for is a page of its own, not `/`."""
    open_at(page, f"{address}/sentiment")
    first, before = verdict(page), heat_map(page)
    type_into(page, "Movie review (English)", "This is not a good film. It is a boring waste of time.")
    assert "negative" in verdict(page) != first and heat_map(page) != before


def test_a_typed_pair_changes_prediction_and_heat_map(page, address):
    open_at(page, f"{address}/matching")
    before = heat_map(page)
    type_into(page, "Sentence B", "借呗的利息是多少")
    assert "different" in verdict(page) and heat_map(page) != before


def test_a_link_opens_the_same_view_elsewhere(page, address, browser):
    open_at(page, f"{address}/matching")
    page.get_by_role("radio", name="1", exact=True).first.click()
    type_into(page, "Sentence A", "借呗逾期了怎么办")
    assert parse_qs(urlsplit(page.url).query)["layer"] == ["1"]
    other = browser.new_context(locale="zh-CN").new_page()
    open_at(other, page.url)
    assert heat_map(other) == heat_map(page) and verdict(other) == verdict(page)
    other.context.close()


def test_the_language_follows_the_browser_and_can_be_switched(address, browser):
    context = browser.new_context(locale="zh-CN")
    page = context.new_page()
    open_at(page, f"{address}/sentiment")
    expect(page.get_by_role("heading", name="这篇影评是好评吗")).to_be_visible()
    page.get_by_role("radio", name="English").click()
    expect(page.get_by_role("heading", name="Is this review positive")).to_be_visible()
    context.close()


def test_markup_that_was_typed_is_shown_as_text(page, address):
    open_at(page, f"{address}/sentiment?text={quote(HOSTILE)}")
    assert page.get_by_label("Movie review (English)").input_value() == HOSTILE
    assert "<script>alert(1)</script>" in re.sub(r"\s+", "", page.locator(".st-key-view_text").inner_text())
    open_at(page, f"{address}/matching?a={quote('<b>花呗</b>')}&unit=token")
    plot = page.locator(".st-key-view_heatmap .nsewdrag").first
    plot.scroll_into_view_if_needed()
    area = plot.bounding_box()
    for nudge in (0, 2):  # the second token of the first row: "<"
        page.mouse.move(area["x"] + area["width"] * 1.5 / 22 + nudge, area["y"] + 10)
    expect(page.locator(".st-key-view_heatmap .hoverlayer")).to_contain_text("<")


@pytest.mark.parametrize("view", ["heatmap", "text"])
@pytest.mark.parametrize("kind", ["PNG", "SVG", "HTML", "CSV"])
def test_every_kind_of_download(page, address, view, kind, tmp_path):
    open_at(page, f"{address}/sentiment")
    page.locator(f".st-key-menu_{view} button").click()
    with page.expect_download() as download:
        page.get_by_role("button", name=kind, exact=True).click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    content = file.read_bytes()
    assert file.name == f"{view}.{kind.lower()}"
    begins = {"PNG": b"\x89PNG", "SVG": b"<svg", "HTML": b"<!DOCTYPE html>", "CSV": b""}[kind]
    assert content.startswith(begins) and len(content) > 200
    if kind == "HTML":
        assert not re.search(rb'<(script|link|img)[^>]+(src|href)=["\']https?://', content)


def test_an_example_is_there_three_seconds_after_the_server_has_started(page, address):
    """Asserts what is there, not how long it took: an example already analysed, with no click."""
    open_at(page, f"{address}/sentiment")
    assert page.get_by_label("Movie review (English)").input_value() and verdict(page)
