"""Every page is free of the violations of WCAG 2.2 AA and of good practice that axe-core finds, in both themes."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser import PROJECT
from tests.words import english

AXE = PROJECT / "viz_core/explorer/node_modules/axe-core/axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
READY = {  # what stands on a page once it is complete
    "": ".explorer[data-drawn]",
    "lessons": "h1",
    "lessons?presents=looking&slide=choose": "h1",
    "sentiment?lesson=looking&card=choose": ".st-key-lesson .stForm",
    "sentiment": ".explorer[data-drawn]",
    "matching": ".explorer[data-drawn]",
    "news": ".explorer[data-drawn]",
    "translation": ".translation[data-idle=true]",
    "inside": ".inside[data-idle=true]",
    "inside?inside=calculator": ".calculator[data-drawn]",
    "models": "h2",
    "models?task=tatoeba": "h2",
    "head?task=afqmc&head=2.4": "h2",
    "evaluation": "h1",
    "training": "h1",
    "your-data": "h1",
    "other": "h1",
    "language-model": "h1",
    "review-writer": "h1",
    "syllables": ".explorer[data-drawn]",
}
QUICK = [("matching", "light"), ("translation", "dark")]
CASES = [
    pytest.param(path, theme, marks=[] if (path, theme) in QUICK else pytest.mark.slow)
    for path in READY
    for theme in ("light", "dark")
]
# The box for files is left out: its roles are Streamlit's, and the words of its button come from a style sheet, which
# browsers read aloud and axe-core does not see.
VIOLATIONS = """async (rules) => (await axe.run(
  { include: [["html"]], exclude: [["[data-testid=stFileUploaderDropzone]"]] }, { runOnly: rules })).violations.flatMap(
  ({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))"""
# The style sheet of pages/frame.py: Streamlit loads the part of itself that inserts it after the page is drawn.
STYLED = "() => getComputedStyle(document.documentElement).getPropertyValue('--focus') !== ''"
# Streamlit fades in what it draws: colours are measured once they stay.
STILL = """() => document.getAnimations().every(
  (one) => one.playState !== "running" || one.effect.getComputedTiming().iterations === Infinity)"""


def open_page(page: Page, address: str, path: str, theme: str) -> None:
    page.emulate_media(color_scheme=theme)
    page.goto(f"{address}/{path}")
    page.wait_for_selector(READY[path])
    page.wait_for_function(STYLED)
    page.wait_for_load_state("networkidle")  # parts of Streamlit that draw figures: what is below them moves
    wait_until_still(page)


def wait_until_still(page: Page) -> None:
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    page.wait_for_function(STILL)


def violations(page: Page) -> list[str]:
    page.evaluate(AXE.read_text(encoding="utf-8"))
    return page.evaluate(VIOLATIONS, RULES)


@pytest.mark.parametrize("path, theme", CASES)
def test_axe_finds_no_violation(page, address, path, theme):
    """With all expanders open; then with What if? and the list of shortcuts, which lie over the explorer."""
    open_page(page, address, path, theme)
    folded = page.locator("details:not([open]) > summary:visible")
    while folded.count():
        folded.first.click()
        wait_until_still(page)
    found = violations(page)
    buttons = [page.get_by_role("button", name=english(name)) for name in ("explorer.settings", "explorer.help")]
    if opening := [button for group in buttons for button in group.all()]:
        for button in opening:
            button.click()
        wait_until_still(page)
        found += violations(page)
    assert found == []


def test_the_first_tab_stop_leads_to_the_explorer(page, address):
    open_page(page, address, "matching", "light")
    heading = page.locator(".explorer .reading h2")
    expect(heading).to_have_text(english("explorer.of_head", layer=2, head=4))
    page.keyboard.press("l")  # nothing has the focus yet
    expect(heading).to_have_text(english("explorer.of_head", layer=3, head=4))
    page.keyboard.press("Tab")
    link = page.get_by_role("link", name=english("explorer.skip"))
    expect(link).to_be_focused()
    expect(link).to_be_in_viewport(ratio=1)
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.locator(".explorer .toolbar :focus")).to_have_count(1)
    expect(page.locator(".explorer .toolbar :focus")).to_be_in_viewport(ratio=1)


FOCUSED = """() => {
  let element = document.activeElement;
  while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element), box = element.getBoundingClientRect();
  return {
    name: `${element.tagName} ${element.ariaLabel ?? element.textContent.trim().slice(0, 30)}`,
    outlined: (outlineStyle !== "none" && parseFloat(outlineWidth) >= 2) || boxShadow !== "none"
      || element.matches("textarea"), // an edge and a cursor
    onScreen: box.bottom > 0 && box.top < innerHeight,
    end: element === document.body };
}"""


@pytest.mark.slow
@pytest.mark.parametrize("path", READY)
def test_every_tab_stop_is_visible(page, address, path):
    """WCAG 2.2, 2.4.7 and 2.4.11."""
    open_page(page, address, path, "light")
    stops = []
    for _ in range(90):
        page.keyboard.press("Tab")
        stops.append(page.evaluate(FOCUSED))
        if stops[-1]["end"]:
            break
    named = [stop for stop in stops if not stop["end"]]
    assert len(named) > 10
    assert [stop["name"] for stop in named if not stop["outlined"]] == []
    assert [stop["name"] for stop in named if not stop["onScreen"]] == []


def test_the_buttons_of_the_boxes_for_files_have_a_name(page, address):
    open_page(page, address, "your-data", "light")
    page.get_by_text(english("own_data.import")).click()
    box = page.get_by_test_id("stFileUploaderDropzone")
    for number in range(2):
        expect(box.nth(number).locator("button")).to_have_accessible_name(english("evaluation.file_choose"))
