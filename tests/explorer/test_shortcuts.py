"""Shortcuts work wherever the focus is on the page, unless the key belongs to what has it."""

from base64 import b64encode

import pytest

from tests.explorer import examples
from tests.explorer.instrument_page import LINK, explain, opening

pytestmark = pytest.mark.browser

# Adds an element to the page and gives it the focus.
PUT = """(html) => {
  document.body.insertAdjacentHTML("afterbegin", html);
  document.body.firstElementChild.querySelector("[autofocus]").focus();
}"""
COMPOSED = """(key) => document.body.dispatchEvent(
  new KeyboardEvent("keydown", { key, isComposing: true, bubbles: true, composed: true }))"""


@pytest.fixture
def explorer(open_explorer):
    return open_explorer(examples.review())


def put(explorer, html: str) -> None:
    explorer.page.evaluate(PUT, f"<div>{html}</div>")


def test_they_work_without_focusing_the_explorer_first(explorer):
    assert explorer.page.evaluate("document.activeElement === document.body")
    explorer.press("h")
    assert explorer.title == "Layer 1, head 2"
    put(explorer, "<a href='#' autofocus>Models</a>")
    explorer.press("l")
    assert explorer.title == "Layer 2, head 2"


@pytest.mark.parametrize(
    "html",
    [
        "<input autofocus>",
        "<textarea autofocus></textarea>",
        "<select autofocus><option>here</select>",
        "<p contenteditable=true autofocus>note</p>",
        "<div role=listbox><div role=option tabindex=0 autofocus>head</div></div>",
        "<div role=dialog><button autofocus>Close</button></div>",
        "<button aria-expanded=true autofocus>Share</button>",
    ],
)
def test_they_are_left_to_what_uses_the_key(explorer, html):
    put(explorer, html)
    explorer.press("h", "?")
    assert explorer.title == "Layer 1, head 1" and not explorer.page.locator(".help").is_visible()


def test_they_are_left_to_a_box_inside_another_component(explorer):
    put(explorer, "<div id=host></div><span tabindex=-1 autofocus></span>")
    explorer.page.evaluate(
        """() => {
          const inner = document.querySelector("#host").attachShadow({ mode: "open" });
          inner.innerHTML = "<input>";
          inner.firstElementChild.focus();
        }"""
    )
    explorer.press("h")
    assert explorer.title == "Layer 1, head 1"


def test_they_are_left_to_browser_and_input_method(explorer):
    explorer.page.evaluate(COMPOSED, "h")
    explorer.press("Alt+h")
    assert explorer.title == "Layer 1, head 1"


def test_a_person_can_restrict_them_to_the_explorer(instrument):
    """The browser remembers it: WCAG 2.2, 2.1.4."""
    page = instrument.open_texts("A good film").page
    heading = page.locator(".reading h2")
    page.keyboard.press("?")
    page.get_by_role("checkbox", name="Shortcuts work anywhere").uncheck()
    page.keyboard.press("?")  # in the explorer they still work
    page.reload()
    page.wait_for_function("Boolean(globalThis.mount)")
    instrument.open_texts("A good film")
    page.keyboard.press("h")
    instrument.frame()
    assert heading.inner_text() == "Layer 1, head 1"
    page.locator(".explorer .toolbar button").first.focus()
    page.keyboard.press("h")
    instrument.frame()
    assert heading.inner_text() == "Layer 1, head 2"


def test_of_two_explorers_on_a_page_the_first_listens(instrument):
    page = instrument.open_texts("A good film").page
    page.evaluate(
        """async (data) => {
          const second = document.createElement("div"), { default: component } = await import("./explorer.js");
          second.innerHTML = "<div class=instrument></div><div class=explorer></div>";
          document.body.append(second);
          const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
          component({ data: bytes, parentElement: second, setTriggerValue() {} });
        }""",
        b64encode(opening(explain(["A good film"]), selection=LINK)).decode(),
    )
    instrument.frame()
    page.keyboard.press("h")
    instrument.frame()
    assert page.locator(".reading h2").all_inner_texts() == ["Layer 1, head 2", "Layer 1, head 1"]


def test_nothing_moves_for_whoever_has_asked_for_that(open_explorer):
    explorer = open_explorer(examples.review(), reduced_motion="reduce")
    assert explorer.page.evaluate(
        """() => [...document.querySelectorAll(".explorer, .explorer *")].every((part) => {
          part.classList.add("waiting", "pending");
          return getComputedStyle(part).transitionDuration === "0s";
        })"""
    )
