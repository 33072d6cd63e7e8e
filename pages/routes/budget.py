"""What a visitor may ask of a route: bytes, seconds, and how many requests at once.

A visitor is a browser, known by its cookie: a whole class may sit behind one address. Those without a cookie share what
is set aside for them.
"""

import time
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import TypeVar

from viz_core.records import Failure

T = TypeVar("T")


class Busy(Failure):
    """The visitor, or everybody together, has as much under way as the server takes on."""


class TimedOut(Failure):
    """The work takes longer than its budget."""


class Share:
    """A quantity that visitors take for a while: at most `each` for one, `anonymous` for all without a cookie, `total`
    for everybody."""

    def __init__(self, each: int, anonymous: int, total: int) -> None:
        self._each, self._anonymous, self._total = each, anonymous, total
        self._taken: Counter[Hashable] = Counter()
        self._lock = Lock()

    def take(self, visitor: str | None, amount: int = 1) -> None:
        """Raises Busy if that is too much at the moment."""
        with self._lock:
            most = self._anonymous if visitor is None else self._each
            if self._taken[visitor] + amount > most or self._taken.total() + amount > self._total:
                raise Busy("pages.request_busy")
            self._taken[visitor] += amount

    def give_back(self, visitor: str | None, amount: int = 1) -> None:
        with self._lock:
            self._taken[visitor] -= amount
            if not self._taken[visitor]:
                del self._taken[visitor]


class Deadline:
    """When the work for a request is given up: after its seconds, or once nobody waits for it any more."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._end = seconds, time.monotonic() + seconds
        self._abandoned = Event()

    def abandon(self) -> None:
        self._abandoned.set()

    def check(self) -> None:
        """To be called between the steps of a long computation. Raises TimedOut."""
        if self._abandoned.is_set() or time.monotonic() > self._end:
            raise self.failure

    @property
    def failure(self) -> TimedOut:
        return TimedOut("pages.request_timed_out", seconds=self._seconds)


class Turns:
    """Long computations take turns: a step of one at a time, in the order in which they wait for their next step."""

    def __init__(self) -> None:
        self._waiting: deque[Event] = deque()
        self._taken = False
        self._lock = Lock()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Waits for its turn, and has it within the block, except during `yield_turn`."""
        self._wait()
        try:
            yield
        finally:
            self._pass_on()

    def yield_turn(self) -> None:
        """Within a turn: lets those who wait go first."""
        self._pass_on()
        self._wait()

    def _wait(self) -> None:
        with self._lock:
            if not self._taken:
                self._taken = True
                return
            mine = Event()
            self._waiting.append(mine)
        mine.wait()

    def _pass_on(self) -> None:
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._taken = False


@dataclass(frozen=True)
class Budget:
    """Of a route. seconds: for the work of a request. each, anonymous, total: requests under way, as of a Share.
    body_bytes, body_seconds: of a body. Each route has threads of its own, so that none waits for another's."""

    seconds: float
    each: int
    anonymous: int
    total: int
    body_bytes: int = 2**20  # even a very long pasted text is about 100 kB
    body_seconds: float = 20.0
    requests: Share = field(init=False)
    _threads: ThreadPoolExecutor = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "requests", Share(self.each, self.anonymous, self.total))
        object.__setattr__(self, "_threads", ThreadPoolExecutor(self.total))

    def start(self, visitor: str | None, work: Callable[[], T]) -> Future[T]:
        """Starts the work of a request in a thread, which counts as under way until it ends, even if its response is
        no longer awaited. Raises Busy."""
        self.requests.take(visitor)
        future = self._threads.submit(copy_context().run, work)
        future.add_done_callback(lambda _: self.requests.give_back(visitor))
        return future


# Bytes of the bodies under way, of all routes: what slow senders can make the server hold.
bodies = Share(each=4 * 2**20, anonymous=32 * 2**20, total=64 * 2**20)

# A page has one text under way and replaces it at the next key; a class without cookies still fits.
TYPING = Budget(seconds=30, each=8, anonymous=48, total=64)
# Moving the mouse over the heads fetches one after another.
WEIGHTS = Budget(seconds=30, each=16, anonymous=48, total=64)
TRANSLATING = Budget(seconds=60, each=4, anonymous=24, total=64)
# A slider of the page about the inside of attention replaces what is under way.
INSIDE = Budget(seconds=20, each=4, anonymous=24, total=32)
# A page asks for a prediction and for the effects of the heads. Its passes are the longest, and take turns.
WHATIF = Budget(seconds=20, each=3, anonymous=6, total=32)
