"""Visitors without a browser: only to servers of this machine, as a browser sends, and what they find wrong."""

import asyncio
import itertools
import json
from collections.abc import Awaitable, Callable

import pytest
from aiohttp import ClientSession, TCPConnector, web

from benchmarks import load, visitors
from benchmarks.measurement import Measurement, server_process
from benchmarks.visitors import Failed, PageVisitor, Typist, browser, check_address
from benchmarks.visits import measure_memory, table

REQUEST = {"url": "explorer/explain", "body": {"task": "imdb", "model": "small", "language": "en"}}
ELSEWHERE = [
    "http://192.0.2.1:8501",
    "http://example.org",
    "http://localhost.example.org:8501",
    "http://127.0.0.1@example.org",
    "http://0.0.0.0:8501",
    "localhost:8501",
    "",
]


@pytest.mark.parametrize("address", ["http://localhost:8501", "http://127.0.0.1:8501", "http://[::1]:8501"])
def test_load_is_sent_to_this_machine(address):
    assert check_address(address) == address


@pytest.mark.parametrize("address", ELSEWHERE)
def test_load_is_sent_to_no_other_machine(address):
    with pytest.raises(ValueError, match="machine"):
        check_address(address)


@pytest.mark.parametrize(
    "visitor", [lambda address: Typist(None, address, REQUEST), lambda a: PageVisitor(None, a, "")]
)
def test_every_visitor_checks_the_address(visitor):
    with pytest.raises(ValueError, match="machine"):
        visitor("http://192.0.2.1:8501")


def test_too_many_or_too_long_visits_are_refused():
    for visits, seconds in [([None] * 301, 10), ([], 10), ([None], 901), ([None], 0)]:
        with pytest.raises(ValueError, match="300 and 900"):
            asyncio.run(load.measure("", "http://localhost:1", seconds, visits))
    for visits, interactions in [(1001, 3000), (0, 10), (10, 9), (10, 20_001)]:
        with pytest.raises(ValueError, match="1000 and 20000"):
            asyncio.run(measure_memory("http://localhost:1", visits, interactions))


def test_memory_is_shown_after_each_share_of_the_interactions():
    assert table(300, [(0, 560_000_000), (3000, 700_000_000)]).splitlines()[2:] == [
        "| 0 | 560 MB |",
        "| 3,000 | 700 MB |",
    ]


Respond = Callable[[dict], Awaitable[web.Response]]


def pack(texts: list[str]) -> web.Response:
    header = json.dumps(
        {"texts": [[[text, 0]] for text in texts], "prediction": {"probabilities": [0.9, 0.1]}}
    ).encode()
    return web.Response(body=len(header).to_bytes(4, "little") + header)


def with_server(respond: Respond, visit: Callable[[ClientSession, str], Awaitable]) -> object:
    """The result of a visit to a server that responds in this way to the route of the text boxes.

    Whoever loads the app gets a name as cookie, and the names that it has sent.
    """

    async def load_app(request: web.Request) -> web.Response:
        response = web.Response(text=request.cookies.get("name", ""))
        response.set_cookie("name", response.text or f"visitor {next(numbers)}")
        return response

    numbers = itertools.count(1)

    async def run() -> object:
        async def handler(request: web.Request) -> web.Response:
            return await respond(await request.json())

        app = web.Application()
        app.router.add_get("/", load_app)
        app.router.add_post(f"/{REQUEST['url']}", handler)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        address = f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}"
        try:
            async with ClientSession() as session:
                return await visit(session, address)
        finally:
            await runner.cleanup()

    return asyncio.run(run())


def test_of_keys_pressed_while_a_response_is_awaited_only_the_last_is_sent(monkeypatch):
    """100 keys a second; a response takes as long as several."""
    monkeypatch.setattr(load, "KEYS", 100)
    sent, under_way = [], 0

    async def respond(body: dict) -> web.Response:
        nonlocal under_way
        under_way += 1
        assert under_way == 1
        sent.append(body["texts"][0])
        await asyncio.sleep(0.05)
        under_way -= 1
        return pack(body["texts"])

    async def visit(session: ClientSession, address: str) -> Measurement:
        measurement = Measurement("")
        await load.typing("sentiment", 7)(session, address, asyncio.get_running_loop().time() + 0.3, measurement)
        return measurement

    measurement = with_server(respond, visit)
    (typing,) = measurement.typings
    lengths = [len(text) for text in sent]
    assert lengths == sorted(set(lengths)) and 2 < len(sent) < len(typing.typed)
    assert [len(text) for (text,) in typing.typed] == list(range(1, lengths[-1] + 1))
    measurement.check(lambda text: [0.9, 0.1])
    assert measurement.result.holds and measurement.result.people == 1
    measurement.check(lambda text: [0.8, 0.2])
    assert not measurement.result.holds


def test_a_last_text_that_is_refused_is_reported():
    async def respond(body: dict) -> web.Response:
        return pack(body["texts"]) if len(body["texts"][0]) < 2 else web.json_response({"error": "busy"}, status=503)

    async def visit(session: ClientSession, address: str) -> Measurement:
        measurement = Measurement("")
        await load.typing("sentiment", 7)(session, address, asyncio.get_running_loop().time() + 0.6, measurement)
        return measurement

    measurement = with_server(respond, visit)
    measurement.check(lambda text: [0.9, 0.1])
    assert measurement.result.last == 0 and not measurement.result.holds
    assert list(measurement.errors) == ['Failed 503: {"error": "busy"}']


def test_a_response_for_another_text_is_an_error():
    async def respond(body: dict) -> web.Response:
        return pack(["another text"])

    async def visit(session: ClientSession, address: str) -> None:
        await Typist(session, address, REQUEST).show(["my text"])

    with pytest.raises(Failed, match="another text"):
        with_server(respond, visit)


def test_a_server_that_does_not_respond_is_an_error(monkeypatch):
    monkeypatch.setattr(visitors, "TIMEOUT", 0.05)

    async def respond(body: dict) -> web.Response:
        await asyncio.sleep(1)
        return pack(body["texts"])

    async def visit(session: ClientSession, address: str) -> None:
        await Typist(session, address, REQUEST).show(["my text"])

    with pytest.raises(TimeoutError):
        with_server(respond, visit)


def test_every_browser_is_a_visitor_of_its_own():
    async def visit(_: ClientSession, address: str) -> list[str]:
        async with (
            TCPConnector() as connector,
            browser(address, connector) as first,
            browser(address, connector) as second,
        ):
            return [await (await session.get(address)).text() for session in (first, second, first)]

    assert with_server(web.json_response, visit) == ["visitor 1", "visitor 2", "visitor 1"]


def test_nobody_listens():
    with pytest.raises(ValueError, match="listens"):
        server_process("http://localhost:1")
