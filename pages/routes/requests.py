"""Shared by the routes: reading a request, and refusing it with a message.

A request contains its texts, so that no session is needed: whatever is no longer in the cache is computed again.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from viz_core.analysis.batching import Overload, Overtaken
from viz_core.language import Translator, closest_language
from viz_core.records import Failure

MAX_BYTES = 2**20  # of a request; even a very long pasted text is about 100 kB


async def respond(request: Request, handler: Callable[[bytes, Translator], Response]) -> Response:
    """The handler's response to the body; it runs in a worker thread, with the language that the browser accepts."""
    say = Translator(closest_language(request.headers.get("accept-language", "").split(",")[0]))
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BYTES:
            return refusal(413, say("pages.request_too_long", limit=MAX_BYTES))
    response = await run_in_threadpool(handler, bytes(body), say)
    # On a persistent connection the body would wait 40 ms for the browser to acknowledge the headers, because asyncio
    # does not disable Nagle's algorithm on the socket that Streamlit opens. A new connection costs next to nothing.
    response.headers.update({"Cache-Control": "no-store", "Connection": "close"})
    return response


def parse_json(body: bytes) -> object:
    """The parsed body; None if it is not JSON."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def are_texts(texts: list) -> bool:
    """Whether these are a text or a pair of texts."""
    return [type(text) for text in texts] in ([str], [str, str])


def refusal(status: int, message: str) -> Response:
    """An error response with a message, in ASCII: it may quote a lone surrogate, which UTF-8 cannot encode."""
    return Response(json.dumps({"error": message}), status, {"Cache-Control": "no-store"}, "application/json")


def failure_response(failure: Failure, say: Translator) -> Response:
    """The refusal of an input that could not be explained: 503 and 409 where asking again, or waiting, helps."""
    statuses = {Overload: 503, Overtaken: 409}
    return refusal(statuses.get(type(failure), 422), say(failure.message))


def read_list(value: object) -> list:
    """The value if it is a list. Raises TypeError."""
    if not isinstance(value, list):
        raise TypeError("not a list")
    return value


def read_indices(value: object, length: int | None = None) -> tuple[int, ...]:
    """A list of integers, of this length if one is given. Raises TypeError."""
    if any(type(number) is not int for number in read_list(value)) or length not in (None, len(value)):
        raise TypeError("not indices")
    return tuple(value)
