"""When a computation is given up: after its seconds, or once nobody waits for it any more."""

import time
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import TypeVar

from viz_core.records import Failure

T = TypeVar("T")


class TimedOut(Failure):
    """The work takes longer than its budget, or nobody waits for it."""


class Deadline:
    """The end of the work for one request."""

    def __init__(self, seconds: float | None = None) -> None:
        """Start the clock.

        Args:
            seconds: None for work that may take forever, unless it is abandoned.
        """
        self._seconds, self._end = seconds, None if seconds is None else time.monotonic() + seconds
        self._abandoned = Future[None]()

    def abandon(self) -> None:
        """Nobody waits any more; call it once."""
        self._abandoned.set_result(None)

    @property
    def is_over(self) -> bool:
        """Whether the work is to be given up."""
        return self._abandoned.done() or (self._end is not None and time.monotonic() > self._end)

    def check(self) -> None:
        """End a long computation; to be called between its steps.

        Raises:
            TimedOut: If it is over.
        """
        if self.is_over:
            raise self.failure

    def wait(self, future: Future[T]) -> T:
        """Return the result of a future; if the deadline comes first, the future is cancelled.

        Raises:
            TimedOut: If the deadline comes first.
        """
        left = None if self._end is None else max(0.0, self._end - time.monotonic())
        both: list[Future] = [future, self._abandoned]
        wait(both, left, FIRST_COMPLETED)
        if future.done():
            return future.result()
        future.cancel()
        raise self.failure

    @property
    def failure(self) -> TimedOut:
        """What is raised."""
        return TimedOut("pages.request_timed_out", seconds=self._seconds or 0)
