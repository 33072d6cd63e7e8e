"""Accessibility for screen readers."""

import re

import pytest

from tests.explorer import examples
from tests.words import says

pytestmark = pytest.mark.browser

REVIEW = examples.review()


@pytest.fixture
def explorer(open_explorer):
    return open_explorer(REVIEW, {"head": "2.1"})


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_control_has_a_name(open_explorer, language):
    explorer = open_explorer(examples.pair(), {"head": "1.1 2.2"}, language)
    unnamed = explorer.page.evaluate("""() => [...document.querySelectorAll("button, select, [tabindex='0']")]
        .filter((control) => !(control.getAttribute("aria-label") || control.title || control.labels?.[0]?.textContent
          || control.textContent).trim()).map((control) => control.outerHTML)""")
    assert unnamed == []
    for view in explorer.views:
        assert explorer.view(view).get_attribute("aria-label") == explorer.view(view).locator("h3").inner_text()
    assert explorer.page.locator(".explorer").get_attribute("lang") == language


def test_headings_are_in_order(explorer):
    """Below the title of the page: what is shown, and its views."""
    headings = explorer.page.locator("h1, h2, h3, h4, h5, h6").evaluate_all(
        "(all) => all.map(({ tagName }) => tagName)"
    )
    assert headings[:2] == ["H2", "H3"] and sorted(headings) == ["H2", *["H3"] * 5]


def test_buttons_have_a_pressed_state(explorer):
    views = explorer.page.get_by_role("group", name="Views")
    assert views.get_by_role("button", pressed=True).count() == 6
    explorer.press("Tab", "Enter")
    assert [button.get_attribute("aria-pressed") for button in views.get_by_role("button").all()] == [
        *["false"],
        *["true"] * 4,
        *["false"],
    ], "all heads, the others, and all of them"


def test_the_status_announces_selections_but_not_hovering(explorer):
    status = explorer.page.locator(".reading [role=status]")
    assert status.inner_text().startswith("Layer 2, head 1. No token selected")
    explorer.click(explorer.token("not"))
    assert status.inner_text().startswith("Layer 2, head 1. ")
    assert says(status.inner_text(), "explorer.selected_from", query="not (5)")
    before = status.inner_text()
    explorer.point_at(explorer.cell(3, 3))
    assert explorer.reading.startswith("is (4) gives") and status.inner_text() == before
    explorer.click_at(explorer.cell(3, 3))
    explorer.point_at((5, 5))
    assert status.inner_text().startswith("Layer 2, head 1. is (4) gives 0.")


def test_the_distribution_is_a_table_with_headers(explorer):
    table = explorer.view("distribution").get_by_role("table", name="Weights, largest first")
    assert table.get_by_role("columnheader").all_inner_texts() == ["rank", "token", "weight", "cumulative"]
    assert table.get_by_role("row").count() == 1 + 15
    first = table.get_by_role("row").nth(1).get_by_role("cell").all_inner_texts()
    assert first[0] == "1" and re.fullmatch(r"\w+ \(\d+\)", first[1]) and re.fullmatch(r"0\.\d{4}", first[2])


def test_a_long_table_is_expanded_on_request(open_explorer):
    explorer = open_explorer(examples.of_length(64), {"head": "2.1"})
    rows = explorer.view("distribution").get_by_role("table").get_by_role("row")
    assert rows.count() == 1 + 15
    explorer.click(explorer.view("distribution").get_by_role("button", name="Show all"))
    assert rows.count() == 1 + 64
    explorer.click(explorer.view("distribution").get_by_role("button", name="Show the first 15"))
    assert rows.count() == 1 + 15


def test_thumbnails_are_described_by_their_statistics(explorer):
    name = explorer.head(2, 1).get_attribute("aria-label")
    assert re.fullmatch(
        r"Layer 2, head 1\. Entropy 0\.\d\d \(1 = uniform\), mean distance \d+\.\d tokens, "
        r"weight on \[CLS\] 0\.\d\d, on \[SEP\] 0\.\d\d\.",
        name,
    )


def test_decoration_is_hidden_from_screen_readers(explorer):
    assert explorer.page.locator("kbd:not([aria-hidden=true]), svg:not([aria-hidden=true])").count() == 0
