"""From the home page to what a word attends to, as somebody who has never seen the app."""

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.explorer.conftest import RECORD_CANVAS
from tests.words import english


def places(canvas: Locator) -> dict[str, list[tuple[float, float]]]:
    """Where each text stands on a canvas, in px on the page."""
    box, entries = canvas.bounding_box(), canvas.evaluate("(canvas) => canvas.texts")
    texts = {}
    for entry in entries:
        texts.setdefault(entry["text"], []).append((box["x"] + entry["x"], box["y"] + entry["y"]))
    return texts


def test_what_attends_to_what_is_on_the_first_screen_and_its_weight_one_click_away(page, address):
    page.add_init_script(RECORD_CANVAS)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(address)
    links = page.locator(".explorer.preview .links canvas")
    expect(links).to_be_in_viewport(ratio=0.99)
    expect(page.get_by_text(english("home.preview_note"))).to_be_in_viewport(ratio=0.99)
    expect(page.locator(".explorer .reading h2")).to_have_text(english("explorer.of_head", layer=2, head=4))
    names = places(links)
    assert abs(names["怎么"][0][1] - names["如何"][0][1]) < 1  # the line between them is level

    page.get_by_role("button", name=english("home.tour_words")).click()
    cells = page.locator(".instrument ~ .explorer .heatmap canvas").first
    expect(cells).to_be_visible()
    expect(page.locator(".explorer .reading h2")).to_have_text(english("explorer.of_head", layer=2, head=4))
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    names = places(cells)
    queries, keys = min(names["怎么"]), names["如何"]
    page.mouse.move(max(keys)[0], queries[1])  # names of queries stand on the left, those of keys above
    expect(page.locator(".explorer .reading .line")).to_contain_text("怎么")
    reading = page.locator(".explorer .reading .line").inner_text()
    weight = float(re.search(r"0\.\d+", reading)[0])
    assert "如何" in reading and weight > 0.5, reading


def test_on_a_phone_the_example_comes_before_introduction_and_tour(page, address):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(address)
    expect(page.locator(".explorer.preview .overview canvas").first).to_be_in_viewport(ratio=0.99)
    tour = page.get_by_role("button", name=english("home.tour_words"))
    assert page.locator(".explorer.preview").bounding_box()["y"] < tour.bounding_box()["y"]


@pytest.mark.slow
def test_no_title_runs_into_the_settings_beside_it(page, address):
    page.set_viewport_size({"width": 1280, "height": 720})
    for url in ("training", "evaluation", "translation"):  # the longest titles
        page.goto(f"{address}/{url}?projector=True")
        settings = page.locator(".st-key-settings").get_by_role("button", name=english("pages.share"))
        expect(settings).to_be_visible()
        expect(page.locator("html")).to_have_css("font-size", "20px")  # the style of projector mode has arrived
        expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
        places = """(settings) => {
            const title = document.querySelector("h1");
            const words = title.querySelector("span") ?? title;
            return [words.getBoundingClientRect().right, settings.getBoundingClientRect().left];
        }"""
        end_of_words, start_of_settings = settings.evaluate(places)  # both in one moment: the page may still be moving
        assert end_of_words < start_of_settings, url


@pytest.mark.slow
def test_in_projector_mode_no_sentence_of_a_figure_is_cut(page, address):
    page.set_viewport_size({"width": 1280, "height": 720})
    for url, figures in (("models?task=afqmc", 5), ("inside?inside=lens&task=imdb", 1), ("inside?inside=plane", 1)):
        page.goto(f"{address}/{url}&projector=True&lang=zh")
        subtitles = page.locator(".js-plotly-plot .gtitle-subtitle")
        expect(subtitles.nth(figures - 1)).to_be_attached()
        expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
        cut = """(subtitles) => {
            const end = (element) => element.getBoundingClientRect().right;
            const isCut = (subtitle) => end(subtitle) > end(subtitle.closest(".js-plotly-plot"));
            return subtitles.filter(isCut).map((subtitle) => subtitle.textContent);
        }"""
        assert subtitles.evaluate_all(cut) == [], url
