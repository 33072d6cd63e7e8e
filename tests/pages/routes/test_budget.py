"""What a visitor may ask for: how much, for how long, and how many at once; and nobody waits because of another."""

import asyncio
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial

import pytest
from starlette.requests import Request
from starlette.responses import Response

from pages.routes import inside, requests, whatif
from pages.routes.budget import Budget, Busy, Share
from pages.routes.explain import explain
from pages.routes.requests import respond
from pages.shared.clients import address_of, address_share, client_of
from pages.shared.visitor_cookie import COOKIE, sign
from tests.pages.routes.route_requests import REQUEST, post, refusal_message
from tests.pages.routes.test_many_at_once import until
from tests.words import english, says
from viz_core.analysis.deadline import TimedOut
from viz_core.analysis.turns import Client
from viz_core.language import LANGUAGES
from viz_core.models.encoder import Encoder
from viz_core.variables import ADDRESS_SHARE

ANNA, BEN = "a" * 32, "b" * 32
ADDRESSES = {ANNA: ("192.0.2.1", 1), BEN: ("192.0.2.2", 1), None: ("192.0.2.3", 1)}
SMALL = Budget("test", seconds=30, each=1, anonymous=2, total=3, body_bytes=100, body_seconds=0.05)


@pytest.fixture(autouse=True)
def default_share(monkeypatch):
    """The share of an address that holds without a setting."""
    monkeypatch.delenv(ADDRESS_SHARE, raising=False)
    address_share.cache_clear()
    yield
    address_share.cache_clear()


def test_a_share_is_bounded_for_each_for_the_anonymous_and_in_all():
    share, anna, nobody = Share("test", each=2, anonymous=3, total=5), Client(ANNA, "1"), Client(None, "2")
    share.take(anna, 2)
    with pytest.raises(Busy):
        share.take(anna)
    share.take(nobody, 3)
    with pytest.raises(Busy):
        share.take(Client(BEN, "3"))  # 5 in all
    share.give_back(anna)
    share.take(Client(BEN, "3"))
    with pytest.raises(Busy):
        share.take(nobody)


@pytest.mark.parametrize(("setting", "most"), [("", 6), ("50", 4), ("100", 8), ("0", 2), ("many", 6)])
def test_an_address_has_its_share_whatever_cookies_it_invents(monkeypatch, caplog, setting, most):
    """Eight in all, at least as many as a visitor (2); others are served, and the log has a line."""
    monkeypatch.setenv(ADDRESS_SHARE, setting)
    share, taken = Share("pages", each=2, anonymous=2, total=8), []
    for number in range(16):
        with suppress(Busy):
            share.take(client := Client(f"{number:032x}", "192.0.2.7"))
            taken.append(client)
    assert len(taken) == most
    assert [record.getMessage() for record in caplog.records] == [
        "pages: refused 192.0.2.7, because the address has as much as it may"
    ]
    for _ in range(min(2, 8 - most)):
        share.take(Client(ANNA, "192.0.2.8"))
    for client in taken:
        share.give_back(client)
    share.take(Client(BEN, "192.0.2.7"))


def test_a_machine_has_one_address_however_many_it_has_of_ipv6():
    assert address_of("2001:db8::1") == address_of("2001:db8::ffff:2") != address_of("2001:db8:0:1::1")
    assert address_of("::ffff:192.0.2.1") == address_of("192.0.2.1") == "192.0.2.1" and address_of("testclient")


def test_only_a_signed_cookie_is_a_visitor():
    def client(cookie: str) -> Client:
        scope = {"type": "http", "headers": [(b"cookie", f"{COOKIE}={cookie}".encode())], "client": ("192.0.2.1", 1)}
        return client_of(Request(scope))

    assert client(sign(ANNA)) == (ANNA, "192.0.2.1")
    assert client(ANNA) == client(sign(ANNA).replace("a", "b", 1)) == client("x" * 65) == (None, "192.0.2.1")


def request(receive, visitor: str | None = None) -> Request:
    headers = [(b"cookie", f"{COOKIE}={sign(visitor)}".encode())] if visitor else []
    return Request({"type": "http", "method": "POST", "headers": headers, "client": ADDRESSES[visitor]}, receive)


async def nothing() -> dict:
    """What a connection receives from a browser that only waits."""
    await asyncio.Event().wait()


def whole(body: bytes):
    pieces = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> dict:
        return pieces.pop(0) if pieces else await nothing()

    return receive


def trickle():
    """A body that sends a byte at a time, forever."""

    async def receive() -> dict:
        await asyncio.sleep(0.01)
        return {"type": "http.request", "body": b" ", "more_body": True}

    return receive


def until_left(body: bytes, left: threading.Event):
    """A body whose browser leaves at an event."""
    pieces = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> dict:
        if not pieces:
            await asyncio.to_thread(left.wait, 30)
        return pieces.pop() if pieces else {"type": "http.disconnect"}

    return receive


def empty_response(posted: requests.Posted) -> Response:
    return Response(b"")


def test_a_body_that_trickles_ends_with_a_sentence_and_blocks_nobody():
    async def run() -> list[Response]:
        slow = [asyncio.ensure_future(respond(request(trickle()), empty_response, SMALL)) for _ in range(20)]
        await asyncio.sleep(0)
        quick = await respond(request(whole(b"{}")), empty_response, SMALL)
        assert quick.status_code == 200
        return await asyncio.gather(*slow)

    for response in asyncio.run(run()):
        assert response.status_code == 408
        assert json.loads(response.body)["error"] == english("pages.request_too_slow", seconds=0.05)


def test_a_browser_that_leaves_before_its_body_has_arrived_is_no_fault():
    pieces = [{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}]

    async def receive() -> dict:
        return pieces.pop(0)

    assert asyncio.run(respond(request(receive), empty_response, SMALL)).status_code == 408


def test_all_bodies_of_a_visitor_together_are_bounded_and_given_back(monkeypatch):
    monkeypatch.setattr(requests, "bodies", Share("bodies", each=10, anonymous=10, total=100))

    async def run(body: bytes, visitor: str) -> int:
        return (await respond(request(whole(body), visitor), empty_response, SMALL)).status_code

    assert asyncio.run(run(b"x" * 11, ANNA)) == 503
    assert [asyncio.run(run(b"x" * 10, visitor)) for visitor in (ANNA, ANNA, BEN)] == [200] * 3


def test_requests_of_a_visitor_at_once_are_bounded_and_others_are_served():
    proceed = threading.Event()

    def wait(posted: requests.Posted) -> Response:
        assert proceed.wait(timeout=30)
        return Response(b"")

    async def run() -> list[int]:
        mine = asyncio.ensure_future(respond(request(whole(b"1"), ANNA), wait, SMALL))
        while not SMALL.requests._of_visitors[ANNA]:
            await asyncio.sleep(0.001)
        again = await respond(request(whole(b"2"), ANNA), wait, SMALL)
        other = await respond(request(whole(b"3"), BEN), empty_response, SMALL)
        nobody = await respond(request(whole(b"4")), empty_response, SMALL)
        proceed.set()
        assert json.loads(again.body)["error"] == english("pages.request_busy")
        return [again.status_code, other.status_code, nobody.status_code, (await mine).status_code]

    assert asyncio.run(run()) == [503, 200, 200, 200]


def work_until_given_up(posted: requests.Posted, given_up: threading.Event) -> Response:
    """A handler that never ends by itself; sets the event when its deadline ends it."""
    try:
        while True:
            posted.deadline.check()
    except TimedOut:
        given_up.set()
        raise


def test_a_request_that_takes_too_long_ends_with_a_sentence_and_is_given_up():
    given_up, brief = threading.Event(), Budget("test", seconds=0.05, each=1, anonymous=1, total=1)

    response = asyncio.run(respond(request(whole(b"")), partial(work_until_given_up, given_up=given_up), brief))
    assert response.status_code == 422
    assert json.loads(response.body)["error"] == english("pages.request_timed_out", seconds=0.05)
    assert given_up.wait(timeout=30)
    until(lambda: not brief.requests._of_visitors)


def test_nothing_is_computed_for_a_visitor_who_has_left():
    started, given_up = threading.Event(), threading.Event()

    def compute(posted: requests.Posted) -> Response:
        started.set()
        work_until_given_up(posted, given_up)

    asyncio.run(respond(request(until_left(b"", started)), compute, SMALL))
    assert given_up.wait(timeout=30)
    until(lambda: not SMALL.requests._of_visitors)


def test_a_request_that_is_given_up_counts_until_its_thread_ends():
    proceed, brief = threading.Event(), Budget("test", seconds=0.01, each=2, anonymous=1, total=2)
    under_way = []

    def wait(posted: requests.Posted) -> Response:
        under_way.append(posted)
        assert proceed.wait(timeout=30)
        return Response(b"")

    def send(visitor: str) -> int:
        return asyncio.run(respond(request(whole(b""), visitor), wait, brief)).status_code

    assert [send(ANNA) for _ in range(5)] == [422, 422, 503, 503, 503] and send(BEN) == 503
    assert len(under_way) == 2
    proceed.set()
    until(lambda: not brief.requests._of_visitors)
    assert asyncio.run(respond(request(whole(b""), ANNA), empty_response, brief)).status_code == 200


def test_a_fault_of_the_server_is_a_sentence_and_a_line_in_the_log(caplog):
    def fail(posted: requests.Posted) -> Response:
        raise ZeroDivisionError

    response = asyncio.run(respond(request(whole(b"")), fail, SMALL))
    assert response.status_code == 500 and says(json.loads(response.body)["error"], "pages.request_failed")
    assert "ZeroDivisionError" in caplog.text


@pytest.mark.usefixtures("checkpoints_dir")
def test_of_six_expensive_requests_three_are_computed_a_pass_at_a_time_and_others_are_served(monkeypatch):
    inside, most, proceed = 0, 0, threading.Event()
    original, explain_input = whatif.head_effects, whatif.explain_input

    def count(*arguments):
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        result = original(*arguments[:2])
        inside -= 1
        return result

    def explain_later(info, *texts, **named):
        assert proceed.wait(timeout=30)
        return explain_input(info, *texts, **named)

    monkeypatch.setattr(whatif, "head_effects", count)
    monkeypatch.setattr(whatif, "explain_input", explain_later)
    expensive = REQUEST | {"effects": True, "masked": [[0, 0]], "control": True}
    with ThreadPoolExecutor(3) as threads:
        computed = [threads.submit(post, whatif.whatif, expensive, visitor=ANNA) for _ in range(3)]
        until(lambda: whatif.WHATIF.requests._of_visitors[ANNA] == 3)
        assert [post(whatif.whatif, expensive, visitor=ANNA).status_code for _ in range(3)] == [503] * 3
        assert post(explain, REQUEST | {"language": "en"}, visitor=ANNA).status_code == 200
        proceed.set()
        assert [future.result(timeout=30).status_code for future in computed] == [200] * 3
    assert most == 1 and post(whatif.whatif, REQUEST, visitor=BEN).status_code == 200


@pytest.mark.usefixtures("checkpoints_dir")
def test_a_what_if_request_ends_between_two_passes(monkeypatch):
    budget = Budget("test", seconds=-1, each=2, anonymous=2, total=2)
    monkeypatch.setattr(whatif, "WHATIF", budget)
    for language in LANGUAGES:
        message = refusal_message(whatif.whatif, REQUEST | {"effects": True}, 422, language)
        assert says(message, "pages.request_timed_out", language)
    until(lambda: not budget.requests._of_visitors)  # no pass of theirs runs into the next test


@pytest.mark.usefixtures("checkpoints_dir")
@pytest.mark.parametrize("last", [1, 2])
def test_no_pass_for_what_is_inside_begins_once_the_visitor_has_left(monkeypatch, last):
    """Of three passes: the explanation, the head as it is, and the head as it is changed."""
    passes, forward, leave, proceed = 0, Encoder.forward, threading.Event(), threading.Event()
    budget = Budget("test", seconds=30, each=1, anonymous=1, total=1)

    def compute(*arguments, **named):
        nonlocal passes
        passes += 1
        if passes == last:
            leave.set()
            assert proceed.wait(timeout=30)
        return forward(*arguments, **named)

    monkeypatch.setattr(inside, "INSIDE", budget)
    monkeypatch.setattr(Encoder, "forward", compute)
    selected = {"layer": 1, "head": 0, "query": 0, "key": 2, "changes": {"masked": [2]}}
    body = json.dumps(REQUEST | {"language": "en"} | selected).encode()
    asyncio.run(inside.inside_head(request(until_left(body, leave), ANNA)))
    assert budget.requests._of_visitors[ANNA] == 1  # its thread is in the pass
    proceed.set()
    until(lambda: not budget.requests._of_visitors)
    assert passes == last
