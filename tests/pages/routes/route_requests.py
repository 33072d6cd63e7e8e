"""Requests to the routes, and their responses."""

import asyncio
import json
from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response

from pages.shared.visitor_cookie import COOKIE, sign

REQUEST = {"task": "afqmc", "model": "tiny", "texts": ["花呗怎么还", "借呗如何还款"]}  # [CLS] 5 [SEP] 6 [SEP]
Route = Callable[[Request], Awaitable[Response]]


def post(route: Route, body: bytes | dict, language: str = "en-GB,en;q=0.9", visitor: str | None = None) -> Response:
    """A route's response to a request that arrives in two pieces. visitor: the token in the cookie of the browser."""
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    pieces = [
        {"type": "http.request", "body": body[:50], "more_body": True},
        {"type": "http.request", "body": body[50:], "more_body": False},
    ]

    async def receive() -> dict:
        if not pieces:
            await asyncio.Event().wait()  # the browser waits for the response
        return pieces.pop(0)

    headers = [(b"accept-language", language.encode())]
    if visitor:
        headers.append((b"cookie", f"{COOKIE}={sign(visitor)}".encode()))
    return asyncio.run(route(Request({"type": "http", "method": "POST", "headers": headers}, receive)))


def refusal_message(route: Route, body: bytes | dict, status: int, language: str = "en-GB,en;q=0.9") -> str:
    """The message with which a route refuses a request."""
    response = post(route, body, language)
    assert (response.status_code, response.media_type) == (status, "application/json")
    fields = json.loads(response.body)
    assert set(fields) == {"error"}
    return fields["error"]
