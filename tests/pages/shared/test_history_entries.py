"""Which changes of the address are entries of the browser's history (pages/shared/history.js)."""

from pathlib import Path

import pytest
from playwright.sync_api import Page

from pages.shared import history

pytestmark = pytest.mark.browser
HOST = "http://history.test/"


@pytest.fixture
def page(browser):
    context = browser.new_context()
    page = context.new_page()
    page.clock.install(time=0)
    page.route("**/*", lambda route: route.fulfill(body="<button>act</button>", content_type="text/html"))
    page.goto(HOST)
    page.clock.pause_at(60_000)  # from here on no time passes but by `run_for`, however slow the machine is
    script = Path(history.__file__).with_suffix(".js").read_text(encoding="utf-8")
    page.add_script_tag(content=script.replace("export default function", "window.mount = function"))
    page.evaluate("mount({ data: { steps: ['step', 'head'] } })")
    yield page
    context.close()


def act(page: Page) -> None:
    page.locator("button").click()


def write(page: Page, query: str, ms: int) -> None:
    """What Streamlit does when a run has changed the link, and the time until something else happens."""
    page.evaluate("(query) => history.pushState(null, '', query)", f"/?{query}")
    page.clock.run_for(ms)


def go_through(page: Page) -> list[str]:
    """The queries that going back leads to, the present one first."""
    seen = [page.evaluate("location.search")]
    while seen[-1]:
        page.evaluate("new Promise((done) => { addEventListener('popstate', done, { once: true }); history.back(); })")
        seen.append(page.evaluate("location.search"))
    return seen


def test_two_quick_changes_are_two_steps_though_both_acts_came_before_the_first_was_written(page):
    act(page)
    act(page)
    write(page, "step=a", 400)
    write(page, "step=b", 600)
    assert go_through(page) == ["?step=b", "?step=a", ""]


def test_an_act_ends_the_step_before(page):
    for query in ("step=a", "step=b"):
        act(page)
        write(page, query, 100)
    page.clock.run_for(600)
    assert go_through(page) == ["?step=b", "?step=a", ""]


@pytest.mark.parametrize(
    "acts, queries, ms",
    [
        (1, ["step=a", "step=b"], 400),  # a slider that is dragged
        (2, ["step=a", "step=a&head=1"], 400),  # what the app changes after a list was opened and an entry chosen
        (2, ["step=a", "step=b"], 100),  # all that one run writes
    ],
)
def test_changes_that_follow_from_one_are_a_single_step(page, acts, queries, ms):
    for _ in range(acts):
        act(page)
    for query in queries:
        write(page, query, ms)
    page.clock.run_for(600)
    assert go_through(page) == [f"?{queries[-1]}", ""]


def test_what_the_app_changes_by_itself_is_no_step(page):
    write(page, "step=a", 600)
    before = page.evaluate("history.length")
    act(page)
    write(page, "step=a&query=3", 600)
    assert page.evaluate("history.length") == before
