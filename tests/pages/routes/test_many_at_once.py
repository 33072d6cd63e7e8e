"""Requests of many visitors at the same moment: each gets its own text, or a sentence that says why not."""

import gzip
import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from pages.routes import heads, whatif
from pages.routes.budget import TYPING
from pages.routes.explain import explain
from pages.shared import cache
from tests.pages.routes import route_requests
from tests.words import english, says
from viz_core import checkpoints
from viz_core.analysis import batching
from viz_core.analysis.batching import ExplanationQueue
from viz_core.analysis.explain import explain as analyse

REQUEST = route_requests.REQUEST | {"heads": [[1, 0]], "language": "en"}
CHARACTERS = "花呗借怎么还款"

pytestmark = pytest.mark.usefixtures("checkpoints_dir")


@pytest.mark.parametrize("route", [explain, heads.heads, whatif.whatif])
def test_where_too_many_wait_the_visitor_is_asked_to_try_again(monkeypatch, route):
    monkeypatch.setattr(cache, "_queue", ExplanationQueue(most_waiting=0))
    assert says(route_requests.refusal_message(route, REQUEST, 503), "analysis.overload")


def test_the_queue_refuses_before_requests_wait_for_a_thread():
    """In the queue a newer text replaces an older one; among those that wait for a thread it does not."""
    assert TYPING.total > batching.MOST_WAITING


def test_a_newer_text_of_the_same_visit_takes_the_place_of_the_older(monkeypatch):
    under_way, proceed, original = threading.Event(), threading.Event(), batching.explain_batch

    def explain_later(*arguments, **named):
        under_way.set()
        assert proceed.wait(timeout=30)
        return original(*arguments, **named)

    queue = ExplanationQueue()
    monkeypatch.setattr(batching, "explain_batch", explain_later)
    monkeypatch.setattr(cache, "_queue", queue)
    with ThreadPoolExecutor(3) as threads:

        def send(text: str, visit: str) -> Future:
            return threads.submit(route_requests.post, explain, REQUEST | {"texts": [text, "借呗"], "visit": visit})

        first = send("花", "other")
        assert under_way.wait(timeout=30)
        older = send("花呗", "mine")
        until(lambda: queue._waiting)
        newer = send("花呗怎么还", "mine")
        response = older.result(timeout=30)
        assert response.status_code == 409
        assert json.loads(response.body)["error"] == english("analysis.overtaken")
        proceed.set()
        assert [first.result().status_code, newer.result().status_code] == [200, 200]
        assert texts_of(newer.result()) == ["花呗怎么还", "借呗"]


def test_no_visitor_sees_the_text_of_another():
    """Twelve visitors, ten texts each, all of them different; every response carries its own text and prediction."""

    def visit(number: int) -> list[tuple[list[str], list[str], list[float]]]:
        seen = []
        for text in range(10):
            texts = [CHARACTERS[number % 7] + CHARACTERS[text % 7] * (text % 4 + 1), CHARACTERS[: number // 2 + 1]]
            response = route_requests.post(explain, REQUEST | {"texts": texts, "visit": str(number)})
            seen.append((texts, texts_of(response), fields_of(response)["prediction"]["probabilities"]))
        return seen

    with ThreadPoolExecutor(12) as threads:
        visits = list(threads.map(visit, range(12)))
    checkpoint = checkpoints.load("afqmc", "tiny")
    for sent, received, probabilities in (exchange for visit in visits for exchange in visit):
        assert received == sent
        assert probabilities == pytest.approx(analyse(checkpoint, *sent).probabilities, abs=1e-5)


def fields_of(response) -> dict:
    data = gzip.decompress(response.body)
    return json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])


def texts_of(response) -> list[str]:
    return ["".join(string for string, _ in pieces) for pieces in fields_of(response)["texts"]]


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)
