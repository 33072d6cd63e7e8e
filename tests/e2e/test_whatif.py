"""What-if on the real pages, with the models that ship: what is changed moves the answer, and can be taken back."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser


def settled(page: Page) -> None:
    page.wait_for_timeout(100)
    page.wait_for_selector(".whatif[data-settled=true]")


def now(page: Page) -> float:
    """The probability that is shown as the one now, in percent."""
    return float(re.search(r"→ ([\d.]+)%", page.locator(".headline").inner_text()).group(1))


def test_a_masked_head_moves_the_answer_without_a_rerun_and_undo_brings_it_back(page, address):
    frames = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: frames.append(frame)))
    page.goto(f"{address}/sentiment")
    page.get_by_text("What if?", exact=True).click()
    settled(page)
    before = now(page)
    page.wait_for_timeout(1500)  # the explorer tells the link what is selected in it
    frames.clear()
    page.get_by_role("button", name="Layer 1, head 1:").click()
    settled(page)
    assert now(page) != before and "masked 1.1" in page.locator(".whatif .changed").inner_text()
    assert re.search(r"The same done to one random head: .* \(7 tries", page.locator(".control").inner_text())
    page.get_by_role("button", name="Undo").click()
    settled(page)
    assert now(page) == before and not frames, "Streamlit was asked for nothing"


def test_what_is_changed_outlives_another_language(page, address):
    page.goto(f"{address}/matching?evidence=whatif")
    settled(page)
    page.locator(".whatif .chip").nth(1).click()
    page.locator(".whatif .square").nth(5).click()
    settled(page)
    shown = now(page)
    page.get_by_role("radio", name="中文").click()
    expect(page.locator(".whatif .changed")).to_contain_text("关闭 2.2 · 移除 花 (2)")
    assert now(page) == shown


def test_deleting_a_token_is_not_the_same_as_masking_it_in_place(page, address):
    page.goto(f"{address}/matching?evidence=whatif")
    settled(page)
    page.locator(".whatif .chip").nth(1).click()
    settled(page)
    masked = now(page)
    page.get_by_role("switch", name="Delete removed tokens").click()
    settled(page)
    assert now(page) != masked and "deleted 花 (2)" in page.locator(".whatif .changed").inner_text()


def test_all_that_is_removed_is_refused_in_the_visitors_language(page, address):
    page.goto(f"{address}/sentiment?evidence=whatif&text=good&lang=zh")
    settled(page)
    page.locator(".whatif .chip").nth(1).click()
    expect(page.locator(".whatif .failure")).to_contain_text("至少要留下一个词元")
