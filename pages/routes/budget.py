"""What a visitor may ask of a route: bytes, seconds, and how many requests at once.

A visitor is a browser, known by its cookie: a whole class may sit behind one address. Those without a cookie share what
is set aside for them. Cookies are free for whoever asks, so there is a limit for an address, too.
"""

import logging
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from threading import Lock
from typing import NoReturn, TypeVar

from prometheus_client import Counter as Metric

from pages.shared.clients import address_share
from viz_core.analysis.turns import Client, Turns
from viz_core.records import Failure

T = TypeVar("T")
MOST_LOGGED = 100  # addresses that a share remembers as refused
limits_reached = Metric(
    "viz_limits_reached", "What was refused, and whose limit it was.", ["of", "whose"], registry=None
)
_log = logging.getLogger(__name__)


class Busy(Failure):
    """The visitor, or everybody together, has as much under way as the server takes on."""


class Share:
    """A quantity that visitors take for a while: at most `each` for one, `anonymous` for all without a cookie, `total`
    for everybody, and of that `VIZ_ADDRESS_SHARE` percent for one address. name: in the log."""

    def __init__(self, name: str, each: int, anonymous: int, total: int) -> None:
        self._name, self._each, self._anonymous, self._total = name, each, anonymous, total
        self._of_visitors: Counter[str | None] = Counter()
        self._of_addresses: Counter[str] = Counter()
        self._logged: set[str] = set()  # addresses that have been refused since they last had nothing
        self._lock = Lock()

    def take(self, client: Client, amount: int = 1) -> None:
        """Raises Busy if that is too much at the moment."""
        with self._lock:
            most = self._anonymous if client.visitor is None else self._each
            limits = (
                ("visitor", self._of_visitors[client.visitor], most),
                ("address", self._of_addresses[client.address], max(most, self._total * address_share() // 100)),
                ("server", self._of_visitors.total(), self._total),
            )
            for limited, taken, limit in limits:
                if taken + amount > limit:
                    self._refuse(client, limited)
            self._of_visitors[client.visitor] += amount
            self._of_addresses[client.address] += amount

    def give_back(self, client: Client, amount: int = 1) -> None:
        with self._lock:
            for counter, key in ((self._of_visitors, client.visitor), (self._of_addresses, client.address)):
                counter[key] -= amount
                if not counter[key]:
                    del counter[key]
            if client.address not in self._of_addresses:
                self._logged.discard(client.address)

    def _refuse(self, client: Client, limited: str) -> NoReturn:
        limits_reached.labels(self._name, limited).inc()
        if client.address not in self._logged and len(self._logged) < MOST_LOGGED:
            self._logged.add(client.address)
            _log.warning("%s: refused %s, because the %s has as much as it may", self._name, client.address, limited)
        raise Busy("pages.request_busy")


@dataclass(frozen=True)
class Budget:
    """Of a route. seconds: for the work of a request. each, anonymous, total: requests under way, as of a Share.
    body_bytes, body_seconds: of a body. Each route has threads of its own, so that none waits for another's."""

    name: str
    seconds: float
    each: int
    anonymous: int
    total: int
    body_bytes: int = 2**20  # even a very long pasted text is about 100 kB
    body_seconds: float = 20.0
    requests: Share = field(init=False)
    _threads: ThreadPoolExecutor = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "requests", Share(self.name, self.each, self.anonymous, self.total))
        object.__setattr__(self, "_threads", ThreadPoolExecutor(self.total))

    def start(self, client: Client, work: Callable[[], T]) -> Future[T]:
        """Starts the work of a request in a thread, which counts as under way until it ends, even if its response is
        no longer awaited. Raises Busy."""
        self.requests.take(client)
        future = self._threads.submit(copy_context().run, work)
        future.add_done_callback(lambda _: self.requests.give_back(client))
        return future


# Bytes of the bodies under way, of all routes: what slow senders can make the server hold.
bodies = Share("bodies", each=4 * 2**20, anonymous=32 * 2**20, total=64 * 2**20)

# A page has one text under way and replaces it at the next key; a class without cookies still fits.
TYPING = Budget("typing", seconds=30, each=8, anonymous=48, total=64)
# Moving the mouse over the heads fetches one after another.
WEIGHTS = Budget("weights", seconds=30, each=16, anonymous=48, total=64)
TRANSLATING = Budget("translations", seconds=60, each=4, anonymous=24, total=64)
# A slider of the page about the inside of attention replaces what is under way.
INSIDE = Budget("inside", seconds=20, each=4, anonymous=24, total=32)
# A page asks for a prediction and for the effects of the heads.
WHATIF = Budget("what-if", seconds=20, each=3, anonymous=6, total=32)
# A class votes within seconds, with a request each for the page and for the vote, which take a millisecond.
VOTING = Budget("votes", seconds=10, each=8, anonymous=128, total=192, body_bytes=2**12, body_seconds=10)

# What computes for long or takes much memory, of whatever route: what-if, the inside of attention, norms of values.
long_turns = Turns()
