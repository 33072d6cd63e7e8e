"""A lesson in a browser: the ring, what is done, what the browser keeps, and the two windows of a presenter."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser import PROJECT
from tests.words import english, opening
from viz_core.language import LANGUAGES, Translator
from viz_core.lessons.finding import SHIPPED as SHIPPED_FOLDER
from viz_core.lessons.reading import read_lesson

LESSON = read_lesson(PROJECT / "tests/lessons/own/1-looking.md")
SIDES = {card.name: card.sides["en"] for card in LESSON.cards}


SHIPPED = [read_lesson(file) for file in sorted(SHIPPED_FOLDER.glob("*.md"))]


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(SHIPPED)), ids=[lesson.name for lesson in SHIPPED])
def test_every_card_opens_its_page_waits_and_points_at_its_control(page, address, number):
    """In one language each."""
    lesson, language = SHIPPED[number], [*LANGUAGES][number % 2]
    page.goto(f"{address}/lessons?lang={language}")
    page.locator(f".st-key-open_{lesson.name} button").click()
    for card in lesson.cards:
        expect(card_of(page)).to_contain_text(card.sides[language].title)
        if url := card.state(language)[0]:
            page.wait_for_url(f"**/{url}?**")
        if card.point:
            expect(page.locator(".lesson-ring")).to_be_visible()
        expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
        expect(page.locator(".st-key-lesson_mark"), card.name).to_have_count(0)
        expect(page.get_by_text(opening("pages.failed", language)), card.name).to_have_count(0)
        page.locator(".st-key-lesson_next button").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(Translator(language)("lessons.page"))


def start(page: Page, address: str, card: str = "turn") -> None:
    """Opens a card from the list of lessons, or by its link."""
    if card == "turn":
        page.goto(f"{address}/lessons?lang=en")
        page.locator(".st-key-open_looking button").click()
    else:
        page.goto(f"{address}/matching?lang=en&lesson=looking&card={card}")
    expect(card_of(page)).to_contain_text(SIDES[card].title)


def card_of(page: Page):
    return page.locator(".st-key-lesson")


def test_a_card_points_waits_and_reveals_and_the_browser_keeps_it(page, address):
    start(page, address)
    expect(page.get_by_role("textbox").first).to_have_value("The film is not good.")
    ring = page.locator(".lesson-ring")
    expect(ring).to_be_visible()
    around = """() => {
        const ring = document.querySelector(".lesson-ring");
        const inside = document.elementsFromPoint(...(({ x, y, width, height }) => [x + width / 2, y + height / 2])(
            ring.getBoundingClientRect()));
        return inside.some((element) => element.shadowRoot?.querySelector("textarea"));
    }"""
    page.wait_for_function(around)
    expect(card_of(page)).not_to_contain_text(SIDES["turn"].reveal)

    page.get_by_role("textbox").first.fill("The film is good.")
    expect(card_of(page)).to_contain_text(SIDES["turn"].reveal)
    expect(ring).to_be_hidden()
    page.goto(f"{address}/lessons?lang=en")  # another visit: the answers come from the browser
    expect(page.locator(".st-key-box_looking")).to_contain_text(english("lessons.progress", done=1))


def test_a_click_on_a_term_says_what_it_means(page, address):
    start(page, address)
    term = card_of(page).get_by_role("link", name="query")
    meaning, bubble = term.get_attribute("title"), page.locator(".lesson-term")
    expect(page.locator(".lesson-ring")).to_be_visible()  # the script is there
    term.click()
    expect(bubble).to_have_text(f"query: {meaning}")
    page.keyboard.press("Escape")
    expect(bubble).to_be_hidden()
    assert len(page.context.pages) == 1 and "#" not in page.url  # the page has stayed


def test_a_head_that_is_chosen_below_the_explorer_scrolls_the_page_and_nothing_around_it(page, address):
    state = "model=small-distilled&text=The film is not bad.&head=1.3&query=1&evidence=parts"
    page.goto(f"{address}/sentiment?lang=en&{state}&lesson=looking&card=turn")
    cell = page.locator(".st-key-view_contributions path.point").nth(3)
    page.locator(".explorer[data-drawn]").wait_for()
    page.get_by_test_id("stMain").evaluate("(box, y) => box.scrollBy(0, y)", cell.bounding_box()["y"] - 300)
    expect(cell).to_be_in_viewport()
    cell.click(force=True)
    page.wait_for_url(lambda url: "head=1.4" in url)
    expect(page.locator(".explorer .reading h2")).to_be_in_viewport()
    assert page.get_by_test_id("stAppViewContainer").evaluate("box => box.scrollTop") == 0


def test_keys_turn_cards_but_not_while_one_types(page, address):
    start(page, address)
    page.locator(".explorer[data-drawn]").wait_for()
    expect(page.locator(".lesson-ring")).to_be_visible()  # the script that listens is there
    page.get_by_role("textbox").first.press_sequentially("n")
    expect(card_of(page)).to_contain_text(SIDES["turn"].title)
    page.get_by_role("heading", level=1).click()
    page.keyboard.press("n")
    expect(card_of(page)).to_contain_text(SIDES["choose"].title)
    page.go_back()
    expect(card_of(page)).to_contain_text(SIDES["turn"].title)


def test_the_window_of_the_class_follows_that_of_the_presenter(page, address):
    own = page.context.new_page()  # another tab of the teacher's, in a lesson of its own
    start(own, address)
    page.goto(f"{address}/lessons?lang=en")
    page.locator(".st-key-present_looking button").click()
    with page.context.expect_page() as opened:
        page.get_by_role("link", name=english("lessons.other_window")).click()
    shown = opened.value
    expect(card_of(shown)).to_contain_text(SIDES["turn"].title)
    page.locator(".st-key-slide_reveal button").click()
    expect(card_of(shown)).to_contain_text(SIDES["turn"].reveal)
    expect(page.locator(".st-key-slide_reveal button")).to_be_disabled()
    page.keyboard.press("PageDown")
    expect(card_of(shown)).to_contain_text(SIDES["choose"].title)
    expect(page.get_by_test_id("stMain")).to_contain_text(SIDES["number"].title)
    assert SIDES["turn"].notes not in shown.locator("body").inner_text()
    expect(card_of(own)).to_contain_text(SIDES["turn"].title)
    expect(card_of(own)).not_to_contain_text(SIDES["turn"].reveal)


def test_letters_turn_no_card_where_shortcuts_are_restricted(page, address):
    page.add_init_script("localStorage.setItem('attention-microscope.shortcuts', 'within')")
    start(page, address)
    page.locator(".explorer[data-drawn]").wait_for()
    page.get_by_role("heading", level=1).click()
    page.evaluate("addEventListener('keydown', (event) => { globalThis.taken = event.defaultPrevented; })")
    page.keyboard.press("n")
    assert page.evaluate("taken") is False


def test_the_button_that_goes_on_keeps_the_focus_to_the_last_card(page, address):
    start(page, address)
    button = page.locator(".st-key-lesson_next button")
    button.focus()
    for side in list(SIDES.values())[1:]:
        expect(button).to_be_focused()
        page.keyboard.press("Enter")
        expect(card_of(page)).to_contain_text(side.title)
    expect(button).to_contain_text(english("lessons.finish"))
    expect(button).to_be_focused()


@pytest.mark.parametrize("language", ["zh", pytest.param("en", marks=pytest.mark.slow)])
def test_on_a_phone_the_card_folds_and_leaves_the_page(page, address, language):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{address}/matching?lang={language}&lesson=looking&card=choose")
    expect(card_of(page)).to_be_in_viewport(ratio=0.99)
    page.locator(".st-key-lesson_next button").wait_for()
    page.locator(".st-key-lesson_fold button").click()
    expect(page.locator(".st-key-lesson_next")).to_have_count(0)
    page.get_by_role("textbox").first.click()  # fails where the card lies over it
    page.locator(".st-key-lesson_close button").click()
    expect(card_of(page)).to_have_count(0)
