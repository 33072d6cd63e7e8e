"""What a proxy asks of a server, and how the server ends gently."""

import asyncio

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from pages.routes.readiness import Readiness, Server
from viz_core.servers import drain_seconds

SOCKET = "ws://localhost:8501/page"


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("VIZ_SERVER", "1/2")
    return Server()


def client(server: Server, base_path: str = "/") -> TestClient:
    async def page(websocket: WebSocket) -> None:
        await websocket.accept("streamlit")
        try:
            while True:
                await websocket.send_text(await websocket.receive_text())
        except WebSocketDisconnect:
            await websocket.send_text("too late")  # as Streamlit may, whose messages wait in a queue

    async def other(request) -> PlainTextResponse:
        return PlainTextResponse("a page")

    routes = [WebSocketRoute("/page", page), Route("/{path:path}", other)]
    middleware = [Middleware(Readiness, base_path=base_path, server=server)]
    return TestClient(Starlette(routes=routes, middleware=middleware), "http://192.0.2.1")  # no name of its own


def test_a_server_is_ready_between_its_start_and_its_end(server):
    browser = client(server)

    def statuses() -> list[int]:
        return [browser.get(f"/{name}").status_code for name in ("health", "ready")]

    assert statuses() == [200, 503]
    server.is_ready = True
    assert statuses() == [200, 200] and browser.get("/readyx").text == "a page"
    asyncio.run(server.drain(0))
    assert statuses() == [200, 503] and server.is_draining


def test_under_a_base_path(server):
    browser = client(server, "/viz")
    assert browser.get("/viz/health").text == "ok" and browser.get("/health").text == "a page"


def test_draining_ends_with_the_last_page(server):
    async def close_later() -> None:
        server.pages.add(page := object())
        draining = asyncio.ensure_future(server.drain(3600))
        await asyncio.sleep(0)
        assert not draining.done()
        server.pages.discard(page)
        await draining

    asyncio.run(close_later())


def test_pages_that_came_from_another_server_are_sent_home_and_others_stay(server):
    browser = client(server)
    with (
        browser.websocket_connect(SOCKET, subprotocols=["streamlit", "token"]) as own,
        browser.websocket_connect(SOCKET, subprotocols=["streamlit", "token", "session"]) as guest,
    ):
        for page in (own, guest):
            page.send_text("typed")
            assert page.receive_text() == "typed"
        assert len(server.pages) == 2
        guest.portal.call(server.send_guests_home)
        with pytest.raises(WebSocketDisconnect) as closed:
            guest.receive_text()
        assert closed.value.code == 1012
        own.send_text("goes on")
        assert own.receive_text() == "goes on"
    assert not server.pages


def test_alone_a_server_leaves_web_sockets_as_they_are(server, monkeypatch):
    monkeypatch.setenv("VIZ_SERVER", "")
    with client(server).websocket_connect(SOCKET, subprotocols=["streamlit", "token", "session"]):
        assert not server.pages


@pytest.mark.parametrize(("value", "seconds"), [("", 10), ("3", 3), ("0", 0), ("-1", 10), ("99999", 3600), ("x", 10)])
def test_how_long_pages_stay(monkeypatch, value, seconds):
    monkeypatch.setenv("VIZ_DRAIN_SECONDS", value)
    assert drain_seconds() == seconds
