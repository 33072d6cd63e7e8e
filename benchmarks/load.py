"""Many visitors at once on one server: how long each waits, what fails, and how much memory the server takes.

`make load` prints the section of the report; with LOAD_FLAGS="--visitors 60" it prints a single measurement.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import numpy as np
import psutil
from aiohttp import ClientError, ClientSession, TCPConnector

from benchmarks import machine
from benchmarks.inputs import typed_texts
from benchmarks.tables import milliseconds, size
from benchmarks.visitors import Failed, PageVisitor, Typist
from pages.routes import explain
from tests.browser import running_app

MOST_VISITORS, MOST_SECONDS = 300, 900  # of one measurement
THINK = 4.0  # mean seconds between a complete page and the next text
KEYS = 4.0  # pressed per second
SCENARIOS = (
    (30, "sentiment", "thinking"),
    (30, "matching", "thinking"),
    (60, "sentiment", "thinking"),
    (30, "sentiment", "typing"),
)
TASKS = {"sentiment": "imdb", "matching": "afqmc"}  # by the address of the page


@dataclass
class Measurement:
    """What all visitors experienced, and what it cost the server.

    seconds: from a new text until everything is drawn. cpu: seconds of processor time. memory: bytes at the end.
    """

    name: str
    seconds: list[float] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    duration: float = 0.0
    cpu: float = 0.0
    memory: int = 0

    @contextmanager
    def visit(self) -> Iterator[None]:
        """Counts an error that ends a visit."""
        try:
            yield
        except (Failed, ClientError, TimeoutError) as error:
            self.errors[f"{type(error).__name__} {error}"[:200]] += 1

    @contextmanager
    def response(self, start: float) -> Iterator[None]:
        """Counts what happens within as the response to a text given at `start`, or as an error."""
        with self.visit():
            yield
            self.seconds.append(time.perf_counter() - start)

    def row(self) -> str:
        """A row of the table."""
        p50, p95, p99 = (milliseconds(1000 * value) for value in np.percentile(self.seconds or [np.nan], [50, 95, 99]))
        responses = len(self.seconds)
        cpu = milliseconds(1000 * self.cpu / max(responses, 1))
        return (
            f"| {self.name} | {p50} | {p95} | {p99} | {responses / self.duration:.1f} | {cpu} | {self.errors.total()} "
            f"| {size(self.memory)} |"
        )


async def measure(name: str, address: str, seconds: float, visits: Sequence[Visit]) -> Measurement:
    """Runs visits side by side. Raises ValueError if they are too many or too long."""
    if not (0 < len(visits) <= MOST_VISITORS and 0 < seconds <= MOST_SECONDS):
        raise ValueError(f"{len(visits)} visitors, {seconds:g} s: at most {MOST_VISITORS} and {MOST_SECONDS} s")
    measurement, start, server = Measurement(name), time.perf_counter(), server_process(address)
    before = sum(server.cpu_times()[:2])
    async with ClientSession(connector=TCPConnector(limit=0)) as session, asyncio.TaskGroup() as group:
        for visit in visits:
            group.create_task(visit(session, address, start + seconds, measurement))
    measurement.duration, measurement.cpu = time.perf_counter() - start, sum(server.cpu_times()[:2]) - before
    measurement.memory = server.memory_info().rss
    return measurement


Visit = Callable[[ClientSession, str, float, Measurement], Awaitable[None]]


def thinking(page: str, number: int, think: float = THINK) -> Visit:
    """A visitor of a page who gives it one text after another, each after some thought."""

    async def visit(session: ClientSession, address: str, end: float, measurement: Measurement) -> None:
        dice, texts = random.Random(number), typed_texts(TASKS[page], number)
        await asyncio.sleep(dice.uniform(0, think))
        with measurement.visit():
            async with PageVisitor(session, address, page) as visitor:
                while time.perf_counter() < end:
                    await asyncio.sleep(dice.uniform(0.5, 1.5) * think)
                    with measurement.response(time.perf_counter()):
                        await visitor.show(next(texts))

    return visit


def typing(page: str, number: int, model: str = "small") -> Visit:
    """A visitor who types without a pause. Of keys pressed while a response is awaited, only the last is sent."""

    async def visit(session: ClientSession, address: str, end: float, measurement: Measurement) -> None:
        body = {"task": TASKS[page], "model": model, "language": "en"}
        typist = Typist(session, address, {"url": explain.PATH, "body": body})
        *others, text = next(typed_texts(TASKS[page], number))
        await asyncio.sleep(random.Random(number).uniform(0, 1 / KEYS))
        begin, sent = time.perf_counter(), 0
        while sent < len(text) and (now := time.perf_counter()) < end:
            typed = min(int((now - begin) * KEYS) + 1, len(text))
            if typed == sent:
                await asyncio.sleep(begin + sent / KEYS - now)
                continue
            with measurement.response(begin + (typed - 1) / KEYS):
                await typist.show([*others, text[:typed]])
            sent = typed

    return visit


def server_process(address: str) -> psutil.Process:
    """The process that listens at an address. Raises ValueError if there is none of this user."""
    port = urlsplit(address).port
    for connection in psutil.net_connections("tcp"):
        if connection.status == psutil.CONN_LISTEN and connection.laddr.port == port and connection.pid:
            return psutil.Process(connection.pid)
    raise ValueError(f"no server of this user listens at {address}")


def table(measurements: Sequence[Measurement]) -> str:
    """Measurements as Markdown, errors below."""
    errors = [
        f"- {measurement.name}: {count} × {error}"
        for measurement in measurements
        for error, count in measurement.errors.most_common()
    ]
    header = "| visitors | p50 | p95 | p99 | responses per second | processor time each | errors | memory |"
    return "\n".join([header, "|---" * 8 + "|", *(measurement.row() for measurement in measurements), "", *errors])


def report(quick: bool = False) -> str:
    """The section of the report, as Markdown."""
    load, seconds, scale = machine.load(), 3 if quick else 60, 10 if quick else 1
    measurements = []
    with running_app() as address:
        for visitors, page, kind in SCENARIOS:
            count = visitors // scale
            print(f"load, {count} {kind} on {page}", flush=True)
            measurements.append(_run(address, count, page, kind, seconds))
    return f"""## Many visitors at once

{table(measurements)}

Visitors on web sockets think {THINK:g} s between a complete page and their next text, which nobody has given before; a
response is the page complete for the new text, the request for the prediction included. Those who type press {KEYS:g}
keys a second, and a response is what the explorer draws; of keys pressed while one is awaited, only the last is sent.
Each visitor checks that everything received is for its own text. Clients and server share the machine.
{machine.conditions(load)}"""


def _run(address: str, visitors: int, page: str, kind: str, seconds: float, think: float = THINK) -> Measurement:
    first = random.randrange(10**6) * MOST_VISITORS  # so that no text has been explained before
    numbers = range(first, first + visitors)
    visits = [typing(page, number) if kind == "typing" else thinking(page, number, think) for number in numbers]
    return asyncio.run(measure(f"{visitors} {kind}, {page}", address, seconds, visits))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument("--address", help="of a server on this machine; without it, one is started")
    parser.add_argument("--page", choices=TASKS, default="sentiment")
    parser.add_argument("--visitors", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--think", type=float, default=THINK, help="mean seconds between texts (%(default)s)")
    parser.add_argument("--type", action="store_true", help="type without a pause, instead of thinking")
    options = parser.parse_args()
    kind = "typing" if options.type else "thinking"
    with nullcontext(options.address) if options.address else running_app() as address:
        print(table([_run(address, options.visitors, options.page, kind, options.seconds, options.think)]))


if __name__ == "__main__":
    main()
