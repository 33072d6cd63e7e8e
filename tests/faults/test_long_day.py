"""A day of eight hours in twenty minutes: thirty visits a minute that come, type, train and leave.

The wall clock runs 24 times as fast. In one tenth of the day it is set back by an hour, in the next the disk is full,
in the next it may only be read. What the server holds in the end is compared with what it held after the first tenth.
"""

import asyncio
import os
import time
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from tests.browser import running_app
from tests.e2e.test_faults import server_at
from tests.e2e.test_training import wait_until
from tests.faults.disks import full, read_only, small_disk
from tests.faults.storms import MODEL, Browser, messages, rerun
from tests.training.tiny import ENCODER
from tests.words import opening
from viz_core.jobs import runs
from viz_core.records import Failure
from viz_core.training.door import TrainingSettings, submit

pytestmark = [pytest.mark.process, pytest.mark.slow]
VISITS = min(14_400, 48 * int(os.environ.get("VIZ_FAULTS", 10)))  # make faults: all of a day
FIRST = max(200, VISITS // 10)  # more than Streamlit keeps sessions of those who have left
TRAININGS = 3  # in a tenth
AT_ONCE = 6  # people
PAGES = ("", "sentiment", "matching", "translation", "inside", "models", "evaluation", "training")
BACK, FULL, READ_ONLY = 4, 5, 6  # tenths of the day
GROWTH = 1.1
POOLED = 4  # threads and handles that pools take late; what leaks takes at least one a tenth: nine


@dataclass(frozen=True)
class Held:
    """What a server holds."""

    bytes: int
    threads: int
    handles: int
    files: int

    @classmethod
    def by(cls, server: psutil.Process, *folders: Path) -> "Held":
        """files: temporary ones, in these folders."""
        temporary = [path for folder in folders for path in folder.rglob("*") if path.suffix == ".tmp"]
        hidden = [*folders[0].glob(".*-*"), *folders[1].iterdir()]
        with server.oneshot():
            memory = server.memory_full_info().uss
            return cls(memory, server.num_threads(), server.num_fds(), len(temporary) + len(hidden))


@pytest.fixture
def disk(tmp_path, monkeypatch):
    """The folder of the runs is on a disk of its own, and every process of the app has the fast clock."""
    with small_disk(200) as folder:
        (tmp_path / "tmp").mkdir()
        for name, value in {
            "VIZ_RUNS_DIR": folder / "runs",
            "VIZ_RUNS_FREE_MB": 1,
            "VIZ_RUNS_PER_VISITOR": 1000,
            "VIZ_TEST_CLOCK_START": time.time_ns(),
            "VIZ_TEST_CLOCK_BACK": tmp_path / "back",
            "PYTHONPATH": Path(__file__).with_name("clock"),
            "TMPDIR": tmp_path / "tmp",
        }.items():
            monkeypatch.setenv(name, str(value))
        yield folder


def train(number: int) -> list[str]:
    """The ids of the runs that the app takes."""
    settings = TrainingSettings("imdb", name=f"run {number}", data="sample", overrides=ENCODER, recipe={"epochs": 1})
    try:
        return [submit(settings, "cpu", f"{number:032x}").id]
    except Failure:
        return []


async def visit(server: str, number: int) -> None:
    """Somebody opens a page, types three texts, and leaves."""
    browser = Browser(server, f"{number:032x}", f"198.51.{number // 250 % 250}.{number % 250}")
    async with browser.open_page() as page:
        await page.send(rerun(PAGES[number % len(PAGES)]))
        received = await messages(page)
        assert not any(opening("pages.failed").encode() in each.SerializeToString() for each in received)
        for text in range(3):
            body = MODEL | {"model": "small", "texts": [f"A good film, the {number}. of this year, {text}"]}
            assert await browser.post("explain", body | {"visit": str(number)}) == 200


async def visits(server: str, numbers: range) -> list[str]:
    """Some people at a time. Returns the ids of the runs that were taken meanwhile."""
    waiting, ids = list(numbers), list[str]()

    async def come_and_go() -> None:
        while waiting:
            number = waiting.pop(0)
            if number % max(1, len(numbers) // TRAININGS) == 0:
                ids.extend(await asyncio.to_thread(train, number))
            await visit(server, number)

    await asyncio.gather(*[come_and_go() for _ in range(AT_ONCE)])
    return ids


def are_over() -> bool:
    return all(run.is_over for run in runs.list_runs())


def test_a_day_leaves_nothing_behind(disk, tmp_path):
    tenths = [range(FIRST), *(range(FIRST + VISITS * n // 10, FIRST + VISITS * (n + 1) // 10) for n in range(9))]
    ids, held = list[str](), list[Held]()
    with running_app() as address:
        server = server_at(address)
        for number, tenth in enumerate(tenths):
            (tmp_path / "back").unlink(missing_ok=True)
            if number == BACK:
                (tmp_path / "back").touch()
            ids += train(tenth.start) if number == FULL else []  # it runs, or waits, when the disk is full
            with full(disk) if number == FULL else read_only(disk) if number == READ_ONLY else nullcontext():
                taken = asyncio.run(visits(address, tenth))
                assert bool(taken) == (number not in (FULL, READ_ONLY))
            ids += taken
            wait_until(are_over, 120)
            held.append(Held.by(server, disk / "runs", tmp_path / "tmp"))
            print(f"\n{len(tenth)} visits: {held[-1]}", flush=True)
        for run in runs.list_runs():
            if run.status.state == "failed":  # there was no room
                runs.resume(run.id)
        wait_until(are_over, 120)
    assert {run.id: run.status.state for run in runs.list_runs()} == dict.fromkeys(ids, "finished")
    first, last = held[0], held[-1]
    assert last.bytes <= GROWTH * first.bytes
    assert last.threads <= first.threads + POOLED and last.handles <= first.handles + POOLED
    assert last.files <= first.files
