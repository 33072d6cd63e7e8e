"""Patching in a browser: a click on the map of heads opens a head in both texts."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.slow


def test_a_click_on_a_head_shows_it_in_both_texts(page, address):
    page.goto(f"{address}/sentiment?lang=en&text=not+good&source_text=good&evidence=patching&site=heads")
    cells = page.locator(".st-key-view_patching .heatmaplayer image")
    box = cells.bounding_box()
    last = {"x": box["width"] * 0.95, "y": box["height"] * 0.95}
    cells.click(position=last, force=True)
    page.wait_for_url(lambda url: "ref_a=good" in url and "ref_mode=side" in url)
    expect(page.locator(".explorer .comparison")).to_contain_text("good")
