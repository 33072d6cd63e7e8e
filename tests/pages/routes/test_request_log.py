"""The line of a request in the log, and its id in the response."""

import asyncio
import logging

import pytest
from starlette.responses import Response
from starlette.routing import Route, Router

from pages.routes.request_log import HEADER, RequestLog
from viz_core.log import current_log_id

TEXT = "typed"


async def endpoint(request) -> Response:
    status = int(request.path_params["status"])
    if status == 500:
        raise ValueError(TEXT)
    return Response(current_log_id(), status)


def get(path: str) -> list[dict]:
    """The messages of the response to a request that holds a text in its query string."""
    sent = []

    async def receive() -> dict:
        return {"type": "http.request"}

    async def send(message: dict) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": path, "query_string": f"text={TEXT}".encode(), "headers": []}
    app = RequestLog(Router([Route("/explorer/{status}", endpoint)]))
    asyncio.run(app(scope, receive, send))
    return sent


@pytest.mark.parametrize(("status", "level"), [(200, logging.DEBUG), (422, logging.INFO), (503, logging.WARNING)])
def test_a_request_is_a_line_with_the_id_of_its_response(caplog, status, level):
    caplog.set_level(logging.DEBUG, "pages")
    start, body = get(f"/explorer/{status}")
    headers = dict(start["headers"])
    assert headers[HEADER.lower().encode()] == body["body"] and len(body["body"]) == 8
    (record,) = caplog.records
    assert record.levelno == level
    assert record.getMessage().startswith(f"GET /explorer/{{status}}: {status} in ")


def test_ids_differ():
    assert get("/explorer/200")[1]["body"] != get("/explorer/200")[1]["body"]


def test_an_error_of_a_route_is_a_line_without_its_message(caplog):
    with pytest.raises(ValueError, match=TEXT):
        get("/explorer/500")
    (record,) = caplog.records
    assert record.levelno == logging.WARNING and "500" in record.getMessage() and TEXT not in record.getMessage()


def test_a_path_that_is_no_route_is_not_logged(caplog):
    caplog.set_level(logging.DEBUG, "pages")
    get(f"/{TEXT}")
    (message,) = caplog.messages
    assert message.startswith("GET (page or file): 404 in ")
