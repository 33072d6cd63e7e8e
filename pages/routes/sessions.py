"""How many pages a visitor may have open: each holds a session of Streamlit, with its script and what it has drawn."""

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from pages.routes.budget import Busy, Share
from pages.shared.clients import client_of

TRY_AGAIN_LATER = 1013  # code of a web socket that is refused


class SessionLimit:
    """ASGI middleware that refuses a web socket if its visitor, or all together, have too many open."""

    def __init__(self, app: ASGIApp, each: int = 32, anonymous: int = 64, total: int = 512) -> None:
        self.app = app
        self._open = Share("pages", each, anonymous, total)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return
        client = client_of(HTTPConnection(scope))
        try:
            self._open.take(client)
        except Busy:
            await send({"type": "websocket.close", "code": TRY_AGAIN_LATER})
            return
        try:
            await self.app(scope, receive, send)
        finally:
            self._open.give_back(client)


def connects_again(scope: Scope) -> bool:
    """Whether a web socket is of a page that was connected before: Streamlit's browsers name the protocol, a token, and
    then their session."""
    return len(scope.get("subprotocols", ())) > 2
