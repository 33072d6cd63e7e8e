"""A server that is killed at random moments, again and again, while people come, type and train."""

import asyncio
import os
import random
from collections.abc import Callable

import pytest

from tests.browser import running_app
from tests.e2e.test_faults import server_at
from tests.e2e.test_training import wait_until
from tests.faults.test_long_day import are_over, train, visit
from viz_core.checkpoints import task_checkpoints
from viz_core.jobs import runs

pytestmark = [pytest.mark.process, pytest.mark.slow]
KILLS = max(1, int(os.environ.get("VIZ_FAULTS", 10)) // 20)  # make faults: fifteen
LONGEST = 4.0  # seconds in which people come before the kill
AT_ONCE = 3  # people


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where the runs are."""
    monkeypatch.setenv("VIZ_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("VIZ_RUNS_FREE_MB", "1")
    monkeypatch.setenv("VIZ_RUNS_PER_VISITOR", "1000")


async def come(server: str, first: int, kill: Callable[[], None], seconds: float) -> None:
    """People who come one after the other, some at once, until their server is killed after some seconds."""

    async def one_after_the_other(number: int) -> None:
        while True:
            await visit(server, number)

    asyncio.get_running_loop().call_later(seconds, kill)
    people = [one_after_the_other(first + number) for number in range(AT_ONCE)]
    ends = await asyncio.gather(*people, return_exceptions=True)
    assert not [end for end in ends if isinstance(end, AssertionError)]  # the others lost their connection


def test_a_server_killed_at_random_moments_loses_nothing(folder):
    moments, ids = random.Random(0), list[str]()
    models = [info.name for info in task_checkpoints("imdb")]
    for kill in range(KILLS):
        with running_app() as address:
            ids += train(kill)
            asyncio.run(come(address, kill * AT_ONCE, server_at(address).kill, moments.uniform(0, LONGEST)))
        assert {run.id for run in runs.list_runs()} == set(ids)
        assert [info.name for info in task_checkpoints("imdb")] == models
    with running_app() as address:
        asyncio.run(visit(address, KILLS * AT_ONCE))
        wait_until(are_over, 300)
    assert {run.id: run.status.state for run in runs.list_runs()} == dict.fromkeys(ids, "finished")
