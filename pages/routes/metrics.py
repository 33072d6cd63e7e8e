"""`GET metrics`: how the server does, as numbers for Prometheus. No text, no name, no cookie, no address.

Labels are names of our own, such as the pattern of a route, so that the number of series is bounded and none holds what
somebody typed.
"""

import os
import time
from collections import Counter as Tally
from collections.abc import Iterator

from prometheus_client import (
    CONTENT_TYPE_PLAIN_0_0_4,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.routes.access import host_name, is_this_machine
from pages.routes.budget import limits_reached
from pages.routes.request_log import route_of
from pages.routes.sessions import TRY_AGAIN_LATER
from pages.shared.cache import inputs_waiting
from pages.shared.clients import THIS_MACHINE, client_of
from viz_core.jobs.run_folder import folder, read_runs
from viz_core.jobs.state import STATES
from viz_core.variables import METRICS

PATH = "metrics"
SOCKET = "(web socket)"
_PASSED_ON = "X-Forwarded-For"  # every proxy adds this header
# Why a request is refused, by the status of its response or the code of its web socket. What is not valid (400, 422) or
# not there (404) is no refusal.
REASONS = {
    403: "forbidden",
    408: "slow",
    413: "large",
    429: "often",
    503: "busy",
    1008: "forbidden",
    TRY_AGAIN_LATER: "busy",
}
_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)  # up to the longest budget of a route

disable_created_metrics()  # a second series for each, with the time of the start
registry = CollectorRegistry()
request_seconds = Histogram(
    "viz_request_seconds", "Until the last byte.", ["route"], registry=registry, buckets=_SECONDS
)
responses = Counter("viz_responses", "Responses by class of status.", ["route", "status"], registry=registry)
refusals = Counter("viz_refusals", "Refused requests and pages.", ["route", "reason"], registry=registry)
open_pages = Gauge("viz_open_pages", "Open pages: web sockets.", registry=registry)
_pages_of_visitors: Tally[str] = Tally()  # those with a cookie
Gauge("viz_visitors", "Browsers with an open page.", registry=registry).set_function(lambda: len(_pages_of_visitors))
Gauge("viz_inputs_waiting", "Inputs that wait for a forward pass.", registry=registry).set_function(inputs_waiting)
registry.register(limits_reached)
ProcessCollector(registry=registry)


class _Runs(Collector):
    """Read at every scrape, but not by `list_runs`, which may start a worker: looking from outside changes nothing."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        runs = read_runs(folder())
        states = Tally(run.status.state for run in runs)
        by_state = GaugeMetricFamily("viz_runs", "Runs by state.", labels=["state"])
        for state in STATES:
            by_state.add_metric([state], states[state])
        yield by_state
        silent = max(
            (time.time() - run.status.heartbeat for run in runs if run.is_live and not run.is_waiting), default=0.0
        )
        yield GaugeMetricFamily("viz_run_silent_seconds", "Since the oldest heartbeat of a live run.", max(silent, 0.0))


registry.register(_Runs())


class Metrics:
    """ASGI middleware that counts requests, refusals and open pages."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        counted = {"http": self._request, "websocket": self._page}.get(scope["type"], self.app)
        await counted(scope, receive, send)

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        start, status = time.monotonic(), 500

        async def send_and_note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, send_and_note)
        finally:
            route = route_of(scope)
            request_seconds.labels(route).observe(time.monotonic() - start)
            responses.labels(route, f"{status // 100}xx").inc()
            if status in REASONS:
                refusals.labels(route, REASONS[status]).inc()

    async def _page(self, scope: Scope, receive: Receive, send: Send) -> None:
        visitor, is_open = client_of(HTTPConnection(scope)).visitor, False

        async def send_and_note(message: Message) -> None:
            nonlocal is_open
            if message["type"] == "websocket.accept":
                is_open = True
                _count_page(visitor, 1)
            elif message["type"] == "websocket.close" and not is_open and message.get("code") in REASONS:
                refusals.labels(SOCKET, REASONS[message["code"]]).inc()
            await send(message)

        try:
            await self.app(scope, receive, send_and_note)
        finally:
            if is_open:
                _count_page(visitor, -1)


def _count_page(visitor: str | None, change: int) -> None:
    open_pages.inc(change)
    if visitor:
        _pages_of_visitors[visitor] += change
        if not _pages_of_visitors[visitor]:
            del _pages_of_visitors[visitor]


def metrics(request: Request) -> Response:
    """To anybody else than who may read them, they do not exist."""
    if not _may_read(request):
        return Response(status_code=404)
    return Response(generate_latest(registry), headers={"Content-Type": CONTENT_TYPE_PLAIN_0_0_4})


def _may_read(request: Request) -> bool:
    """Whether the request comes from this machine, calls it by a name for itself, and was not passed on by a proxy,
    which may have such a name, too."""
    if os.environ.get(METRICS, "").strip().lower() == "all":
        return True
    if _PASSED_ON in request.headers:
        return False
    name = host_name(f"//{request.headers.get('host', '')}")
    return client_of(request).address == THIS_MACHINE and name is not None and is_this_machine(name)
