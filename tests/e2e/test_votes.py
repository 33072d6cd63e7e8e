"""The pages on which phones vote, in a browser without scripts: with one thumb, in both themes and languages."""

import socket
import threading

import pytest
import uvicorn
from playwright.sync_api import Browser, Page, expect
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route

from pages.routes import votes
from pages.routes.access import Access
from pages.routes.headers import SafetyHeaders
from pages.shared.polls import Poll, Polls
from pages.shared.visitor_cookie import VisitorCookie
from tests.e2e.test_accessibility import violations
from tests.words import english
from viz_core.language import Translator
from viz_core.records import Question

pytestmark = [pytest.mark.slow, pytest.mark.browser]
LONG = "No single word: the order of all the words, whichonewordwithoutaspacecannotsay"


@pytest.fixture
def polls(monkeypatch):
    monkeypatch.setattr(votes, "polls", Polls())
    return votes.polls


@pytest.fixture
def address(polls):
    """The routes of the phones alone, with what the server puts before them."""
    app = Starlette(
        routes=[Route("/vote", votes.type_code), Route("/vote/{code}", votes.vote, methods=["GET", "POST"])],
        middleware=[Middleware(SafetyHeaders), Middleware(Access), Middleware(VisitorCookie)],
    )
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        yield f"http://localhost:{listening.getsockname()[1]}"
        server.should_exit = True
        thread.join()


def opened(polls: Polls, options: tuple[str, ...], language: str) -> Poll:
    return polls.open("teacher", "", "card", Question("Which word decides?", options, language))


def check(page: Page) -> None:
    """Nothing scrolls sideways, everything to tap is large, and axe finds nothing."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert all(control.bounding_box()["height"] >= 44 for control in page.locator("button, input").all())
    assert violations(page) == []


@pytest.mark.parametrize(("language", "theme"), [("en", "light"), ("zh", "dark")])
def test_the_pages_of_a_phone_have_no_violation(page, address, polls, language, theme):
    say, poll = Translator(language), opened(polls, ("not", "good", LONG), language)
    page.set_viewport_size({"width": 320, "height": 640})
    page.emulate_media(color_scheme=theme)
    page.goto(f"{address}/vote/{poll.code}")
    expect(page.locator("body")).to_have_css("color-scheme", "light dark")
    check(page)
    page.get_by_role("button", name="good").click()
    expect(page.get_by_role("status")).to_contain_text(say("votes.given", vote="good"))
    expect(page.get_by_role("button", pressed=True)).to_have_text("good")
    check(page)
    poll.close()
    page.get_by_role("button", name="not", exact=True).click()
    expect(page.get_by_role("alert")).to_have_text(say("votes.closed"))
    check(page)
    number = opened(polls, (), language)
    page.get_by_role("link").click()
    page.get_by_role("textbox").fill("a third")
    page.get_by_role("button").click()
    expect(page.get_by_role("alert")).to_be_visible()
    check(page)
    assert number.code == poll.code and number.count == 0


def test_without_scripts_a_code_is_typed_and_a_vote_is_given(browser: Browser, address, polls):
    poll = opened(polls, ("not", "good"), "en")
    context = browser.new_context(java_script_enabled=False, viewport={"width": 320, "height": 640}, locale="en-GB")
    page = context.new_page()
    page.goto(f"{address}/vote")
    page.get_by_role("textbox", name=english("votes.code")).fill("XXXXXX")
    page.get_by_role("textbox").press("Enter")
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_role("textbox").fill(f"{poll.code[:3].lower()} {poll.code[3:]}")
    page.get_by_role("button").click()
    page.get_by_role("button", name="not").click()
    expect(page.get_by_role("status")).to_contain_text(english("votes.given", vote="not"))
    assert poll.votes.counts == (1, 0)
    context.close()
