"""Many visitors at once on one server: how long each waits, what fails, and how much memory the server takes.

`make load` prints the section of the report; with LOAD_FLAGS="--visitors 60" it prints a single measurement.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext

from aiohttp import ClientSession, TCPConnector
from psutil import Process

from benchmarks import machine
from benchmarks.inputs import MODEL, typed_texts
from benchmarks.measurement import Measurement, server_processes, table
from benchmarks.typists import Typing
from benchmarks.visitors import PageVisitor, Typist, browser
from benchmarks.visits import measure_memory
from pages.routes import explain
from pages.shared.tasks import PAGES
from tests.browser import running_app
from viz_core import checkpoints
from viz_core.analysis.explain import explain as explain_alone

MOST_VISITORS, MOST_SECONDS = 300, 900  # of one measurement
THINK = 4.0  # mean seconds between a complete page and the next text
KEYS = 4.0  # pressed per second
SCENARIOS = (
    (30, "sentiment", "thinking"),
    (30, "matching", "thinking"),
    (60, "sentiment", "thinking"),
    (30, "sentiment", "typing"),
)
TASKS = {page.url: task for task, page in PAGES.items()}  # by the address of the page


async def measure(name: str, address: str, seconds: float, visits: Sequence[Visit]) -> Measurement:
    """Runs visits side by side. Raises ValueError if they are too many or too long."""
    if not (0 < len(visits) <= MOST_VISITORS and 0 < seconds <= MOST_SECONDS):
        raise ValueError(f"{len(visits)} visitors, {seconds:g} s: at most {MOST_VISITORS} and {MOST_SECONDS} s")
    measurement, start, servers = Measurement(name), time.perf_counter(), server_processes(address)
    before = _processor_time(servers)

    async def run(visit: Visit) -> None:
        async with browser(address, connector) as session:
            await visit(session, address, start + seconds, measurement)

    async with TCPConnector(limit=0) as connector, asyncio.TaskGroup() as group:
        for visit in visits:
            group.create_task(run(visit))
    measurement.duration, measurement.cpu = time.perf_counter() - start, _processor_time(servers) - before
    measurement.memory = sum(server.memory_info().rss for server in servers)
    return measurement


def _processor_time(processes: Sequence[Process]) -> float:
    return sum(sum(process.cpu_times()[:2]) for process in processes)


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


def typing(page: str, number: int) -> Visit:
    """A visitor who types without a pause. Of keys pressed while a response is awaited, only the last is sent."""

    async def visit(session: ClientSession, address: str, end: float, measurement: Measurement) -> None:
        body = {"task": TASKS[page], "model": MODEL, "language": "en"}
        typist, typing = Typist(session, address, {"url": explain.PATH, "body": body}), Typing()
        measurement.typings.append(typing)
        *others, text = next(typed_texts(TASKS[page], number))
        await asyncio.sleep(random.Random(number).uniform(0, 1 / KEYS))
        begin, sent = time.perf_counter(), 0
        while sent < _characters(end - begin, text):
            now = time.perf_counter()
            typed = _characters(min(now, end) - begin, text)
            if typed == sent:
                await asyncio.sleep(begin + sent / KEYS - now)
                continue
            typing.typed += [(*others, text[:length]) for length in range(sent + 1, typed + 1)]
            with measurement.response(begin + (typed - 1) / KEYS):
                typing.responses.append(await typist.show(typing.typed[-1]))
            sent = typed

    return visit


def _characters(seconds: float, text: str) -> int:
    """Characters of a text typed in this time."""
    return min(int(seconds * KEYS) + 1, len(text))


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

*Thinking*: a visitor waits {THINK:g} s between a complete page and the next text, which nobody has given before. A
response is the page complete for the new text, with the prediction. *Typing*: {KEYS:g} keys a second. A response is
what the explorer draws; of keys pressed while one is awaited, only the last is sent.
Each visitor checks that everything received is for its own text. Clients and server share the machine.
{machine.conditions(load)}"""


def _run(address: str, visitors: int, page: str, kind: str, seconds: float, think: float = THINK) -> Measurement:
    first = random.randrange(10**6) * MOST_VISITORS  # so that no text has been explained before
    numbers = range(first, first + visitors)
    visits = [typing(page, number) if kind == "typing" else thinking(page, number, think) for number in numbers]
    measurement = asyncio.run(measure(f"{visitors} {kind}, {page}", address, seconds, visits))
    if kind == "typing":
        checkpoint = checkpoints.load(TASKS[page], MODEL)
        measurement.check(lambda *texts: explain_alone(checkpoint, *texts).probabilities)
    return measurement


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument("--address", help="of a server, or of several, on this machine; without it, one is started")
    parser.add_argument("--page", choices=TASKS, default="sentiment")
    parser.add_argument("--visitors", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--think", type=float, default=THINK, help="mean seconds between texts (%(default)s)")
    parser.add_argument("--type", action="store_true", help="type without a pause, instead of thinking")
    parser.add_argument("--visits", type=int, help="visits that come and go, instead: what memory remains")
    parser.add_argument("--interactions", type=int, default=3000, help="of all visits together (%(default)s)")
    options = parser.parse_args()
    kind = "typing" if options.type else "thinking"
    with nullcontext(options.address) if options.address else running_app() as address:
        if options.visits:
            print(asyncio.run(measure_memory(address, options.visits, options.interactions)))
        else:
            print(table([_run(address, options.visitors, options.page, kind, options.seconds, options.think)]))


if __name__ == "__main__":
    main()
