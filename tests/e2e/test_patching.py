"""Patching in a browser: a click on the map of heads opens a head in both texts."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.slow


def test_a_click_on_a_head_shows_it_in_both_texts(page, address):
    page.goto(f"{address}/sentiment?lang=en&text=not+good&source_text=good&evidence=patching&site=heads")
    points = page.locator(".st-key-view_patching .scatterlayer .points path")
    expect(points.first).to_be_attached()
    cells = page.locator(".st-key-view_patching .heatmaplayer image").bounding_box()
    page.mouse.click(cells["x"] + cells["width"] * 0.95, cells["y"] + cells["height"] * 0.95)
    page.wait_for_url(re.compile("ref_a=good&ref_mode=side"))
    expect(page.locator(".explorer .comparison .reference")).to_contain_text("good")
