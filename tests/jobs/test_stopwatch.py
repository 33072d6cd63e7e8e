"""Seconds that count: those in which the machine was awake, whatever its clock shows."""

import pytest

from viz_core.jobs import stopwatch
from viz_core.jobs.stopwatch import LONGEST_GAP, Stopwatch, Stopwatches


@pytest.fixture
def clock(monkeypatch):
    """Sets the monotonic clock."""
    now = [100.0]
    monkeypatch.setattr(stopwatch.time, "monotonic", lambda: now[0])

    def advance(seconds: float) -> None:
        now[0] += seconds

    return advance


def test_a_lap_is_the_time_since_the_last_one_without_sleep(clock):
    watch = Stopwatch()
    clock(0.2)
    assert watch.lap() == pytest.approx(0.2)
    clock(3600)
    assert watch.lap() == LONGEST_GAP
    assert watch.lap() == 0


def test_each_of_several_has_its_own_sum(clock):
    watches = Stopwatches()
    watches.advance({"a"})
    clock(1)
    watches.advance({"a", "b"})
    clock(2)
    watches.advance({"a", "b"})
    assert (watches.seconds("a"), watches.seconds("b"), watches.seconds("c")) == (3, 2, 0)


def test_what_is_over_starts_again_at_0(clock):
    watches = Stopwatches()
    watches.advance({"a"})
    clock(1)
    watches.advance(set())
    watches.advance({"a"})
    assert watches.seconds("a") == 0
