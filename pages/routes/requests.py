"""What the routes beside the pages have in common: reading a request, and refusing one with a sentence.

A request names its input with its texts, so that no visitor's session is needed: what is no longer in the cache is computed
again.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from viz_core import checkpoints
from viz_core.checkpoints import CheckpointInfo
from viz_core.language import Translator, closest

MAX_BYTES = 2**20  # of a request; the longest text that a person would paste is some 100 kB


async def answered(request: Request, answer: Callable[[bytes, Translator], Response]) -> Response:
    """What `answer` makes of the body, in a thread of its own, in the language that the browser asks for."""
    say = Translator(closest(request.headers.get("accept-language", "").split(",")[0]))
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BYTES:
            return refusal(413, say("pages.request_too_long", limit=MAX_BYTES))
    response = await run_in_threadpool(answer, bytes(body), say)
    # On a connection that is kept, the body would wait 40 ms for the browser to acknowledge the headers: the socket that
    # Streamlit opens makes asyncio leave Nagle's algorithm on. A new connection costs next to nothing.
    response.headers.update({"Cache-Control": "no-store", "Connection": "close"})
    return response


def parsed(body: bytes) -> object:
    """The JSON of a body; None where it is none."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def are_texts(texts: list) -> bool:
    """Whether these are one text or two."""
    return [type(text) for text in texts] in ([str], [str, str])


def named(task: str, model: str) -> CheckpointInfo | None:
    """The checkpoint that a request means; None where there is none."""
    return next((one for one in checkpoints.usable(task) if one.name == model), None)


def refusal(status: int, sentence: str) -> Response:
    # In ASCII: a sentence may quote half of a character, which is no UTF-8.
    return Response(json.dumps({"error": sentence}), status, {"Cache-Control": "no-store"}, "application/json")
