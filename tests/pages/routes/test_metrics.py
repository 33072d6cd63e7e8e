"""The numbers for Prometheus: what is counted, who may read them, and that they say nothing about a person."""

import json
import re
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import replace

import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from pages.routes.access import Access
from pages.routes.budget import Budget
from pages.routes.metrics import PATH, Metrics, metrics
from pages.routes.requests import respond
from pages.routes.sessions import SessionLimit
from pages.shared.visitor_cookie import COOKIE, sign
from tests.documents.reference import DOCS
from viz_core.jobs import runs
from viz_core.jobs.state import STATES, read_status, write_status

TEXT, VISITOR, OTHER = "typed", "a" * 32, "b" * 32
HERE, ELSEWHERE = "127.0.0.1", "192.0.2.7"
SOCKET = "ws://localhost:8501/page"  # without the address, the client would call another host
NOTHING_FREE = Budget("test", seconds=1, each=0, anonymous=0, total=1)


async def answer(request: Request) -> Response:
    status = int(request.path_params["status"])
    if status == 500:
        raise ValueError(TEXT)
    return Response(TEXT, status)


async def full(request: Request) -> Response:
    return await respond(request, lambda posted: Response(), NOTHING_FREE)


async def page(websocket: WebSocket) -> None:
    await websocket.accept()
    with suppress(WebSocketDisconnect):
        await websocket.receive_text()


APP = Starlette(
    routes=[
        Route(f"/{PATH}", metrics),
        Route("/answer/{status}", answer, methods=["GET", "POST"]),
        Route("/full", full, methods=["POST"]),
        WebSocketRoute("/page", page),
    ],
    middleware=[Middleware(Metrics), Middleware(Access, ["viz.school.edu"]), Middleware(SessionLimit, 2, 1, 4)],
)


@pytest.fixture(autouse=True)
def by_default(monkeypatch):
    monkeypatch.delenv("VIZ_METRICS", raising=False)


def browser(visitor: str | None = None, address: str = HERE, host: str = "localhost:8501") -> TestClient:
    client = TestClient(APP, f"http://{host}", client=(address, 50000), raise_server_exceptions=False)
    if visitor:
        client.headers["cookie"] = f"{COOKIE}={sign(visitor)}"
    return client


def output() -> str:
    response = browser().get(f"/{PATH}")
    assert response.status_code == 200
    return response.text


def numbers() -> Counter:
    """The values by name and labels, in the order of their names."""
    return Counter(
        {
            " ".join([sample.name, *dict(sorted(sample.labels.items())).values()]): sample.value
            for family in text_string_to_metric_families(output())
            for sample in family.samples
        }
    )


def added(before: Counter, name: str) -> float:
    return numbers()[name] - before[name]


@pytest.mark.parametrize("status", [200, 422, 500])
def test_a_request_is_counted_under_its_route(status):
    before = numbers()
    browser().get(f"/answer/{status}")
    assert added(before, f"viz_responses_total /answer/{{status}} {status // 100}xx") == 1
    assert added(before, "viz_request_seconds_count /answer/{status}") == 1


def test_a_path_that_is_no_route_makes_no_series():
    before = numbers()
    browser().get("/one")
    browser().get("/two")
    assert added(before, "viz_responses_total (page or file) 4xx") == 2


@pytest.mark.parametrize(("status", "reason"), [(408, "slow"), (413, "large"), (429, "often"), (503, "busy")])
def test_a_refusal_is_counted_with_its_reason(status, reason):
    before = numbers()
    browser().post(f"/answer/{status}")
    assert added(before, f"viz_refusals_total {reason} /answer/{{status}}") == 1


def test_what_is_invalid_is_no_refusal():
    before = numbers()
    browser().post("/answer/422")
    assert not [name for name in numbers() - before if name.startswith("viz_refusals_total")]


def test_a_limit_is_counted_with_whose_it_is():
    before = numbers()
    assert browser(VISITOR).post("/full").status_code == 503
    assert added(before, "viz_limits_reached_total test visitor") == 1
    assert added(before, "viz_refusals_total busy /full") == 1


def test_a_foreign_host_is_a_refusal():
    before = numbers()
    assert browser(host="evil.example").get("/answer/200").status_code == 403
    assert added(before, "viz_refusals_total forbidden (page or file)") == 1


def test_pages_and_visitors_come_and_go():
    def pages_and_visitors() -> tuple[float, float]:
        values = numbers()
        return values["viz_open_pages"], values["viz_visitors"]

    assert pages_and_visitors() == (0, 0)
    with browser(VISITOR).websocket_connect(SOCKET):
        assert pages_and_visitors() == (1, 1)
        with browser(VISITOR).websocket_connect(SOCKET), browser(OTHER).websocket_connect(SOCKET):
            assert pages_and_visitors() == (3, 2)
        with browser().websocket_connect(SOCKET):  # without a cookie, nobody knows whose it is
            assert pages_and_visitors() == (2, 1)
    assert pages_and_visitors() == (0, 0)


def test_a_refused_page_is_a_refusal_and_not_open():
    before = numbers()
    with browser().websocket_connect(SOCKET):
        with pytest.raises(WebSocketDisconnect), browser().websocket_connect(SOCKET):
            pass
        assert numbers()["viz_open_pages"] == 1
    assert added(before, "viz_refusals_total busy (web socket)") == 1


def test_runs_are_counted_by_state(root):
    assert [numbers()[f"viz_runs {state}"] for state in STATES] == [0] * len(STATES)
    for state in ("queued", "running", "finished", "finished", "failed"):
        submit(state)
    values = numbers()
    assert {state: values[f"viz_runs {state}"] for state in STATES} == {
        "queued": 1,
        "running": 1,
        "stopping": 0,
        "finished": 2,
        "stopped": 0,
        "failed": 1,
    }


def test_the_silence_of_a_run_is_that_of_its_process(root):
    submit("finished", ago=1000)
    assert numbers()["viz_run_silent_seconds"] == 0
    submit("running", ago=1)
    assert numbers()["viz_run_silent_seconds"] >= 1


def submit(state: str, ago: float = 0.0) -> None:
    """A run in this state, with its last heartbeat some seconds ago."""
    run = runs.submit(runs.Request("train", TEXT, owner=VISITOR))
    write_status(run.path, replace(read_status(run.path), state=state, heartbeat=time.time() - ago))


@pytest.mark.parametrize(
    ("address", "host", "status"),
    [
        (HERE, "localhost:8501", 200),
        (HERE, "127.0.0.1:8501", 200),
        ("::1", "[::1]:8501", 200),
        (ELSEWHERE, "localhost:8501", 404),
        (ELSEWHERE, "viz.school.edu", 404),
        (HERE, "viz.school.edu", 404),  # a proxy on this machine that passes on no addresses
    ],
)
def test_only_this_machine_may_read_them_unless_the_setting_says_all(monkeypatch, address, host, status):
    client = browser(address=address, host=host)
    assert client.get(f"/{PATH}").status_code == status
    monkeypatch.setenv("VIZ_METRICS", "all")
    assert client.get(f"/{PATH}").status_code == 200


def test_what_a_proxy_on_this_machine_passes_on_does_not_come_from_it(monkeypatch):
    client = browser(address=HERE, host="localhost:8501")
    assert client.get(f"/{PATH}", headers={"X-Forwarded-For": HERE}).status_code == 404
    monkeypatch.setenv("VIZ_METRICS", "all")
    assert client.get(f"/{PATH}", headers={"X-Forwarded-For": HERE}).status_code == 200


def test_they_say_nothing_about_a_person(root):
    submit("running")
    client = browser(VISITOR, ELSEWHERE)
    client.post(f"/answer/503?text={TEXT}", content=TEXT)
    client.get(f"/{TEXT}")
    client.post("/full", content=TEXT)
    with client.websocket_connect(f"{SOCKET}?text={TEXT}") as socket:
        text = output()
        socket.send_text(TEXT)
    assert 'route="/answer/{status}"' in text and "viz_visitors 1.0" in text
    for secret in (TEXT, VISITOR, sign(VISITOR), ELSEWHERE):
        assert secret not in text


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the library does not measure the process")
def test_the_board_shows_numbers_that_exist(root):
    browser().post("/full")
    board = json.loads((DOCS / "grafana.json").read_text("utf-8"))
    expressions = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    named = {name for expression in expressions for name in re.findall(r"\b(?:viz|process)_\w+", expression)}
    assert named and named <= {name.split()[0] for name in numbers()}
    assert all(re.search(r"\b(?:viz|process)_\w+", expression) for expression in expressions)
