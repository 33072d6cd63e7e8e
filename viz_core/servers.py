"""This server among several that share a folder behind one proxy: which one it is, and what follows from that.

With a single server, which is the default, nothing here changes anything.
"""

import os
import re
from dataclasses import dataclass
from functools import cache

from viz_core.variables import DRAIN_SECONDS, SERVER

# The proxy gives each visitor a server by this cookie (pages/shared/visitor_cookie.py), and says in the header what it
# has read. The app believes its own signature, and compares: pages/shared/clients.py.
VISITOR_COOKIE, VISITOR_HEADER = "attention_microscope_visitor", "X-Microscope-Visitor"
# Answered by every server, whoever asks (pages/routes/readiness.py).
HEALTH, READY = "health", "ready"
# Of the Latin letters those that are not mistaken for one another or a digit. Without vowels they make no words.
LETTERS = "BCDFGHJKMNPQRSTVWXYZ"
DEFAULT_DRAIN, MOST_DRAIN = 10, 3600  # seconds
MOST_SERVERS = len(LETTERS)  # the code of a poll begins with a letter of its server


@dataclass(frozen=True)
class Place:
    """Which server this is, from 1, and how many there are."""

    number: int = 1
    count: int = 1

    @property
    def letters(self) -> str:
        """The letters with which the codes of this server's polls begin."""
        return LETTERS[self.number - 1 :: self.count]


def place() -> Place:
    """This server's place; the only one where `VIZ_SERVER` does not say otherwise."""
    return _read(os.environ.get(SERVER, ""))


@cache
def _read(value: str) -> Place:
    parts = re.fullmatch("([0-9]{1,2})/([0-9]{1,2})", value)
    number, count = map(int, parts.groups()) if parts else (1, 1)
    return Place(number, count) if 1 <= number <= count <= MOST_SERVERS else Place()


def drain_seconds() -> float:
    """For how long pages stay connected to a server that is to end; the default where the setting is unusable."""
    value = os.environ.get(DRAIN_SECONDS, "")
    return min(int(value), MOST_DRAIN) if re.fullmatch("[0-9]{1,6}", value) else DEFAULT_DRAIN
