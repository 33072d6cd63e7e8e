"""What a visitor may ask for: how much, for how long, and how many at once; and nobody waits because of another."""

import asyncio
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from starlette.requests import Request
from starlette.responses import Response

from pages.routes import inside, requests, whatif
from pages.routes.budget import Budget, Busy, Deadline, Share, TimedOut, Turns
from pages.routes.explain import explain
from pages.routes.requests import respond
from tests.pages.routes.route_requests import REQUEST, post, refusal_message
from tests.pages.routes.test_many_at_once import until
from tests.words import english, says
from viz_core.language import LANGUAGES
from viz_core.models.encoder import Encoder

ANNA, BEN = "a" * 32, "b" * 32
SMALL = Budget(seconds=30, each=1, anonymous=2, total=3, body_bytes=100, body_seconds=0.05)


def test_a_share_is_bounded_for_each_for_the_anonymous_and_in_all():
    share = Share(each=2, anonymous=3, total=5)
    share.take(ANNA, 2)
    with pytest.raises(Busy):
        share.take(ANNA)
    share.take(None, 3)
    with pytest.raises(Busy):
        share.take(BEN)  # 5 in all
    share.give_back(ANNA)
    share.take(BEN)
    with pytest.raises(Busy):
        share.take(None)


def test_a_deadline_passes_and_can_be_abandoned():
    later, past = Deadline(1000), Deadline(-1)
    later.check()
    later.abandon()
    for deadline in (later, past):
        with pytest.raises(TimedOut):
            deadline.check()


def test_computations_take_turns_step_by_step():
    turns, seen, started = Turns(), [], threading.Barrier(3)

    def compute(name: str) -> None:
        started.wait()
        with turns.turn():
            for _ in range(4):
                seen.append(name)
                turns.yield_turn()

    with ThreadPoolExecutor(3) as threads:
        with turns.turn():
            computations = [threads.submit(compute, name) for name in "abc"]
            until(lambda: len(turns._waiting) == 3)
        for computation in computations:
            computation.result(timeout=30)
    assert sorted(seen[:3]) == ["a", "b", "c"] and seen == seen[:3] * 4


def test_after_an_error_the_next_has_its_turn():
    turns = Turns()
    with pytest.raises(ZeroDivisionError), turns.turn():
        raise ZeroDivisionError
    with turns.turn():
        pass


def request(receive, visitor: str | None = None) -> Request:
    headers = [(b"cookie", f"attention_microscope_visitor={visitor}".encode())] if visitor else []
    return Request({"type": "http", "method": "POST", "headers": headers}, receive)


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


def test_all_bodies_of_a_visitor_together_are_bounded_and_given_back(monkeypatch):
    monkeypatch.setattr(requests, "bodies", Share(each=10, anonymous=10, total=100))

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
        while not SMALL.requests._taken[ANNA]:
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
    given_up, brief = threading.Event(), Budget(seconds=0.05, each=1, anonymous=1, total=1)

    response = asyncio.run(respond(request(whole(b"")), partial(work_until_given_up, given_up=given_up), brief))
    assert response.status_code == 422
    assert json.loads(response.body)["error"] == english("pages.request_timed_out", seconds=0.05)
    assert given_up.wait(timeout=30)
    until(lambda: not brief.requests._taken)


def test_nothing_is_computed_for_a_visitor_who_has_left():
    started, given_up = threading.Event(), threading.Event()

    def compute(posted: requests.Posted) -> Response:
        started.set()
        work_until_given_up(posted, given_up)

    asyncio.run(respond(request(until_left(b"", started)), compute, SMALL))
    assert given_up.wait(timeout=30)
    until(lambda: not SMALL.requests._taken)


def test_a_request_that_is_given_up_counts_until_its_thread_ends():
    proceed, brief = threading.Event(), Budget(seconds=0.01, each=2, anonymous=1, total=2)
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
    until(lambda: not brief.requests._taken)
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

    def explain_later(info, *texts):
        assert proceed.wait(timeout=30)
        return explain_input(info, *texts)

    monkeypatch.setattr(whatif, "head_effects", count)
    monkeypatch.setattr(whatif, "explain_input", explain_later)
    expensive = REQUEST | {"effects": True, "masked": [[0, 0]], "control": True}
    with ThreadPoolExecutor(3) as threads:
        computed = [threads.submit(post, whatif.whatif, expensive, visitor=ANNA) for _ in range(3)]
        until(lambda: whatif.WHATIF.requests._taken[ANNA] == 3)
        assert [post(whatif.whatif, expensive, visitor=ANNA).status_code for _ in range(3)] == [503] * 3
        assert post(explain, REQUEST | {"language": "en"}, visitor=ANNA).status_code == 200
        proceed.set()
        assert [future.result(timeout=30).status_code for future in computed] == [200] * 3
    assert most == 1 and post(whatif.whatif, REQUEST, visitor=BEN).status_code == 200


@pytest.mark.usefixtures("checkpoints_dir")
def test_a_what_if_request_ends_between_two_passes(monkeypatch):
    budget = Budget(seconds=-1, each=2, anonymous=2, total=2)
    monkeypatch.setattr(whatif, "WHATIF", budget)
    for language in LANGUAGES:
        message = refusal_message(whatif.whatif, REQUEST | {"effects": True}, 422, language)
        assert says(message, "pages.request_timed_out", language)
    until(lambda: not budget.requests._taken)  # no pass of theirs runs into the next test


@pytest.mark.usefixtures("checkpoints_dir")
@pytest.mark.parametrize("last", [1, 2])
def test_no_pass_for_what_is_inside_begins_once_the_visitor_has_left(monkeypatch, last):
    """Of three passes: the explanation, the head as it is, and the head as it is changed."""
    passes, forward, leave, proceed = 0, Encoder.forward, threading.Event(), threading.Event()
    budget = Budget(seconds=30, each=1, anonymous=1, total=1)

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
    assert budget.requests._taken[ANNA] == 1  # its thread is in the pass
    proceed.set()
    until(lambda: not budget.requests._taken)
    assert passes == last
