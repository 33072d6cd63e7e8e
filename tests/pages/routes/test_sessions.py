"""The pages that a visitor may have open are bounded; closing one makes room."""

from contextlib import ExitStack, suppress

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from pages.routes.sessions import TRY_AGAIN_LATER, SessionLimit
from pages.shared.visitor_cookie import COOKIE, sign


async def page(websocket: WebSocket) -> None:
    await websocket.accept()
    with suppress(WebSocketDisconnect):
        await websocket.receive_text()


def test_pages_of_a_visitor_are_bounded_and_others_are_served():
    app = Starlette(routes=[WebSocketRoute("/s", page)], middleware=[Middleware(SessionLimit, 2, 1, 4)])

    def connect(visitor: str | None):
        headers = {"cookie": f"{COOKIE}={sign(visitor)}"} if visitor else {}
        address = (f"192.0.2.{ord(visitor[0]) if visitor else 0}", 50000)
        return TestClient(app, client=address).websocket_connect("/s", headers=headers)

    def is_refused(visitor: str | None) -> bool:
        with pytest.raises(WebSocketDisconnect) as refused, connect(visitor):
            pass
        return refused.value.code == TRY_AGAIN_LATER

    with ExitStack() as pages:
        with connect("a" * 32):
            pages.enter_context(connect("a" * 32))
            assert is_refused("a" * 32)
            pages.enter_context(connect(None))
            assert is_refused(None)
            pages.enter_context(connect("b" * 32))
            assert is_refused("c" * 32)  # 4 in all
        pages.enter_context(connect("c" * 32))
