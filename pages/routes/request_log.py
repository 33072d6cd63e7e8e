"""A line in the log for every request of the browser, and an id that all lines written on its behalf have."""

import logging
import secrets
import time

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from viz_core.log import logged_as

HEADER = "X-Request-Id"
_log = logging.getLogger(__name__)


class RequestLog:
    """ASGI middleware that gives each HTTP request an id: on its lines in the log, and in a header of the response.

    Logged are method, route, status and duration; not the query string, nor the body: they hold what visitors typed.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id, start, status = secrets.token_hex(4), time.monotonic(), 500

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message).append(HEADER, request_id)
            await send(message)

        with logged_as(request_id):
            try:
                await self.app(scope, receive, send_with_id)
            finally:
                level = logging.WARNING if status >= 500 else logging.INFO if status >= 400 else logging.DEBUG
                milliseconds = 1000 * (time.monotonic() - start)
                _log.log(level, "%s %s: %d in %.0f ms", scope["method"], route_of(scope), status, milliseconds)


def route_of(scope: Scope) -> str:
    """The pattern of the route that took a request. Not its path: in another form than that of a route it holds
    whatever was typed."""
    return getattr(scope.get("route"), "path", "") or "(page or file)"
