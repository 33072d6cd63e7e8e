"""Visits that come and go: how much memory the server keeps of them.

`make load LOAD_FLAGS="--visits 300 --interactions 3000"` prints it.
"""

import asyncio
import random
from collections.abc import Sequence
from itertools import islice

from aiohttp import TCPConnector

from benchmarks.inputs import typed_texts
from benchmarks.measurement import server_process
from benchmarks.tables import size
from benchmarks.visitors import PageVisitor, browser
from pages.shared.tasks import PAGES

MOST_VISITS, MOST_INTERACTIONS = 1000, 20_000
AT_ONCE = 30  # visits
SHARES = (0.1, 0.5, 1.0)  # of the interactions, after which memory is read


async def measure_memory(address: str, visits: int, interactions: int) -> str:
    """A table of the server's memory. Visits open the pages in turn, give them new texts without a pause, and leave.

    Raises ValueError if they are too many, or if a visit would have no text; an ExceptionGroup if a visit fails.
    """
    if not (0 < visits <= min(MOST_VISITS, interactions) and interactions <= MOST_INTERACTIONS):
        raise ValueError(
            f"{visits} visits with {interactions} interactions: at most {MOST_VISITS} and {MOST_INTERACTIONS}, "
            "and at least one interaction per visit"
        )
    server, pages, first = server_process(address), list(PAGES.values()), random.randrange(10**9)
    marks = {round(share * interactions) for share in SHARES}
    before, memory, done = server.memory_info().rss, [], 0
    turn = asyncio.Semaphore(AT_ONCE)

    async def visit(connector: TCPConnector, number: int) -> None:
        nonlocal done
        page = pages[number % len(pages)]
        count = interactions // visits + (number < interactions % visits)
        async with turn, browser(address, connector) as session, PageVisitor(session, address, page.url) as visitor:
            for texts in islice(typed_texts(page.task, first + number), count):
                await visitor.show(texts)
                done += 1
                if done in marks:
                    memory.append((done, server.memory_info().rss))

    async with TCPConnector(limit=0) as connector, asyncio.TaskGroup() as group:
        for number in range(visits):
            group.create_task(visit(connector, number))
    return table(visits, [(0, before), *memory])


def table(visits: int, memory: Sequence[tuple[int, int]]) -> str:
    """Memory after so many interactions, as Markdown."""
    rows = [f"| {done:,} | {size(used)} |" for done, used in memory]
    return "\n".join([f"| interactions of {visits} visits | memory of the server |", "|---|---|", *rows])
