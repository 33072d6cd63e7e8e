"""The order in which visitors are served: one turn each, however much one of them asks for."""

from bisect import insort
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from operator import attrgetter
from threading import Lock
from typing import Generic, NamedTuple, TypeVar

from viz_core.analysis.deadline import Deadline, TimedOut

T = TypeVar("T")
ADDRESS_TURNS = 4  # turns of an address in a round: a class behind one router has more than a single visitor


class Client(NamedTuple):
    """Who asks.

    Attributes:
        visitor: The browser, by its cookie; None without one.
        address: Where the request comes from.
    """

    visitor: str | None
    address: str


@dataclass(frozen=True)
class _Entry(Generic[T]):
    turn: float
    client: Client | None
    item: T


class FairOrder(Generic[T]):
    """Items that wait, in fair order: the second of a visitor goes after the first of everybody else.

    So does the fifth of an address, whatever cookies its visitors have. Start-time fair queueing
    (Goyal et al. 1996, https://doi.org/10.1145/248156.248171) with two flows for each item. Items of
    nobody in particular wait like those of a visitor with nothing else to wait for. Not thread-safe.
    """

    def __init__(self) -> None:
        self._now = 0.0
        self._entries: list[_Entry[T]] = []

    def __iter__(self) -> Iterator[T]:
        return iter([entry.item for entry in self._entries])

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, client: Client | None, item: T) -> None:
        """Let an item wait."""
        turn = self._now + 1
        for entry in self._entries:
            if entry.client and entry.client == client:
                turn = max(turn, entry.turn + 1)
            elif entry.client and client and entry.client.address == client.address:
                turn = max(turn, entry.turn + 1 / ADDRESS_TURNS)
        insort(self._entries, _Entry(turn, client, item), key=attrgetter("turn"))

    def take(self, items: Collection[T]) -> None:
        """Remove items; those behind the first have moved up if it is among them."""
        if self._entries and self._entries[0].item in items:
            self._now = self._entries[0].turn
        self._entries = [entry for entry in self._entries if entry.item not in items]


class Turns:
    """Long computations take turns: a step of one at a time, in fair order."""

    def __init__(self) -> None:
        self._waiting = FairOrder[Future[None]]()
        self._taken = False
        self._lock = Lock()

    @contextmanager
    def turn(self, client: Client | None, deadline: Deadline) -> Iterator[Callable[[], None]]:
        """Wait for a turn, and have it within the block.

        Yields a function to be called between two steps: it lets those who wait go first.

        Raises:
            TimedOut: If the deadline has come, here and between two steps.
        """
        has_turn = False

        def next_step() -> None:
            nonlocal has_turn
            mine = self._queue(client, has_turn)
            has_turn = False
            try:
                deadline.wait(mine)
            except TimedOut:
                if not mine.cancelled():  # its turn came at the same moment
                    self._pass_on()
                raise
            has_turn = True
            deadline.check()

        try:
            next_step()
            yield next_step
        finally:
            if has_turn:
                self._pass_on()

    def _queue(self, client: Client | None, has_turn: bool) -> Future[None]:
        """Wait for a turn, the result of the future, after giving up the one that a client has."""
        mine = Future[None]()
        with self._lock:
            self._waiting.add(client, mine)
            idle, self._taken = not self._taken, True
        if idle or has_turn:
            self._pass_on()
        return mine

    def _pass_on(self) -> None:
        with self._lock:
            for first in self._waiting:
                self._waiting.take([first])
                if first.set_running_or_notify_cancel():
                    first.set_result(None)
                    return
            self._taken = False
