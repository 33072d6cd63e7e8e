"""From the home page to what a word attends to, as somebody who has never seen the app."""

import re

import pytest
from playwright.sync_api import expect

from tests.explorer.conftest import RECORD_CANVAS
from tests.words import chinese, english, says


def test_the_first_screen_argues(page, address):
    """What attends to what, whether that matters, and the ways on; what is typed is answered at once."""
    page.add_init_script(RECORD_CANVAS)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{address}/?lang=en")
    links = page.locator(".explorer.compact .links canvas")
    expect(links).to_be_in_viewport(ratio=0.99)
    reading, matters = page.locator(".explorer .reading .line"), page.locator(".matters:not(.pending) > .verdict")
    expect(reading).to_contain_text("good (6)")
    assert says(reading.inner_text(), "explorer.selected_from", query="good (6)", key="not (5)")
    expect(matters).to_be_visible()
    assert says(matters.inner_text(), "explorer.matters_word_shared", heads=english("explorer.matters_this"))
    for card in ("card_matching", "card_inside", "card_models", "card_training"):
        expect(page.get_by_role("link", name=english(f"home.{card}")).last).to_be_in_viewport(ratio=0.99)

    box = page.get_by_role("textbox")
    box.fill("The film is good.")
    expect(page.locator(".prediction .verdict")).to_contain_text(re.compile("^Positive"))
    page.get_by_role("button", name=english("home.explore")).click()
    cells = page.locator(".instrument ~ .explorer .heatmap canvas").first
    expect(cells).to_be_visible()
    expect(page.get_by_role("textbox")).to_have_value("The film is good.")


@pytest.mark.parametrize("width", [1280, pytest.param(390, marks=pytest.mark.slow)])
def test_beside_its_prediction_stands_that_the_model_of_pairs_does_not_beat_the_baseline(page, address, width):
    """Beside it, and not a remark on its calibration, which would make it look good; the cards stay in sight."""
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"{address}/?lang=zh")
    doubt = page.locator(".instrument.compact .about")
    expect(doubt).to_be_in_viewport(ratio=0.99)
    label = chinese("rendering.label_different")
    assert says(doubt.inner_text(), "health.baseline_like", "zh", label=label)
    if width == 1280:
        expect(page.get_by_role("link", name=chinese("home.card_training")).last).to_be_in_viewport(ratio=0.99)
    page.goto(f"{address}/?lang=en")
    expect(page.locator(".explorer.compact .reading .line")).to_be_visible()
    expect(page.locator(".instrument.compact .about")).to_be_hidden()


@pytest.mark.parametrize("url", ["", pytest.param("sentiment", marks=pytest.mark.slow)])
def test_a_door_leads_to_the_full_test(page, address, url):
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{address}/{url}?lang=en")
    page.locator(".matters:not(.pending) button").nth(1).click()
    expect(page.locator(".whatif[data-idle=true] .headline")).to_be_in_viewport(ratio=0.99)


@pytest.mark.parametrize("url", ["models", pytest.param("evaluation", marks=pytest.mark.slow)])
def test_the_places_of_evidence_lead_to_that_of_a_text(page, address, url):
    """Below the views, which are drawn while the page scrolls."""
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{address}/{url}?lang=en")
    page.locator(".st-key-way_whatif button").click()
    expect(page.locator(".whatif[data-idle=true] .headline")).to_be_in_viewport(ratio=0.99)
    expect(page.locator("#evidence")).to_be_in_viewport(ratio=0.99)


def test_a_door_opens_the_full_test_with_its_changes(page, address):
    page.goto(f"{address}/sentiment?lang=en")
    doors = page.locator(".matters:not(.pending) button")
    doors.nth(1).click()  # the word
    headline = page.locator(".whatif[data-idle=true] .headline")
    expect(headline).to_be_visible()
    expect(page.locator(".whatif .changed")).to_contain_text("not (5)")
    doors.nth(0).click()  # the head, in place of the word
    expect(page.locator(".whatif .changed")).to_contain_text("2.2")
    expect(page.locator(".whatif .changed")).not_to_contain_text("not (5)")
    page.wait_for_url("**masked=2.2**")


def test_on_a_phone_the_sentence_and_its_prediction_come_first(page, address):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{address}/?lang=en")
    expect(page.locator(".explorer.compact .reading .line")).to_be_in_viewport(ratio=0.99)
    expect(page.get_by_role("textbox")).to_be_in_viewport(ratio=0.99)
    expect(page.locator(".prediction .verdict")).to_be_in_viewport(ratio=0.99)


def test_on_a_phone_the_menu_opens_and_closes_once_a_page_is_chosen(browser, address):
    context = browser.new_context(viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True)
    page = context.new_page()
    page.goto(f"{address}/?lang=en")
    page.locator(".explorer.compact .reading .line").wait_for()
    page.get_by_test_id("stExpandSidebarButton").tap()  # fails where something lies over it
    page.get_by_test_id("stSidebarNavLink").filter(has_text=english("lessons.page")).tap()
    expect(page.get_by_role("heading", name=english("lessons.page"), level=1)).to_be_visible()
    expect(page.get_by_test_id("stSidebarNavLink").first).not_to_be_in_viewport()
    context.close()


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
