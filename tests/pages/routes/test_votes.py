"""A class votes by phone: what is counted, what is refused, and that no vote of sixty at once is lost."""

import re
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from threading import Barrier

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Mount, Route
from starlette.testclient import TestClient

from pages.routes import votes
from pages.shared.clients import Rate
from pages.shared.polls import HOURS, Polls, normalise
from pages.shared.visitor_cookie import COOKIE, VisitorCookie, sign
from tests.words import says
from viz_core.records import Question

QUESTION = Question("Which <b>word</b> decides?", ("not", "g & d"), "en")
ROUTES = [Route("/vote", votes.type_code, methods=["GET"]), Route("/vote/{code}", votes.vote, methods=["GET", "POST"])]
APP = Starlette(routes=[*ROUTES, Mount("/viz", routes=ROUTES)], middleware=[Middleware(VisitorCookie)])


@pytest.fixture(autouse=True)
def polls(monkeypatch):
    fresh = Polls()
    monkeypatch.setattr(votes, "polls", fresh)
    monkeypatch.setattr(votes, "_guesses", Rate(60, 1.0, lambda: 0.0))
    return fresh


@pytest.fixture
def poll(polls):
    return polls.open("teacher", "192.0.2.9", "card", QUESTION)


def phone(address: str = "192.0.2.1", **headers: str) -> TestClient:
    return TestClient(APP, client=(address, 50000), headers=headers)


def shown(response, status: int = 200) -> str:
    assert response.status_code == status and response.headers["content-type"].startswith("text/html")
    assert response.headers["cache-control"] == "no-store" and "<script" not in response.text
    return unescape(re.sub("<[^>]*>", " ", response.text.partition("</style>")[2]))


def test_a_phone_votes_and_changes_its_mind(poll):
    browser = phone()
    page = shown(browser.get(f"/vote/{poll.code.lower()}"))
    assert QUESTION.text in page and "g & d" in page and not says(page, "votes.given", vote="not")
    assert says(shown(browser.post(f"/vote/{poll.code}", data={"vote": "0"})), "votes.given", vote="not")
    assert says(shown(browser.post(f"/vote/{poll.code}", data={"vote": "1"})), "votes.given", vote="g & d")
    assert says(shown(browser.get(f"/vote/{poll.code}")), "votes.can_change")
    assert poll.votes.counts == (0, 1)
    poll.close()
    late = shown(browser.post(f"/vote/{poll.code}", data={"vote": "0"}), 409)
    assert says(late, "votes.closed") and says(late, "votes.given", vote="g & d") and poll.votes.counts == (0, 1)


def test_the_page_is_in_the_language_of_the_question_and_a_number_can_be_typed(polls):
    poll = polls.open("teacher", "", "card", Question("权重是多少？", (), "zh"))
    browser = phone()
    assert 'lang="zh-CN"' in browser.get(f"/vote/{poll.code}").text
    refused = shown(browser.post(f"/vote/{poll.code}", data={"vote": "<i>"}), 422)
    assert says(refused, "votes.no_number", "zh", typed="<i>") and poll.count == 0
    assert says(shown(browser.post(f"/vote/{poll.code}", data={"vote": "0,34"})), "votes.given", "zh", vote="0.34")


def test_sixty_of_one_address_vote_at_once_without_a_loss(poll):
    together = Barrier(60)

    def vote(number: int) -> int:
        browser = phone()
        together.wait(timeout=60)
        browser.get(f"/vote/{poll.code}")
        return browser.post(f"/vote/{poll.code}", data={"vote": str(number % 2)}).status_code

    with ThreadPoolExecutor(60) as threads:
        assert list(threads.map(vote, range(60))) == [200] * 60
    assert poll.votes.counts == (30, 30)


def test_a_browser_that_keeps_no_cookie_votes_for_nothing(poll):
    for _ in range(2):
        assert says(shown(phone().post(f"/vote/{poll.code}", data={"vote": "0"}), 403), "votes.no_cookie")
    invented = phone(cookie=f"{COOKIE}={'a' * 32}.{'b' * 32}")
    assert says(shown(invented.post(f"/vote/{poll.code}", data={"vote": "0"}), 403), "votes.no_cookie")
    assert poll.count == 0


@pytest.mark.parametrize(
    ("body", "status", "key"),
    [
        (b"", 422, "votes.unreadable"),
        (b"vote=0&vote=1", 422, "votes.unreadable"),
        (b"vote", 422, "votes.unreadable"),
        (b"&" * 1000, 422, "votes.unreadable"),
        (b"\xff\xfe", 422, "votes.unreadable"),
        (b'{"vote": 0}', 422, "votes.unreadable"),
        (b"vote=%ff", 422, "votes.no_option"),
        (b"vote=7", 422, "votes.no_option"),
        (b"vote=" + b"0" * 5000, 413, "pages.request_too_long"),
    ],
)
def test_what_is_no_vote_is_refused_in_a_sentence(poll, body, status, key):
    browser = phone(cookie=f"{COOKIE}={sign('a' * 32)}")
    assert says(shown(browser.post(f"/vote/{poll.code}", content=body), status), key) and poll.count == 0


def test_a_code_is_typed_and_leads_to_the_poll(poll):
    typed = f"{poll.code[:3]} {poll.code[3:].lower()}"
    for folder in ("", "/viz"):
        browser = phone()
        assert says(shown(browser.get(f"{folder}/vote")), "votes.code")
        found = browser.get(f"{folder}/vote", params={"code": typed})
        assert found.url.path == f"{folder}/vote/{poll.code}" and QUESTION.text in shown(found)
        missing = browser.get(f"{folder}/vote/<u>1")
        assert says(shown(missing, 404), "votes.unknown", code="<u>1", hours=HOURS) and '"../vote"' in missing.text
    assert says(shown(phone(**{"accept-language": "zh-CN"}).get("/vote")), "votes.code", "zh")
    assert (
        "//" not in phone().get("/vote", params={"code": "//evil.example"}, follow_redirects=False).headers["location"]
    )


def test_guesses_of_an_address_are_bounded_and_those_who_have_voted_stay(poll):
    voter = phone()
    voter.get(f"/vote/{poll.code}")
    voter.post(f"/vote/{poll.code}", data={"vote": "0"})
    statuses = [phone().get(f"/vote/WRONG{number}").status_code for number in range(70)]
    assert statuses == [404] * 60 + [429] * 10
    assert says(shown(phone().get(f"/vote/{poll.code}"), 429), "votes.too_many_guesses"), "also for a right code"
    assert shown(voter.post(f"/vote/{poll.code}", data={"vote": "1"})) and poll.votes.counts == (0, 1)
    assert shown(phone("192.0.2.2").get(f"/vote/{poll.code}"))


def test_a_poll_without_this_code_is_not_named_by_half_of_it(poll):
    assert phone().get(f"/vote/{poll.code[:5]}").status_code == 404 and normalise(poll.code) == poll.code


def test_of_several_servers_only_the_one_of_the_letter_counts_wrong_codes(monkeypatch, polls):
    monkeypatch.setenv("VIZ_SERVER", "1/2")
    browser = phone()
    for _ in range(100):  # its server is down, and the proxy has asked this one
        assert says(shown(browser.get("/vote/CCCCCC"), 404), "votes.unknown", code="CCCCCC", hours=HOURS)
    statuses = [browser.get("/vote/BBBBBB").status_code for _ in range(61)]
    assert statuses == [404] * 60 + [429]
