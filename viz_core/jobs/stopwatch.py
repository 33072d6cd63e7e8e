"""Stopwatches that count neither the time in which the machine sleeps nor changes of its clock."""

import time
from collections.abc import Hashable

LONGEST_GAP = 5.0  # seconds between two looks at a stopwatch; in a longer gap the machine, or the process, slept


class Stopwatch:
    """Adds up the seconds between calls."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def lap(self) -> float:
        """Seconds since the last call, without sleep."""
        before, self._last = self._last, time.monotonic()
        return min(self._last - before, LONGEST_GAP)


class Stopwatches:
    """A stopwatch for each of several activities; it ends when `advance` no longer names its activity."""

    def __init__(self) -> None:
        self._stopwatch = Stopwatch()
        self._seconds: dict[Hashable, float] = {}

    def advance(self, going_on: set[Hashable]) -> None:
        """Advance the stopwatches of what is going on; to be called often. A new one starts at 0."""
        lap = self._stopwatch.lap()
        self._seconds = {name: self._seconds[name] + lap if name in self._seconds else 0.0 for name in going_on}

    def seconds(self, name: Hashable) -> float:
        """Seconds on the stopwatch of this name."""
        return self._seconds.get(name, 0.0)
