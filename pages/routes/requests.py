"""Shared by the routes: reading a request, and refusing it with a message.

A request contains its texts, so that no session is needed: whatever is no longer in the cache is computed again.
"""

import asyncio
import gzip
import json
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from pages.routes.budget import Budget, Busy, bodies
from pages.shared.clients import client_of
from pages.shared.kinds import page_kind
from pages.shared.models import find_model
from pages.shared.own_tasks import opens_for
from viz_core.analysis.batching import Overload, Overtaken
from viz_core.analysis.deadline import Deadline
from viz_core.analysis.turns import Client
from viz_core.checkpoints import CheckpointInfo, fetch_command
from viz_core.language import Translator, closest_language
from viz_core.log import current_log_id
from viz_core.records import Failure


class TooLong(Failure):
    """The body has too many bytes."""


class TooSlow(Failure):
    """The body has not arrived in time."""


class Fault(Failure):
    """Ours."""


LONGEST_INTEGER = 40  # digits; nothing that a request counts or numbers has as many
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Posted:
    """What a handler responds to. say: in the language that the browser accepts. deadline: of the work."""

    body: bytes
    say: Translator
    client: Client
    deadline: Deadline


Handler = Callable[[Posted], Response]
Requested = TypeVar("Requested")  # what a request says besides its model


async def respond(
    request: Request, handler: Handler, budget: Budget, refuse: Callable[[Failure, Translator], Response] | None = None
) -> Response:
    """The handler's response, from a thread of the route; a refusal if the request exceeds the budget, by default
    `failure_response`."""
    say = Translator(closest_language(request.headers.get("accept-language", "").split(",")[0]))
    client = client_of(request)
    try:
        async with _body(request, budget, client) as body:
            response = await _run(request, handler, Posted(body, say, client, Deadline(budget.seconds)), budget)
    except Failure as failure:
        response = (refuse or failure_response)(failure, say)
    # On a persistent connection the body would wait 40 ms for the browser to acknowledge the headers, because asyncio
    # does not disable Nagle's algorithm on the socket that Streamlit opens. A new connection costs next to nothing.
    response.headers.update({"Cache-Control": "no-store", "Connection": "close"})
    return response


def handler(
    route: str,
    read: Callable[[dict[str, Any]], Requested],
    answer: Callable[[Requested, CheckpointInfo, Translator, Posted], Response],
    unreadable: str = "pages.request_unreadable",
    speaks: bool = False,
) -> Handler:
    """The handler of a route that is asked about a model, `{"task", "model", …}`, if its kind has the route and whoever
    asks may use it.

    read: what else the fields say; raises KeyError, TypeError, ValueError or OverflowError if they are not valid, and
    `unreadable` is the key of the sentence that is said then. answer: the response; raises Failure. speaks: whether a
    request names its `language`, in which a failure is said, too, in place of that of the browser.
    """

    def handle(posted: Posted) -> Response:
        fields, say = parse_json(posted.body), posted.say
        try:
            names = read_string(fields["task"]), read_string(fields["model"])
            say = Translator(fields["language"]) if speaks else say
            is_there = _serves(names[0], route) and opens_for(names[0], posted.client)
            info = find_model(*names) if is_there else None
            if info is None:
                command = fetch_command(*names)
                how = say("checkpoints.not_fetched", name="/".join(names), command=command)
                return refusal(404, how if command else say("pages.request_unknown_model"))
            requested = read(fields)
        except (KeyError, TypeError, ValueError, OverflowError):
            return refusal(400, posted.say(unreadable))
        try:
            return answer(requested, info, say, posted)
        except Failure as failure:
            return failure_response(failure, say)

    return handle


def _serves(task: str, route: str) -> bool:
    try:
        return route in page_kind(task).routes
    except Failure:
        return False


@asynccontextmanager
async def _body(request: Request, budget: Budget, client: Client) -> AsyncIterator[bytes]:
    """The body, which counts as held by its visitor within the block. Raises Failure: TooLong, TooSlow, Busy."""
    body = bytearray()
    try:
        try:
            async with asyncio.timeout(budget.body_seconds):
                async for chunk in request.stream():
                    if len(body) + len(chunk) > budget.body_bytes:
                        raise TooLong("pages.request_too_long", limit=budget.body_bytes)
                    bodies.take(client, len(chunk))
                    body += chunk
        except (TimeoutError, ClientDisconnect):  # whoever has left reads no sentence
            raise TooSlow("pages.request_too_slow", seconds=budget.body_seconds) from None
        yield bytes(body)
    finally:
        bodies.give_back(client, len(body))


async def _run(request: Request, handler: Handler, posted: Posted, budget: Budget) -> Response:
    """Runs the handler until it responds, its time is over or its visitor has left. Raises Failure.

    A handler that is given up goes on until it checks its deadline, and counts as under way until then.
    """
    work = asyncio.wrap_future(budget.start(posted.client, partial(handler, posted)))
    gone = asyncio.ensure_future(_disconnection(request))
    try:
        await asyncio.wait([work, gone], timeout=budget.seconds, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            raise posted.deadline.failure
        return work.result()
    except Failure:
        raise
    except Exception as error:  # a fault of ours, which must not look like one
        _log.error("A request failed", exc_info=error)
        raise Fault("pages.request_failed", number=current_log_id()) from error
    finally:
        posted.deadline.abandon()
        work.cancel()
        gone.cancel()


async def _disconnection(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def parse_json(body: bytes) -> object:
    """The parsed body; None if it is not JSON."""
    try:
        return json.loads(body, parse_int=_integer)
    except (ValueError, RecursionError):
        return None


def _integer(digits: str) -> int:
    """Raises ValueError for a number so long that no message could name it."""
    if len(digits) > LONGEST_INTEGER:
        raise ValueError("too many digits")
    return int(digits)


def are_texts(texts: list) -> bool:
    """Whether these are a text or a pair of texts."""
    return [type(text) for text in texts] in ([str], [str, str])


def gzip_response(content: bytes) -> Response:
    """At the fastest level: a millisecond for a third to a half of the bytes; Streamlit's own takes thirty times as
    long."""
    return Response(
        gzip.compress(content, 1, mtime=0), headers={"Content-Encoding": "gzip"}, media_type="application/octet-stream"
    )


def refusal(status: int, message: str) -> Response:
    """An error response with a message, in ASCII: it may quote a lone surrogate, which UTF-8 cannot encode."""
    return Response(json.dumps({"error": message}), status, {"Cache-Control": "no-store"}, "application/json")


def failure_response(failure: Failure, say: Translator) -> Response:
    """The refusal of an input that could not be explained."""
    return refusal(status_of(failure), say(failure.message))


def status_of(failure: Failure) -> int:
    """503 and 409 where asking again, or waiting, helps."""
    statuses = {Overload: 503, Busy: 503, Overtaken: 409, TooLong: 413, TooSlow: 408, Fault: 500}
    return statuses.get(type(failure), 422)


def read_string(value: object) -> str:
    """The value if it is a string. Raises TypeError."""
    if not isinstance(value, str):
        raise TypeError("not a string")
    return value


def read_texts(value: object) -> tuple[str, ...]:
    """A text or a pair of texts. Raises TypeError."""
    if not are_texts(read_list(value)):
        raise TypeError("not texts")
    return tuple(value)


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
