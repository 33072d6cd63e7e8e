"""Who is at the other end of a connection, and how often somebody may do something."""

import logging
import math
import os
import re
import time
from collections.abc import Callable, Hashable, Iterable
from functools import cache
from ipaddress import ip_address, ip_network
from threading import Lock

import streamlit as st
from starlette.requests import HTTPConnection

from pages.shared.visitor_cookie import visitor_token
from viz_core.analysis.turns import Client
from viz_core.servers import VISITOR_COOKIE, VISITOR_HEADER, place
from viz_core.variables import ADDRESS_SHARE

THIS_MACHINE = "this machine"
DEFAULT_ADDRESS_SHARE = 75  # percent
_MOST_KEYS = 10_000
_ROUNDING = 1e-6  # seconds
_log = logging.getLogger(__name__)


def client_of(connection: HTTPConnection) -> Client:
    """Who is at the other end of a request or a web socket."""
    return Client(_visitor_of(connection), address_of(connection.client.host if connection.client else ""))


def _visitor_of(connection: HTTPConnection) -> str | None:
    """The token of its cookie. One among several servers counts only the cookie by which the proxy has chosen it: with
    another, written so that the proxy reads it otherwise, a script would be a visitor of its own on each server."""
    cookies = connection.cookies
    if place().count > 1 and connection.headers.get(VISITOR_HEADER) != cookies.get(VISITOR_COOKIE):
        return None
    return visitor_token(cookies)


def page_client() -> Client:
    """Who looks at the page whose script runs."""
    return Client(visitor_token(st.context.cookies), address_of(st.context.ip_address or ""))


def address_of(host: str) -> str:
    """The address of a client; of IPv6 the network, in which a machine has as many addresses as it likes. Streamlit
    leaves it out for this machine."""
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host or THIS_MACHINE
    address = getattr(address, "ipv4_mapped", None) or address
    if address.is_loopback:
        return THIS_MACHINE
    return str(ip_network((address, 64), strict=False)) if address.version == 6 else str(address)


@cache
def address_share() -> int:
    """Percent of a quantity that one address may take, between 1 and 100; the default where the setting is unusable."""
    value = os.environ.get(ADDRESS_SHARE, "")
    return min(max(int(value), 1), 100) if re.fullmatch("[0-9]{1,3}", value) else DEFAULT_ADDRESS_SHARE


class Rate:
    """How often something may be done under each key: `burst` times at once, then every `interval` seconds (the generic
    cell rate algorithm, ITU-T I.371)."""

    def __init__(self, burst: int, interval: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._slack, self._interval, self._clock = (burst - 1) * interval, interval, clock
        self._due: dict[Hashable, float] = {}  # when it would be done if it were done every `interval` seconds
        self._lock = Lock()

    def take(self, *keys: Hashable) -> float:
        """Counts once under all keys, if it may be done now. Returns 0 then, else the seconds until it may."""
        with self._lock:
            now = self._clock()
            if wait := self._wait(now, keys):
                return wait
            if len(self._due) > _MOST_KEYS:
                self._due = {key: due for key, due in self._due.items() if due > now}
            self._due.update({key: max(self._due.get(key, now), now) + self._interval for key in keys})
            return 0.0

    def wait(self, *keys: Hashable) -> float:
        """The seconds until it may be done, without counting."""
        with self._lock:
            return self._wait(self._clock(), keys)

    def _wait(self, now: float, keys: Iterable[Hashable]) -> float:
        wait = max(self._due.get(key, now) for key in keys) - now - self._slack
        return wait if wait > _ROUNDING else 0.0


def shared_rate(burst: int, interval: float) -> Rate:
    """What all servers together allow at most, each its share: one of N that many times at once, and a time in N
    intervals. With more servers than the burst, each allows one at once."""
    count = place().count
    return Rate(max(1, burst // count), interval * count)


class Held:
    """Whose pages have had to wait lately, because they ask too often."""

    def __init__(self, seconds: float = 5.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._clock = seconds, clock
        self._until: dict[Client, float] = {}

    def note(self, client: Client) -> None:
        """A page of this client waits."""
        now = self._clock()
        if client not in self._until and len(self._until) > _MOST_KEYS:
            self._until = {other: until for other, until in self._until.items() if until > now}
        if client not in self:
            _log.warning("Pages of one visitor at %s ask too often, and wait", client.address)
        self._until[client] = now + self._seconds

    def __contains__(self, client: Client) -> bool:
        return self._until.get(client, -math.inf) > self._clock()


held = Held()
